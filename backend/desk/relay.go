package desk

import (
	"context"
	"sync"

	"hermes/backend/host"
	"hermes/backend/view"
)

// relays are the running subscriptions of faces. A face subscribes once and
// keeps hearing when UseHome replaces the host.
type relays struct {
	running sync.WaitGroup
	mu      sync.Mutex
	moved   chan struct{} // closed when the host is replaced
}

func newRelays() *relays { return &relays{moved: make(chan struct{})} }

func (r *relays) wait() { r.running.Wait() }

func (r *relays) next() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.moved
}

func (r *relays) move() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.moved)
	r.moved = make(chan struct{})
}

// Subscribe hands out the small events that a face listens to. The channel is
// closed when ctx ends, when the desk closes, and when the reader is too slow;
// then it subscribes again and asks for everything anew. Whoever subscribes shows
// questions to a person: without a subscriber every question is cancelled at once.
func (d *Desk) Subscribe(ctx context.Context) <-chan view.Signal {
	out := make(chan view.Signal)
	ctx, cancel := context.WithCancel(ctx)
	// The first subscription is made before Subscribe returns: nothing that
	// happens from then on is missed.
	moved := d.relays.next()
	h := d.current()
	in, leave := h.Subscribe(ctx), h.Attend()
	d.relays.running.Go(func() {
		defer close(out)
		defer cancel()
		defer context.AfterFunc(d.ctx, cancel)()
		defer func() { leave() }()
		for relay(ctx, in, moved, out) {
			leave()
			moved = d.relays.next()
			h = d.current()
			in, leave = h.Subscribe(ctx), h.Attend()
		}
	})
	return out
}

// relay hands signals on until the host is replaced (true) or there are no
// more (false).
func relay(ctx context.Context, in <-chan host.Signal, moved <-chan struct{}, out chan<- view.Signal) bool {
	for {
		select {
		case <-moved:
			select {
			case out <- view.Signal{Topic: string(host.TopicOverview)}:
				return true
			case <-ctx.Done():
				return false
			}
		case s, ok := <-in:
			if !ok {
				// A host that is closed because it was replaced is no end.
				select {
				case <-moved:
					continue
				default:
					return false
				}
			}
			select {
			case out <- signalView(s):
			case <-ctx.Done():
				return false
			}
		}
	}
}

func signalView(s host.Signal) view.Signal {
	signal := view.Signal{Topic: string(s.Topic), Revision: s.Revision}
	if s.Topic == host.TopicChat {
		event := chatView(s.Session, s.Event, previewLimit)
		signal.Chat = &event
	}
	return signal
}
