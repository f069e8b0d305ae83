package watch

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// debounce turns bursts of events into single firings: after quiet without an
// event, and limit after the first one at the latest. again are the pauses after
// which a firing that settled nothing is repeated without an event.
type debounce struct {
	quiet, limit time.Duration
	again        []time.Duration
}

// feed is what a debounce listens to and what it drives.
type feed struct {
	// source gives the channels of the moment; nil ones are never ready.
	source   func() (<-chan fsnotify.Event, <-chan error)
	concerns func(string) bool
	fault    func(error)
	// asked holds who wants a firing and waits for its end.
	asked <-chan chan struct{}
	// fire is told whether it happens in the middle of events, and tells whether
	// what it saw may be taken for the end of them.
	fire func(moving bool) (settled bool)
}

// pace is when a debounce fires next.
type pace struct {
	debounce
	timer  *time.Timer
	latest time.Time // when to fire at the latest; zero: nothing is due
	last   time.Time // the latest event
	tries  int       // firings in a row that settled nothing
}

// touch puts the firing off, up to the limit.
func (p *pace) touch() {
	now := time.Now()
	if p.latest.IsZero() {
		p.latest = now.Add(p.limit)
	}
	p.last = now
	p.timer.Reset(max(0, min(p.quiet, p.latest.Sub(now))))
}

// fired plans the next firing after one.
func (p *pace) fired(settled bool) {
	p.latest = time.Time{}
	switch {
	case settled:
		p.tries = 0
	case p.tries < len(p.again):
		p.timer.Reset(p.again[p.tries])
		p.tries++
	}
}

// loop runs until ctx ends or a channel is closed; settled is what a firing just
// before it said. An error counts as an event: an overflow means that events
// were lost, and then anything may have changed.
func (d debounce) loop(ctx context.Context, f feed, settled bool) {
	p := &pace{debounce: d, timer: time.NewTimer(d.quiet)}
	p.timer.Stop()
	defer p.timer.Stop()
	p.fired(settled)
	var waiting []chan struct{}
	defer func() {
		for _, done := range waiting {
			close(done)
		}
	}()
	for {
		events, faults := f.source()
		select {
		case <-ctx.Done():
			return
		case event, open := <-events:
			if !open {
				return
			}
			if f.concerns(event.Name) {
				p.tries = 0
				p.touch()
			}
		case err, open := <-faults:
			if !open {
				return
			}
			f.fault(err)
			p.touch()
		case done := <-f.asked:
			waiting = append(waiting, done)
			p.touch()
		case <-p.timer.C:
			moving := time.Since(p.last) < p.quiet
			p.fired(f.fire(moving))
			for _, done := range waiting {
				close(done)
			}
			waiting = nil
		}
	}
}
