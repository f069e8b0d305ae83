package watch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// firing is when a debounce fired, counted from the start, and whether events
// were still coming.
type firing struct {
	at     time.Duration
	moving bool
}

// script runs a debounce in synthetic time, calls play with a function that
// sends an event, and returns when it fired.
func script(t *testing.T, play func(event func(name string), fault func())) []firing {
	t.Helper()
	return scripted(t, func(int) bool { return true }, func(event func(string), fault func(), _ func()) { play(event, fault) })
}

// scripted is script with the answer of each firing, and with who asks for one.
func scripted(t *testing.T, settled func(n int) bool, play func(event func(name string), fault, ask func())) []firing {
	t.Helper()
	var fired []firing
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		events, faults, done, asked := make(chan fsnotify.Event), make(chan error), make(chan struct{}), make(chan chan struct{})
		start := time.Now()
		go func() {
			defer close(done)
			debounce{quiet: 100 * time.Millisecond, limit: time.Second, again: []time.Duration{200 * time.Millisecond, 400 * time.Millisecond}}.loop(ctx, feed{
				source:   func() (<-chan fsnotify.Event, <-chan error) { return events, faults },
				concerns: func(name string) bool { return name == "config.yaml" },
				fault:    func(error) {},
				asked:    asked,
				fire: func(moving bool) bool {
					fired = append(fired, firing{time.Since(start), moving})
					return settled(len(fired))
				},
			}, true)
		}()
		play(func(name string) { events <- fsnotify.Event{Name: name} }, func() { faults <- errors.New("overflow") }, func() {
			looked := make(chan struct{})
			asked <- looked
			<-looked
		})
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
	if len(fired) != 1 || fired[0] != (firing{149 * time.Millisecond, false}) {
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
	if len(fired) != 3 || fired[0] != (firing{time.Second, true}) || !fired[1].moving || fired[1].at < 2*time.Second || fired[1].at > 2050*time.Millisecond || fired[2].moving {
		t.Errorf("fired at %v, want in the middle at one second, a second later and, quiet, after the end", fired)
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
	if len(fired) != 1 || fired[0].at != 100*time.Millisecond {
		t.Errorf("fired at %v, want once at 100ms", fired)
	}
}

// A look that settled nothing is repeated with growing pauses, and not for ever.
func TestUnsettledFiresAgain(t *testing.T) {
	fired := scripted(t, func(int) bool { return false }, func(event func(string), _, _ func()) { event("config.yaml") })
	want := []firing{{100 * time.Millisecond, false}, {300 * time.Millisecond, false}, {700 * time.Millisecond, false}}
	if !slices.Equal(fired, want) {
		t.Errorf("fired at %v, want %v", fired, want)
	}
	fired = scripted(t, func(n int) bool { return n == 2 }, func(event func(string), _, _ func()) { event("config.yaml") })
	if !slices.Equal(fired, want[:2]) {
		t.Errorf("settled by the second: fired at %v, want %v", fired, want[:2])
	}
}

// Whoever asks waits for the quiet, and for the end of the firing.
func TestAskedFires(t *testing.T) {
	fired := scripted(t, func(int) bool { return true }, func(event func(string), _, ask func()) {
		wait(time.Second)
		event("config.yaml")
		ask()
	})
	if len(fired) != 1 || fired[0] != (firing{1100 * time.Millisecond, false}) {
		t.Errorf("fired at %v, want once at 1.1s", fired)
	}
}
