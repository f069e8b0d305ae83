package watch

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// debounce turns bursts of events into single firings: after quiet without an
// event, and limit after the first one at the latest.
type debounce struct {
	quiet, limit time.Duration
}

// loop runs until ctx ends or a channel is closed. An error counts as an event:
// an overflow means that events were lost, and then anything may have changed.
func (d debounce) loop(ctx context.Context, events <-chan fsnotify.Event, faults <-chan error, concerns func(string) bool, fault func(error), fire func()) {
	timer := time.NewTimer(d.quiet)
	timer.Stop()
	defer timer.Stop()
	var latest time.Time // when to fire at the latest; zero: nothing is due
	touch := func() {
		now := time.Now()
		if latest.IsZero() {
			latest = now.Add(d.limit)
		}
		timer.Reset(max(0, min(d.quiet, latest.Sub(now))))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-events:
			if !open {
				return
			}
			if concerns(event.Name) {
				touch()
			}
		case err, open := <-faults:
			if !open {
				return
			}
			fault(err)
			touch()
		case <-timer.C:
			latest = time.Time{}
			fire()
		}
	}
}
