package mcp

import (
	"reflect"

	"hermes/backend/config"
)

// admits asks whether a tool may be called as the session lists it now. The
// list a call was chosen from may be older than the session: a server that
// starts at its first call, or comes back, may describe the tool otherwise.
func (s *server) admits(session *session, tool string) error {
	admit := s.connector.dialer.admit
	if admit == nil || tool == "" {
		return nil
	}
	s.mu.Lock()
	current, tools := s.session == session, s.status.Tools
	s.mu.Unlock()
	if !current {
		return errReplaced
	}
	if err := admit(s.name, tool, tools); err != nil {
		return &callError{server: s.name, reason: err.Error(), kind: ErrNotSent, cause: err}
	}
	return nil
}

// Serves tells whether what Status says of a server from now on is of this
// connection: a change of the file may not have reached the server yet.
func (m *Manager) Serves(server string, conn config.Connection) bool {
	m.mu.Lock()
	running := m.servers[server]
	m.mu.Unlock()
	return running != nil && reflect.DeepEqual(running.wanted().conn, conn)
}
