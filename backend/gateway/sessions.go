package gateway

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessions keeps account of the clients of the older protocol, who may vanish
// without a word. The SDK's own limit counts only requests, so it would end the
// session of a client that listens.
type sessions struct {
	server  *mcp.Server
	timeout time.Duration
	most    int

	mu sync.Mutex
	// use is by session id; opening counts the requests that may begin one.
	use     map[string]*use
	opening int
}

type use struct {
	open int
	last time.Time
}

func newSessions(server *mcp.Server, o HTTPOptions) *sessions {
	return &sessions{
		server: server, timeout: cmp.Or(o.SessionTimeout, 30*time.Minute), most: cmp.Or(o.MaxSessions, 64), use: map[string]*use{},
	}
}

// enter counts a request in. One without a session may begin a new one: where
// there are too many, the longest idle one makes room, and with none idle it is
// refused. leave is told the session that the answer names.
func (s *sessions) enter(r *http.Request) (leave func(begun string), ok bool) {
	id := r.Header.Get(sessionHeader)
	if id != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if found := s.use[id]; found != nil {
			found.open++
		}
		over := r.Method == http.MethodDelete
		return func(string) { s.leave(id, over) }, true
	}
	s.mu.Lock()
	oldest := ""
	full := len(s.use)+s.opening >= s.most
	if full {
		if oldest = s.idlest(); oldest == "" {
			s.mu.Unlock()
			return nil, false
		}
		delete(s.use, oldest)
	}
	s.opening++
	s.mu.Unlock()
	if full {
		s.end(oldest)
	}
	return func(begun string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opening--
		if begun != "" && s.use[begun] == nil {
			s.use[begun] = &use{last: time.Now()}
		}
	}, true
}

func (s *sessions) leave(id string, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if over {
		delete(s.use, id)
	}
	if found := s.use[id]; found != nil {
		found.open--
		found.last = time.Now()
	}
}

// idlest is the session that nobody has used for longest. The lock is held.
func (s *sessions) idlest() string {
	found := ""
	for id, u := range s.use {
		if u.open == 0 && (found == "" || u.last.Before(s.use[found].last)) {
			found = id
		}
	}
	return found
}

// end closes sessions of the SDK.
func (s *sessions) end(ids ...string) {
	for session := range s.server.Sessions() {
		if id := session.ID(); id != "" && slices.Contains(ids, id) {
			_ = session.Close()
		}
	}
}

// tend ends idle sessions until ctx ends, and forgets those that said goodbye.
func (s *sessions) tend(ctx context.Context) {
	tick := time.NewTicker(max(s.timeout/10, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		here := map[string]bool{}
		for session := range s.server.Sessions() {
			here[session.ID()] = true
		}
		s.mu.Lock()
		idle := []string{}
		maps.DeleteFunc(s.use, func(id string, u *use) bool {
			over := u.open == 0 && time.Since(u.last) >= s.timeout
			if over {
				idle = append(idle, id)
			}
			return over || !here[id]
		})
		s.mu.Unlock()
		s.end(idle...)
	}
}

// close ends all sessions.
func (s *sessions) close() {
	s.mu.Lock()
	ids := slices.Collect(maps.Keys(s.use))
	s.use = map[string]*use{}
	s.mu.Unlock()
	s.end(ids...)
}
