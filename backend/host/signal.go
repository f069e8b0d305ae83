package host

import (
	"context"
	"sync"

	"hermes/backend/message"
)

// Topic says what a Signal is about.
type Topic string

// The topics: look at the servers, the file, the overview, the open questions
// again; or one event of a turn.
const (
	TopicServers   Topic = "servers"
	TopicConfig    Topic = "config"
	TopicOverview  Topic = "overview"
	TopicChat      Topic = "chat"
	TopicQuestions Topic = "questions"
)

// Signal is a small event for everybody who listens. Session and Event are set
// for TopicChat.
type Signal struct {
	Topic    Topic
	Revision string
	Session  string
	Event    message.Event
}

// backlog is how many signals a listener may be behind before it is let go; it
// then asks for everything anew.
const backlog = 4096

type fanout struct {
	mu        sync.Mutex
	closed    bool
	listeners map[chan Signal]struct{}
}

func newFanout() *fanout { return &fanout{listeners: map[chan Signal]struct{}{}} }

// Subscribe gives every signal from now on. The channel is closed when ctx
// ends, when the host closes, or when the listener is too slow.
func (h *Host) Subscribe(ctx context.Context) <-chan Signal {
	f := h.signals
	ch := make(chan Signal, backlog)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		close(ch)
		return ch
	}
	f.listeners[ch] = struct{}{}
	context.AfterFunc(ctx, func() { f.drop(ch) })
	return ch
}

func (f *fanout) drop(ch chan Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.listeners[ch]; ok {
		delete(f.listeners, ch)
		close(ch)
	}
}

func (f *fanout) send(s Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ch := range f.listeners {
		select {
		case ch <- s:
		default:
			delete(f.listeners, ch)
			close(ch)
		}
	}
}

func (f *fanout) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for ch := range f.listeners {
		close(ch)
	}
	clear(f.listeners)
}
