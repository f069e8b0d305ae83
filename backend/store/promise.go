package store

// PromiseSession gives the id of a session that is stored with its first row, so
// that a turn which ends before it leaves no empty one. To this program it is
// there already. Of the description only Title, Source and Model are used.
func (s *Store) PromiseSession(describe Session) (string, error) {
	now := s.now().UTC()
	id, err := newID(now)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.promises == nil {
		s.promises = map[string]Session{}
	}
	s.promises[id] = Session{ID: id, Title: describe.Title, Source: describe.Source, Model: describe.Model, Created: now, Updated: now}
	return id, nil
}

// Promised gives a session that PromiseSession named and that has no row yet.
func (s *Store) Promised(id string) (Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, is := s.promises[id]
	return session, is
}

// kept ends a promise: the session is stored.
func (s *Store) kept(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.promises, id)
}
