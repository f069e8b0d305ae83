package watch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// script runs a debounce in synthetic time, calls play with a function that
// sends an event, and returns when it fired, counted from the start.
func script(t *testing.T, play func(event func(name string), fault func())) []time.Duration {
	t.Helper()
	var fired []time.Duration
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		events, faults, done := make(chan fsnotify.Event), make(chan error), make(chan struct{})
		start := time.Now()
		go func() {
			defer close(done)
			debounce{quiet: 100 * time.Millisecond, limit: time.Second}.loop(ctx, events, faults,
				func(name string) bool { return name == "config.yaml" },
				func(error) {},
				func() { fired = append(fired, time.Since(start)) })
		}()
		play(func(name string) { events <- fsnotify.Event{Name: name} }, func() { faults <- errors.New("overflow") })
		wait(5 * time.Second)
		cancel()
		<-done
	})
	return fired
}

// wait lets synthetic time pass.
func wait(d time.Duration) { <-time.After(d) }

func TestBurstFiresOnceAfterTheQuiet(t *testing.T) {
	fired := script(t, func(event func(string), _ func()) {
		for range 50 {
			event("config.yaml")
			wait(time.Millisecond)
		}
	})
	if len(fired) != 1 || fired[0] != 149*time.Millisecond {
		t.Errorf("fired at %v, want once at 149ms", fired)
	}
}

func TestEndlessEventsFireAtTheLimit(t *testing.T) {
	fired := script(t, func(event func(string), _ func()) {
		for range 50 {
			event("config.yaml")
			wait(50 * time.Millisecond)
		}
	})
	if len(fired) != 3 || fired[0] != time.Second || fired[1] != 2*time.Second+0*time.Millisecond && fired[1] != 2050*time.Millisecond {
		t.Errorf("fired at %v, want at one second, a second later and after the end", fired)
	}
}

func TestForeignNamesDoNotFire(t *testing.T) {
	fired := script(t, func(event func(string), _ func()) {
		for range 20 {
			event("state.db-wal")
			wait(10 * time.Millisecond)
		}
	})
	if len(fired) != 0 {
		t.Errorf("fired at %v, want never", fired)
	}
}

func TestLostEventsFire(t *testing.T) {
	fired := script(t, func(_ func(string), fault func()) { fault() })
	if len(fired) != 1 || fired[0] != 100*time.Millisecond {
		t.Errorf("fired at %v, want once at 100ms", fired)
	}
}
