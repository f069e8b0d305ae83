//go:build unix

package mcp

import (
	"cmp"
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "__") {
		code := runPeer(os.Args[1], os.Args[2:])
		if os.Getenv(raceOptions) == "" {
			// A guard, or a server: neither is given our variables, and nobody
			// reads what the race detector would make of its end.
			syscall.Exit(code)
		}
		os.Exit(code)
	}
	if err := os.Setenv(raceOptions, cmp.Or(os.Getenv(raceOptions), quickRaceEnd)); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// A program with the race detector sleeps a second before it ends (GORACE,
// atexit_sleep_ms), for threads that still run. Here each of some hundred
// processes would.
const (
	raceOptions  = "GORACE"
	quickRaceEnd = "atexit_sleep_ms=20"
)

// quickTiming keeps the pauses short, so that the tests need not wait.
func quickTiming() timing {
	t := defaultTiming()
	t.probe = 5 * time.Second
	t.stdinGrace = 300 * time.Millisecond
	t.termGrace = 300 * time.Millisecond
	t.backoffBase = 10 * time.Millisecond
	t.backoffCap = 40 * time.Millisecond
	t.parked = time.Hour
	t.quiet = 30 * time.Millisecond
	t.reports = time.Millisecond
	return t
}

func testManager(t *testing.T, o Options, tm timing) *Manager {
	t.Helper()
	m := newManager(o, tm)
	// The profile of whoever runs the tests is not theirs to read.
	m.launcher.login.attended = func() bool { return true }
	token := m.launcher.token
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if left := members(nil, token+"."); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	})
	return m
}

func wants(list ...want) map[string]want {
	all := map[string]want{}
	for _, w := range list {
		all[w.name] = w
	}
	return all
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(stop)
	return ctx
}

// waitUntil waits for a server's status to satisfy a condition, at each change.
func waitUntil(t *testing.T, m *Manager, name string, ok func(Status) bool) Status {
	t.Helper()
	ctx := testContext(t)
	for {
		m.mu.Lock()
		movement := m.movement
		m.mu.Unlock()
		status := m.Status(name)
		if ok(status) {
			return status
		}
		select {
		case <-movement:
		case <-ctx.Done():
			t.Fatalf("server %s stays %s (%s); log: %q", name, status.State, status.Reason, m.Log(name))
		}
	}
}

func isState(want State) func(Status) bool {
	return func(s Status) bool { return s.State == want }
}

// connect starts one server and waits for it.
func connect(t *testing.T, m *Manager, w want) Status {
	t.Helper()
	m.apply(wants(w))
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatalf("missing %v: %s; log %q", missing, m.Status(w.name).Reason, m.Log(w.name))
	}
	return m.Status(w.name)
}

func call(t *testing.T, m *Manager, server, tool, args string) Result {
	t.Helper()
	result, err := m.Call(testContext(t), server, tool, []byte(args))
	if err != nil {
		t.Fatalf("%s/%s: %v", server, tool, err)
	}
	return result
}

// eventually looks again until ok, at most as long as a test may take.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx := testContext(t)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("never: %s", what)
		}
	}
}

// isParked tells that the quick tries are used up, or that none can help.
func isParked(s Status) bool { return s.State == StateParked }

// isStuck tells that a server does not run because of a failure.
func isStuck(s Status) bool { return s.State.stuck() }
