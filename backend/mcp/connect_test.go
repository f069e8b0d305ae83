//go:build unix

package mcp

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes/backend/config"
)

func starts(m *Manager, name string) int {
	n := 0
	for _, line := range m.Log(name) {
		if strings.Contains(line, "[hermes] starting: ") || strings.Contains(line, "trying again with") {
			n++
		}
	}
	return n
}

// TestProbe meets the servers that do not know server/discover and do not say
// so.
func TestProbe(t *testing.T) {
	for _, test := range []struct {
		fault string
		// processes is how many it takes the first time.
		processes int
	}{
		{"raw", 1},
		{"ignore-probe", 1},
		{"exit-on-probe", 2},
		{"hang-on-probe", 2},
	} {
		t.Run(test.fault, func(t *testing.T) {
			tm := quickTiming()
			tm.probe, tm.handshake = 200*time.Millisecond, 400*time.Millisecond
			m := testManager(t, Options{}, tm)
			status := connect(t, m, stdioWant("s", "__server", test.fault))
			if status.Protocol != olderProtocol {
				t.Errorf("protocol %s", status.Protocol)
			}
			if got := starts(m, "s"); got != test.processes {
				t.Errorf("%d processes; log %q", got, m.Log("s"))
			}
			call(t, m, "s", "raw", "")
			// The era is remembered: the next start asks for nothing unknown.
			kill(t, status.PID)
			waitUntil(t, m, "s", func(s Status) bool { return s.State == StateConnected && s.PID != status.PID })
			if got := starts(m, "s"); got != test.processes+1 {
				t.Errorf("%d processes after a restart; log %q", got, m.Log("s"))
			}
		})
	}
}

// TestSlowModernServer reads the probe only after the time of silence: it was
// still starting and must neither be restarted nor be taken for an older one.
func TestSlowModernServer(t *testing.T) {
	tm := quickTiming()
	tm.probe = 500 * time.Millisecond
	m := testManager(t, Options{}, tm)
	status := connect(t, m, stdioWant("s", "__server", "slow", "1200ms"))
	if status.Protocol != firstModern || starts(m, "s") != 1 {
		t.Errorf("status %+v; log %q", status, m.Log("s"))
	}
	call(t, m, "s", "echo", "")
}

func kill(t *testing.T, pid int) {
	t.Helper()
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSilentServerFailsInTimeAndDelaysNobody(t *testing.T) {
	for _, fault := range []string{"silent", "deaf"} {
		t.Run(fault, func(t *testing.T) {
			m := testManager(t, Options{}, quickTiming())
			slow := stdioWant("slow", "__server", fault)
			const limit = 2 * time.Second
			slow.conn.ConnectTimeout = limit
			started := time.Now()
			m.apply(wants(slow, stdioWant("good", "__server", "tools")))
			if missing := m.Wait(testContext(t), []string{"good"}); len(missing) > 0 {
				t.Fatal(missing)
			}
			call(t, m, "good", "echo", "")
			if status := m.Status("slow"); status.State != StateStarting && time.Since(started) < limit {
				t.Errorf("after %s the slow one is %s", time.Since(started), status.State)
			}
			status := waitUntil(t, m, "slow", isState(StateFailed))
			if !strings.Contains(status.Reason, "no answer within") {
				t.Errorf("reason %q", status.Reason)
			}
		})
	}
}

func TestCommandIsNotThere(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	w := stdioWant("s")
	w.conn.Command, w.conn.Env = "no-such-program-anywhere", map[string]string{"PATH": "/opt/one:/opt/two"}
	m.apply(wants(w))
	status := waitUntil(t, m, "s", isState(StateParked))
	for _, part := range []string{`"no-such-program-anywhere"`, "/opt/one, /opt/two", "/usr/local/bin", "install it"} {
		if !strings.Contains(status.Reason, part) {
			t.Errorf("the reason lacks %q: %s", part, status.Reason)
		}
	}
	if !status.NextTry.IsZero() || status.Attempts != 1 {
		t.Errorf("it is tried again by itself: %+v", status)
	}
}

func TestLauncherIsSaid(t *testing.T) {
	w := stdioWant("s")
	w.conn.Command = "npx"
	if got := startingReason(w); got != "starting (npx)" {
		t.Errorf("reason %q", got)
	}
	c := connector{dialer: &dialer{timing: defaultTiming()}}
	for _, test := range []struct {
		command string
		limit   time.Duration
		want    time.Duration
	}{
		{"npx", 0, 90 * time.Second},
		{"/usr/bin/npx", time.Minute, 90 * time.Second},
		{"npx", 5 * time.Second, 5 * time.Second},
		{"node", time.Minute, time.Minute},
		{"node", 0, time.Minute},
	} {
		if got := c.limit(config.Connection{Transport: "stdio", Command: test.command, ConnectTimeout: test.limit}); got != test.want {
			t.Errorf("%s with %s: %s", test.command, test.limit, got)
		}
	}
}

// TestShortLives starts a server that connects and ends at once: it must not
// storm, and after its pause a person's retry works when it is mended.
func TestShortLives(t *testing.T) {
	folder := t.TempDir()
	script := filepath.Join(folder, "server")
	write := func(fault string) {
		text := "#!/bin/sh\nexec '" + os.Args[0] + "' __server " + fault + "\n"
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("end-after-list")
	m := testManager(t, Options{}, quickTiming())
	w := stdioWant("s")
	w.conn.Command = script
	m.apply(wants(w))
	status := waitUntil(t, m, "s", isParked)
	if got := starts(m, "s"); got > quickTries+2 {
		t.Errorf("%d starts; log %q", got, m.Log("s"))
	}
	if !strings.Contains(status.Reason, "ended") && !strings.Contains(status.Reason, "closed the connection") {
		t.Errorf("reason %q", status.Reason)
	}
	write("tools")
	m.Retry("s")
	waitUntil(t, m, "s", isState(StateConnected))
	call(t, m, "s", "echo", "")
}

func TestUnsetVariableIsTriedAgainWithTheNextSnapshot(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	w := stdioWant("s", "__server", "tools")
	good := w.expand
	w.expand = func(config.Connection) (config.Connection, error) {
		return config.Connection{}, errors.New("the variable TOKEN is not set")
	}
	m.apply(wants(w))
	status := waitUntil(t, m, "s", isState(StateFailed))
	if !strings.Contains(status.Reason, "TOKEN is not set") {
		t.Errorf("reason %q", status.Reason)
	}
	w.expand = good
	m.apply(wants(w))
	waitUntil(t, m, "s", isState(StateConnected))
}

func TestApplyRestartsOnlyWhatChanged(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	a, b := stdioWant("a", "__server", "tools"), stdioWant("b", "__server", "tools")
	m.apply(wants(a, b))
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatal(missing)
	}
	before := m.Statuses()
	a.trusted, a.conn.Timeout = false, time.Second
	b.conn.Env = map[string]string{"X": "1"}
	m.apply(wants(a, b))
	waitUntil(t, m, "b", func(s Status) bool { return s.State == StateConnected && s.PID != before["b"].PID })
	if got := m.Status("a"); got.PID != before["a"].PID || got.State != StateConnected {
		t.Errorf("a was restarted: %+v", got)
	}
	locked := want{name: "a", state: StateLocked, reason: "nothing of it can be called"}
	m.apply(wants(locked, b))
	if got := m.Status("a"); got.State != StateLocked || got.Reason == "" {
		t.Errorf("a is %+v", got)
	}
	if _, err := m.Call(testContext(t), "a", "echo", nil); !errors.Is(err, ErrNotSent) {
		t.Errorf("a call of a locked server: %v", err)
	}
	eventually(t, "the locked server's process ends", func() bool { return len(members(nil, m.launcher.token+".")) == 1 })
	m.apply(wants(b))
	if all := m.Statuses(); len(all) != 1 {
		t.Errorf("statuses %v", all)
	}
}

// TestLockLetsRunningCallsFinish locks a server under a running call.
func TestLockLetsRunningCallsFinish(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, stdioWant("s", "__server", "tools", folder))
	type outcome struct {
		result Result
		err    error
	}
	ended := make(chan outcome)
	go func() {
		result, err := m.Call(testContext(t), "s", "meetWrite", nil)
		ended <- outcome{result, err}
	}()
	eventually(t, "the call runs", func() bool { return slices.Contains(linesOf(filepath.Join(folder, "notes")), "meetWrite") })
	m.apply(wants(want{name: "s", state: StateLocked, reason: "locked"}))
	if got := <-ended; got.err != nil || got.result.Content != "alone" {
		t.Errorf("the running call: %+v", got)
	}
	eventually(t, "the process ends", func() bool { return len(members(nil, m.launcher.token+".")) == 0 })
}
