package host

import (
	"slices"
	"sync"

	"hermes/backend/message"
)

// speaker is the sink of one running turn, so that what a server does meanwhile
// can be told in the chat that waits for it. Events come one at a time.
type speaker struct {
	session string

	mu   sync.Mutex
	sink func(message.Event)
}

func newSpeaker(session string, sink func(message.Event)) *speaker {
	return &speaker{session: session, sink: sink}
}

// say hands an event on, as long as the turn runs.
func (s *speaker) say(event message.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sink != nil {
		s.sink(event)
	}
}

func (s *speaker) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink = nil
}

// callers know which turns wait for which server. The zero value knows none.
type callers struct {
	mu      sync.Mutex
	waiting map[string][]*speaker
}

// enter notes a call of a turn; nil is for a call of nobody's turn.
func (c *callers) enter(server string, s *speaker) (leave func()) {
	if s == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[string][]*speaker{}
	}
	c.waiting[server] = append(c.waiting[server], s)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		all := c.waiting[server]
		if at := slices.Index(all, s); at >= 0 {
			all = slices.Delete(all, at, at+1)
		}
		if c.waiting[server] = all; len(all) == 0 {
			delete(c.waiting, server)
		}
	}
}

// of gives the turns that wait for a server, each once.
func (c *callers) of(server string) []*speaker {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*speaker
	for _, s := range c.waiting[server] {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// session is the chat that waits for a server, where it is the only one.
func (c *callers) session(server string) string {
	if all := c.of(server); len(all) == 1 {
		return all[0].session
	}
	return ""
}

// announce tells what a server did: to the log, and in the chats that wait for
// it. The server is the first parameter of its code.
func (h *Host) announce(server string, code message.Code, params ...string) {
	notice := message.Notice(code, append([]string{server}, params...)...)
	h.options.Logger.Info(notice.Text, "server", server)
	for _, s := range h.callers.of(server) {
		s.say(notice)
	}
}
