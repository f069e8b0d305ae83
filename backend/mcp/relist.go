package mcp

import (
	"context"
	"sync"
)

// Relist reads the tool lists of all connected servers anew, all at once, and
// returns when that is done or ctx ends; what is not read by then is read in the
// background. A list that cannot be read stays as it is.
func (m *Manager) Relist(ctx context.Context) {
	var reading sync.WaitGroup
	m.mu.Lock()
	for _, s := range m.servers {
		if m.closed {
			break
		}
		reading.Add(1)
		m.work.Go(func() {
			defer reading.Done()
			s.mu.Lock()
			session := s.session
			s.mu.Unlock()
			if session != nil && session.alive() {
				s.refresh(session)
			}
		})
	}
	m.mu.Unlock()
	read := make(chan struct{})
	go func() {
		defer close(read)
		reading.Wait()
	}()
	select {
	case <-read:
	case <-ctx.Done():
	}
}
