//go:build unix

package mcp

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/config"
)

func testBinary() string { return os.Args[0] }

func unset(config.Connection) (config.Connection, error) {
	return config.Connection{}, errors.New("the variable TOKEN is not set")
}

func (h testHome) env(text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, ".env"), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func readAll(t *testing.T, folder string) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

func running(m *Manager) int { return len(members(nil, m.launcher.token+".")) }

// TestLazyServerStartsAtItsFirstCall: no process before somebody needs it, and
// the first call waits for the start.
func TestLazyServerStartsAtItsFirstCall(t *testing.T) {
	h := newHome(t, "mcp_servers:\n  s: {command: "+quote(testBinary())+", args: [__server, tools], lazy: true}\n", nil)
	known := map[string]bool{"s": true}
	m := testManager(t, Options{Known: func(server string) bool { return known[server] }}, quickTiming())
	m.Sync(h.snapshot())
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Errorf("missing %v", missing)
	}
	if status := m.Status("s"); status.State != StateReady || status.PID != 0 || running(m) != 0 {
		t.Errorf("status %+v, %d processes", status, running(m))
	}
	call(t, m, "s", "echo", "")
	if status := m.Status("s"); status.State != StateConnected {
		t.Errorf("status %+v", status)
	}
	// A filter changes: it stays; it is no longer lazy: that stays, too.
	before := m.Status("s")
	m.Sync(h.write("mcp_servers:\n  s: {command: " + quote(testBinary()) + ", args: [__server, tools], tools: {include: [echo]}}\n"))
	call(t, m, "s", "echo", "")
	if after := m.Status("s"); after.PID != before.PID {
		t.Error("it was restarted")
	}
}

func TestLazyServerIsStartedWhenItMust(t *testing.T) {
	const entry = "mcp_servers:\n  s: {command: COMMAND, args: [__server, tools], lazy: true}\n"
	text := strings.Replace(entry, "COMMAND", quote(testBinary()), 1)
	for name, act := range map[string]func(t *testing.T, m *Manager, h testHome){
		"look": func(t *testing.T, m *Manager, h testHome) {
			if status, err := m.Look(testContext(t), h.snapshot(), "s"); err != nil || status.State != StateConnected {
				t.Errorf("look: %+v %v", status, err)
			}
		},
		"retry":   func(_ *testing.T, m *Manager, _ testHome) { m.Retry("s") },
		"restart": func(_ *testing.T, m *Manager, _ testHome) { m.Restart("s") },
		"not lazy": func(_ *testing.T, m *Manager, h testHome) {
			m.Sync(h.write(strings.Replace(text, ", lazy: true", "", 1)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, text, nil)
			m := testManager(t, Options{Known: func(string) bool { return true }}, quickTiming())
			m.Sync(h.snapshot())
			if status := m.Status("s"); status.State != StateReady {
				t.Fatalf("status %+v", status)
			}
			act(t, m, h)
			waitUntil(t, m, "s", isState(StateConnected))
			if n := running(m); n != 1 {
				t.Errorf("%d processes", n)
			}
		})
	}
	t.Run("not known", func(t *testing.T) {
		m := testManager(t, Options{Known: func(string) bool { return false }}, quickTiming())
		m.Sync(newHome(t, text, nil).snapshot())
		waitUntil(t, m, "s", isState(StateConnected))
	})
}

// TestIdleAndOldProgramsRest ends programs that are not used or old, keeps their
// tools known, and starts them at the next call.
func TestIdleAndOldProgramsRest(t *testing.T) {
	for name, set := range map[string]func(*config.Connection){
		"idle": func(c *config.Connection) { c.IdleTimeout = 150 * time.Millisecond },
		"old":  func(c *config.Connection) { c.MaxLifetime = 150 * time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			m := testManager(t, Options{}, quickTiming())
			w := stdioWant("s", "__server", "tools")
			connect(t, m, w)
			// The limits are read anew: nothing restarts to have them.
			set(&w.conn)
			before := m.Status("s")
			m.apply(wants(w))
			// A running call is not cut, however old the program is.
			if got := call(t, m, "s", "meetWrite", ""); got.Content != "alone" {
				t.Errorf("got %+v", got)
			}
			status := waitUntil(t, m, "s", isState(StateReady))
			if len(status.Tools) != len(before.Tools) || status.Reason == "" {
				t.Errorf("status %+v", status)
			}
			eventually(t, "the program ends", func() bool { return gone(before.PID) })
			call(t, m, "s", "echo", "")
		})
	}
}

// TestSilentSessionIsReplaced pings an idle session of the older protocol.
func TestSilentSessionIsReplaced(t *testing.T) {
	tm := quickTiming()
	tm.ping = 200 * time.Millisecond
	m := testManager(t, Options{}, tm)
	w := stdioWant("s", "__server", "mute")
	w.conn.Keepalive = 100 * time.Millisecond
	before := connect(t, m, w)
	waitUntil(t, m, "s", isFresh(before))
	if log := strings.Join(m.Log("s"), "\n"); !strings.Contains(log, "no sign of life within") {
		t.Errorf("log %s", log)
	}
}

func TestLivelySessionIsKept(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	w := stdioWant("s", "__server", "pings")
	w.conn.Keepalive = 20 * time.Millisecond
	before := connect(t, m, w)
	eventually(t, "several pings were answered", func() bool { return strings.Count(strings.Join(m.Log("s"), "\n"), "pinged") > 3 })
	if after := m.Status("s"); after.PID != before.PID {
		t.Error("it was restarted")
	}
}

// TestLastingFailuresWait: what trying cannot mend is tried again when a person
// asks or the entry changes, and not by itself.
func TestLastingFailuresWait(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "server")
	install := func() {
		if err := os.WriteFile(program, []byte("#!/bin/sh\nexec '"+testBinary()+"' __server tools\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, revive := range map[string]func(m *Manager, w want){
		"a person asks":     func(m *Manager, _ want) { m.Retry("s") },
		"the entry changed": func(m *Manager, w want) { w.edition = "2"; m.apply(wants(w)) },
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(program)
			m := testManager(t, Options{}, quickTiming())
			w := stdioWant("s")
			w.conn.Command, w.edition = program, "1"
			m.apply(wants(w))
			status := waitUntil(t, m, "s", isParked)
			if !status.NextTry.IsZero() || status.Attempts != 1 {
				t.Errorf("status %+v", status)
			}
			m.apply(wants(w))
			install()
			revive(m, w)
			waitUntil(t, m, "s", isState(StateConnected))
		})
	}
}

func TestOutlook(t *testing.T) {
	tm := defaultTiming()
	plain := &connectError{reason: "x"}
	for _, test := range []struct {
		name     string
		err      error
		failures int
		state    State
		pause    time.Duration
	}{
		{"first", plain, 1, StateFailed, time.Second},
		{"fourth", plain, 4, StateFailed, 8 * time.Second},
		{"used up", plain, quickTries, StateParked, 5 * time.Minute},
		{"lasting", &connectError{lasting: true}, 1, StateParked, 0},
		{"a variable", &connectError{lasting: true, variables: true}, 1, StateFailed, 0},
		{"a login", &connectError{lasting: true, login: true}, 1, StateNeedsAuth, 0},
		{"of unknown kind", context.DeadlineExceeded, 1, StateFailed, time.Second},
	} {
		state, pause := tm.outlook(test.err, test.failures)
		if state != test.state || pause < test.pause*4/5 || pause > test.pause*6/5+1 {
			t.Errorf("%s: %s, %s", test.name, state, pause)
		}
	}
}

// TestEraIsRemembered gives what one run found to the next.
func TestEraIsRemembered(t *testing.T) {
	for fault, modern := range map[string]bool{"tools": true, "ignore-probe": false} {
		t.Run(fault, func(t *testing.T) {
			memory := map[string]bool{}
			told := 0
			o := Options{
				Modern:   func(server string) (bool, bool) { known, ok := memory[server]; return known, ok },
				OnModern: func(server string, modern bool) { memory[server] = modern; told++ },
			}
			tm := quickTiming()
			tm.probe = 300 * time.Millisecond
			first := testManager(t, o, tm)
			connect(t, first, stdioWant("s", "__server", fault))
			if got, known := memory["s"]; !known || got != modern || told != 1 {
				t.Fatalf("remembered %v, told %d times", memory, told)
			}
			tm.probe = time.Hour
			second := testManager(t, o, tm)
			connect(t, second, stdioWant("s", "__server", fault))
			if memory["s"] != modern {
				t.Errorf("remembered %v", memory)
			}
		})
	}
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(defaultTiming())
		now := time.Now()
		do := func(o outcome, passes bool) {
			t.Helper()
			words := b.begin(now)
			if (words == "") != passes {
				t.Fatalf("passes: %t (%s)", !passes, words)
			}
			if words == "" {
				b.settle(now, o, "it hangs")
			}
		}
		do(outcomeLoss, true)
		do(outcomeLoss, true)
		do(outcomeAnswer, true)
		do(outcomeLoss, true)
		do(outcomeNone, true)
		do(outcomeLoss, true)
		do(outcomeLoss, true)
		do(outcomeLoss, false)
		now = now.Add(59 * time.Second)
		do(outcomeLoss, false)
		if words := b.words(now); !strings.Contains(words, "3 calls in a row") || !strings.Contains(words, "(it hangs)") || !strings.Contains(words, "1s more") {
			t.Errorf("words %q", words)
		}
		// One call finds out; meanwhile others are refused.
		now = now.Add(time.Second)
		if words := b.begin(now); words != "" {
			t.Fatal(words)
		}
		do(outcomeLoss, false)
		b.settle(now, outcomeNone, "")
		do(outcomeLoss, true)
		do(outcomeLoss, false)
		now = now.Add(time.Minute)
		do(outcomeAnswer, true)
		do(outcomeLoss, true)
		do(outcomeLoss, true)
		do(outcomeLoss, true)
		do(outcomeLoss, false)
		if !b.reset() || b.reset() {
			t.Error("it was not reset once")
		}
		do(outcomeAnswer, true)
	})
}

// TestCallsOfAMuteServerAreRefused lets three calls run into their limit.
func TestCallsOfAMuteServerAreRefused(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	w := stdioWant("s", "__server", "mute")
	w.conn.Timeout = 50 * time.Millisecond
	connect(t, m, w)
	for range breakerCalls {
		if _, err := m.Call(testContext(t), "s", "echo", nil); !errors.Is(err, ErrEffectUnknown) {
			t.Fatalf("got %v", err)
		}
	}
	_, err := m.Call(testContext(t), "s", "echo", nil)
	if !errors.Is(err, ErrNotSent) || !strings.Contains(err.Error(), "no answer within") || !strings.Contains(err.Error(), "refused for") {
		t.Errorf("got %v", err)
	}
	if status := m.Status("s"); status.State != StateConnected || !strings.Contains(status.Reason, "refused for") {
		t.Errorf("status %+v", status)
	}
	m.Retry("s")
	if status := m.Status("s"); status.Reason != "" {
		t.Errorf("status %+v", status)
	}
	if _, err := m.Call(testContext(t), "s", "echo", nil); !errors.Is(err, ErrEffectUnknown) {
		t.Errorf("got %v", err)
	}
}

func TestLatencyIsMeasured(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	if status := connect(t, m, stdioWant("s", "__server", "tools")); status.Latency != 0 {
		t.Errorf("before any call: %s", status.Latency)
	}
	call(t, m, "s", "meetWrite", "")
	if got := m.Status("s").Latency; got < 300*time.Millisecond {
		t.Errorf("latency %s", got)
	}
}

// TestLoginThatEndsIsAskedFor: a server that takes a token no more during a
// session is not left as connected.
func TestLoginThatEndsIsAskedFor(t *testing.T) {
	var ended atomic.Bool
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return toolsServer(nil) }, nil)
	server := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ended.Load() && r.Method != http.MethodDelete {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, urlWant("s", "http", server.URL, nil))
	call(t, m, "s", "echo", "")
	ended.Store(true)
	var refused *ServerError
	if _, err := m.Call(testContext(t), "s", "echo", nil); !errors.As(err, &refused) || refused.Code != 401 {
		t.Errorf("got %v", err)
	}
	status := waitUntil(t, m, "s", isState(StateNeedsAuth))
	if !status.NextTry.IsZero() {
		t.Errorf("status %+v", status)
	}
	ended.Store(false)
	m.Retry("s")
	waitUntil(t, m, "s", isState(StateConnected))
}
