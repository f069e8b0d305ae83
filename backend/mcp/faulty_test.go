//go:build unix

package mcp

import (
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestFaultyServersHarmNobody runs each fault beside a healthy server, which
// answers throughout; the faulty one ends in the state it should, and nothing is
// left of it.
func TestFaultyServersHarmNobody(t *testing.T) {
	type bench struct {
		m      *Manager
		folder string
	}
	answers := func(content string) func(t *testing.T, b bench) {
		return func(t *testing.T, b bench) {
			t.Helper()
			waitUntil(t, b.m, "faulty", isState(StateConnected))
			if got := call(t, b.m, "faulty", "echo", "{}"); got.Content != content {
				t.Errorf("it answered %.80q", got.Content)
			}
		}
	}
	for _, test := range []struct {
		fault string
		// check drives the faulty server and looks at what becomes of it.
		check func(t *testing.T, b bench)
	}{
		{"silent", func(t *testing.T, b bench) {
			if status := waitUntil(t, b.m, "faulty", isStuck); !strings.Contains(status.Reason, "no answer within") {
				t.Errorf("status %+v", status)
			}
		}},
		{"deaf", func(t *testing.T, b bench) { waitUntil(t, b.m, "faulty", isStuck) }},
		{"exit", func(t *testing.T, b bench) { waitUntil(t, b.m, "faulty", isParked) }},
		{"end-after-list", func(t *testing.T, b bench) { waitUntil(t, b.m, "faulty", isParked) }},
		{"flood-both", func(t *testing.T, b bench) {
			answers("echo")(t, b)
			// Noise is counted without being told.
			eventually(t, "it floods", func() bool { return b.m.Status("faulty").Noise > 0 })
			answers("echo")(t, b)
		}},
		{"flood", answers("{}")},
		{"die", func(t *testing.T, b bench) {
			before := waitUntil(t, b.m, "faulty", isState(StateConnected))
			if _, err := b.m.Call(testContext(t), "faulty", "echo", nil); !errors.Is(err, ErrEffectUnknown) {
				t.Errorf("got %v", err)
			}
			waitUntil(t, b.m, "faulty", isFresh(before))
		}},
		{"stubborn", answers("{}")},
		{"fork", func(t *testing.T, b bench) {
			before := waitUntil(t, b.m, "faulty", isState(StateConnected))
			children := childrenOf(t, b.folder)
			kill(t, before.PID)
			waitUntil(t, b.m, "faulty", isFresh(before))
			for _, pid := range children {
				if !gone(pid) {
					t.Errorf("the grandchild %d outlived its server", pid)
				}
			}
		}},
		{"twice", func(t *testing.T, b bench) {
			// The second answer belongs to nobody, also not to the next call.
			for range 3 {
				answers("echo")(t, b)
			}
		}},
		{"wrong-id", func(t *testing.T, b bench) {
			waitUntil(t, b.m, "faulty", isState(StateConnected))
			for range breakerCalls {
				if _, err := b.m.Call(testContext(t), "faulty", "echo", nil); !errors.Is(err, ErrEffectUnknown) {
					t.Errorf("got %v", err)
				}
			}
			if _, err := b.m.Call(testContext(t), "faulty", "echo", nil); !errors.Is(err, ErrNotSent) {
				t.Errorf("got %v", err)
			}
			if status := b.m.Status("faulty"); status.State != StateConnected || !strings.Contains(status.Reason, "refused") {
				t.Errorf("status %+v", status)
			}
		}},
		{"raw", func(t *testing.T, b bench) {
			waitUntil(t, b.m, "faulty", isState(StateConnected))
			if got := call(t, b.m, "faulty", "big", ""); len(got.Content) != bigResult {
				t.Errorf("%d bytes", len(got.Content))
			}
		}},
		{"many-tools", func(t *testing.T, b bench) {
			if status := waitUntil(t, b.m, "faulty", isState(StateConnected)); len(status.Tools) != 500 || status.Tools[499].Name != "tool499" {
				t.Errorf("%d tools", len(status.Tools))
			}
		}},
		{"restless", func(t *testing.T, b bench) {
			for range 3 {
				answers("echo")(t, b)
			}
		}},
	} {
		t.Run(test.fault, func(t *testing.T) {
			b := bench{folder: t.TempDir()}
			tm := quickTiming()
			b.m = newManager(Options{Guard: guardArgs()}, tm)
			t.Cleanup(func() { _ = b.m.Close() })
			faulty := stdioWant("faulty", "__server", test.fault, b.folder)
			if test.fault == "wrong-id" {
				faulty.conn.Timeout = 100 * time.Millisecond
			}
			if test.fault == "silent" || test.fault == "deaf" {
				faulty.conn.ConnectTimeout = time.Second
			}
			b.m.apply(wants(faulty, stdioWant("healthy", "__server", "plain")))
			if missing := b.m.Wait(testContext(t), []string{"healthy"}); len(missing) > 0 {
				t.Fatal(missing)
			}
			healthy := b.m.Status("healthy").PID
			stop, stopped := make(chan struct{}), make(chan int, 1)
			halt := sync.OnceValue(func() int { close(stop); return <-stopped })
			defer halt()
			go func() {
				n := 0
				for {
					if _, err := b.m.Call(testContext(t), "healthy", "echo", nil); err != nil {
						t.Errorf("the healthy one: %v", err)
						break
					}
					n++
					select {
					case <-stop:
						stopped <- n
						return
					case <-time.After(10 * time.Millisecond):
					}
				}
				<-stop
				stopped <- n
			}()
			test.check(t, b)
			if halt() == 0 {
				t.Error("the healthy one was never asked")
			}
			if got := b.m.Status("healthy"); got.PID != healthy || got.State != StateConnected {
				t.Errorf("the healthy one is %+v", got)
			}
			if err := b.m.Close(); err != nil {
				t.Error(err)
			}
			if left := members(nil, b.m.launcher.token+"."); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
				for _, pid := range left {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		})
	}
}
