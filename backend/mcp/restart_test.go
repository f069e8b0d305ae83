//go:build unix

package mcp

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// isFresh tells that a server is connected by another process than before.
func isFresh(before Status) func(Status) bool {
	return func(s Status) bool { return s.State == StateConnected && s.PID != before.PID }
}

// TestNewSessionComesBeforeTheOldOneEnds changes a connection under a running
// call: the call ends on the old program, the next one is answered by the new.
func TestNewSessionComesBeforeTheOldOneEnds(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{}, quickTiming())
	w := stdioWant("s", "__server", "tools", folder)
	before := connect(t, m, w)
	type outcome struct {
		result Result
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		result, err := m.Call(testContext(t), "s", "meetWrite", nil)
		ended <- outcome{result, err}
	}()
	eventually(t, "the call runs", func() bool { return slices.Contains(linesOf(filepath.Join(folder, "notes")), "meetWrite") })
	w.conn.Env = map[string]string{"X": "1"}
	m.apply(wants(w))
	after := waitUntil(t, m, "s", isFresh(before))
	if gone(before.PID) {
		t.Error("the old program is gone although its call runs")
	}
	call(t, m, "s", "echo", "")
	if got := <-ended; got.err != nil || got.result.Content != "alone" {
		t.Errorf("the running call: %+v", got)
	}
	eventually(t, "the old program ends", func() bool { return gone(before.PID) })
	if now := m.Status("s"); now.PID != after.PID {
		t.Errorf("the new one was restarted: %+v", now)
	}
}

// TestOldProgramEndsWhenTheNewOneFails: what the file no longer names is not in
// force because its successor does not start.
func TestOldProgramEndsWhenTheNewOneFails(t *testing.T) {
	for name, change := range map[string]func(*want){
		"at its start":      func(w *want) { w.conn.Args = []string{"__server", "exit"} },
		"not there":         func(w *want) { w.conn.Command = "/no/such/program" },
		"a variable is not": func(w *want) { w.values, w.expand = "other", unset },
	} {
		t.Run(name, func(t *testing.T) {
			m := testManager(t, Options{}, quickTiming())
			w := stdioWant("s", "__server", "tools")
			before := connect(t, m, w)
			change(&w)
			m.apply(wants(w))
			waitUntil(t, m, "s", isStuck)
			eventually(t, "the old program ends", func() bool { return gone(before.PID) })
			if _, err := m.Call(testContext(t), "s", "echo", nil); !errors.Is(err, ErrNotSent) {
				t.Errorf("a call: %v", err)
			}
		})
	}
}

// TestExclusiveProgramIsReplaced changes the connection of a program that cannot
// run twice.
func TestExclusiveProgramIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	m := testManager(t, Options{}, quickTiming())
	w := stdioWant("s", "__server", "exclusive", path)
	before := connect(t, m, w)
	w.conn.Env = map[string]string{"X": "1"}
	m.apply(wants(w))
	after := waitUntil(t, m, "s", func(s Status) bool { return s.State != StateStarting && s.PID != before.PID })
	if after.State != StateConnected {
		t.Fatalf("status %+v; log %q", after, m.Log("s"))
	}
	call(t, m, "s", "echo", "")
	if got := linesOf(path + ".starts"); len(got) != 2 {
		t.Errorf("it had the file %d times", len(got))
	}
}

func TestRestart(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	before := connect(t, m, stdioWant("s", "__server", "tools"))
	m.Restart("s")
	m.Restart("nobody")
	waitUntil(t, m, "s", isFresh(before))
	call(t, m, "s", "echo", "")
	eventually(t, "the old program ends", func() bool { return gone(before.PID) })
}

// TestSlowEndDelaysNobody removes a server that does not end and changes the
// others in the same moment.
func TestSlowEndDelaysNobody(t *testing.T) {
	tm := quickTiming()
	tm.termGrace = time.Minute
	m := testManager(t, Options{}, tm)
	m.apply(wants(stdioWant("stubborn", "__server", "stubborn"), stdioWant("good", "__server", "tools")))
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatal(missing)
	}
	before, stubborn := m.Status("good"), m.Status("stubborn")
	changed := stdioWant("good", "__server", "tools")
	changed.conn.Env = map[string]string{"X": "1"}
	m.apply(wants(changed, stdioWant("more", "__server", "plain")))
	waitUntil(t, m, "good", isFresh(before))
	call(t, m, "good", "echo", "")
	call(t, m, "more", "echo", "")
	if gone(stubborn.PID) {
		t.Error("the stubborn one is gone already; the test shows nothing")
	}
	kill(t, stubborn.PID)
}

// TestEnvironmentFileRestartsWhoUsesIt changes one variable in `.env`.
func TestEnvironmentFileRestartsWhoUsesIt(t *testing.T) {
	h := newHome(t, "", nil)
	logs := t.TempDir()
	h.env("ONE=first-value-111\nTWO=other-value-222\n")
	snap := h.write(`
mcp_servers:
  one: {command: ` + quote(testBinary()) + `, args: [__server, tools], env: {KEY: "${ONE}"}}
  two: {command: ` + quote(testBinary()) + `, args: [__server, tools], env: {KEY: "${TWO}"}}
`)
	m := testManager(t, Options{LogDir: logs}, quickTiming())
	m.Sync(snap)
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatalf("missing %v: %+v", missing, m.Statuses())
	}
	before := m.Statuses()
	h.env("ONE=second-value-333\nTWO=other-value-222\n")
	m.Sync(h.snapshot())
	waitUntil(t, m, "one", isFresh(before["one"]))
	if got := m.Status("two"); got.PID != before["two"].PID || got.State != StateConnected {
		t.Errorf("two was restarted: %+v", got)
	}
	// An unset variable ends the program that has its old value; set again, it
	// comes back without anybody asking.
	h.env("TWO=other-value-222\n")
	m.Sync(h.snapshot())
	status := waitUntil(t, m, "one", isState(StateFailed))
	if !strings.Contains(status.Reason, "${ONE} is not set") {
		t.Errorf("reason %q", status.Reason)
	}
	h.env("ONE=fourth-value-444\nTWO=other-value-222\n")
	m.Sync(h.snapshot())
	waitUntil(t, m, "one", isState(StateConnected))
	if got := m.Status("two"); got.PID != before["two"].PID {
		t.Error("two was restarted")
	}
	all := strings.Join(m.Log("one"), "\n") + m.Status("one").Reason + readAll(t, logs)
	for _, value := range []string{"first-value", "second-value", "fourth-value", "other-value"} {
		if strings.Contains(all, value) {
			t.Errorf("a value is shown in %s", all)
		}
	}
}

// TestReplacedOneDoesNotComeBack: an entry that is not in the file any more is
// neither tried again nor started again while its successor starts.
func TestReplacedOneDoesNotComeBack(t *testing.T) {
	for name, prepare := range map[string]struct {
		fault string
		lose  func(t *testing.T, m *Manager)
	}{
		"parked":    {"exit", func(t *testing.T, m *Manager) { waitUntil(t, m, "s", isParked) }},
		"connected": {"tools", func(t *testing.T, m *Manager) { waitUntil(t, m, "s", isState(StateConnected)) }},
	} {
		t.Run(name, func(t *testing.T) {
			m := testManager(t, Options{}, quickTiming())
			m.apply(wants(stdioWant("s", "__server", prepare.fault)))
			prepare.lose(t, m)
			old, before := m.servers["s"], m.Status("s")
			m.apply(wants(stdioWant("s", "__server", "silent")))
			if before.PID != 0 {
				kill(t, before.PID)
			}
			<-old.done
			if status := m.Status("s"); status.State != StateStarting {
				t.Errorf("status %+v", status)
			}
			n := 0
			for _, line := range m.Log("s") {
				if strings.Contains(line, "starting: ") {
					n++
				}
			}
			if wanted := before.Attempts + 2; before.PID != 0 && n != 2 || before.PID == 0 && n > wanted {
				t.Errorf("%d starts; log %q", n, m.Log("s"))
			}
		})
	}
}
