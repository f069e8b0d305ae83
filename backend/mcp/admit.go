package mcp

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
