package mcp

import (
	"context"
	"errors"
	"slices"
	"time"
)

// wanted returns the entry in force.
func (s *server) wanted() want {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.want
}

// keep takes over a snapshot's entry whose connection is the same. One that
// failed is tried anew where the entry or `.env` changed: what it lacked may be
// there now. It tells whether the server is to be started that waited to be
// needed.
func (s *server) keep(w want) (hurried bool) {
	s.mu.Lock()
	changed := s.want.edition != w.edition || s.lacking
	hurried = s.want.lazy && !w.lazy
	s.want = w
	stuck := s.status.State.stuck()
	s.mu.Unlock()
	if stuck && changed {
		s.poke()
	}
	offer(s.kept)
	return hurried
}

// stuck tells whether a server does not run because of a failure.
func (s State) stuck() bool {
	return s == StateFailed || s == StateParked || s == StateNeedsAuth
}

// offer leaves a token where there is none.
func offer(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// poke ends a pause between tries.
func (s *server) poke() { offer(s.wake) }

// need starts a server that waits to be needed.
func (s *server) need() {
	s.mu.Lock()
	ready := s.status.State == StateReady
	s.mu.Unlock()
	if !ready {
		return
	}
	s.change(func() {
		if s.status.State != StateReady {
			return
		}
		s.status.State, s.status.Reason, s.status.Since = StateStarting, startingReason(s.want), time.Now()
		offer(s.demand)
	})
}

// retry begins a try at once where there is no session, and lets calls through
// again where there is one.
func (s *server) retry() {
	status, _ := s.look()
	switch {
	case status.State == StateReady:
		s.need()
	case status.State.stuck():
		s.poke()
	case s.breaker.reset():
		s.change(func() {})
	}
}

func (s *server) connected(session *session, tools []Tool) {
	// A poke meant for the try that just worked is used up.
	select {
	case <-s.wake:
	default:
	}
	status := session.describe(tools)
	s.change(func() {
		status.Latency = s.status.Latency
		s.session, s.lacking, s.status, s.used = session, false, status, time.Now()
	})
}

// disconnected takes the session away before it is closed, so that no call
// begins on it. What it said of itself stays known.
func (s *server) disconnected(err error) {
	s.log.note(err.Error())
	s.change(func() {
		s.session = nil
		s.move(StateStarting, "reconnecting: "+err.Error())
	})
}

// asleep is disconnected for a program that is ended because nobody needs it.
func (s *server) asleep(reason string) {
	s.log.note(reason)
	s.change(func() {
		s.session = nil
		s.move(StateReady, reason+"; it starts again at the next call")
	})
}

func (s *server) starting() {
	s.change(func() { s.move(StateStarting, startingReason(s.want)) })
}

func (s *server) failed(state State, err error, pause time.Duration) {
	var reason *connectError
	next := ""
	if pause > 0 {
		next = "; next try in " + roughly(pause)
	}
	s.log.note(err.Error() + next)
	s.change(func() {
		s.lacking = errors.As(err, &reason) && reason.variables
		s.move(state, err.Error())
		if pause > 0 {
			s.status.NextTry = time.Now().Add(pause)
		}
	})
}

// move changes the state. The lock is held.
func (s *server) move(state State, reason string) {
	if s.status.State != state {
		s.status.Since = time.Now()
	}
	s.status.State, s.status.Reason, s.status.NextTry, s.status.PID = state, reason, time.Time{}, 0
}

func roughly(d time.Duration) string {
	if d >= time.Minute {
		return d.Round(time.Minute).String()
	}
	return d.Round(time.Second / 10).String()
}

// retire makes waiting and new calls look elsewhere. Running ones go on.
func (s *server) retire() {
	s.mu.Lock()
	s.retired = true
	close(s.movement)
	s.movement = make(chan struct{})
	s.mu.Unlock()
}

func (s *server) replaced() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retired
}

// idle tells that there is no session on which a call could run.
func (s *server) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session == nil
}

func (s *server) update(f func(*Status)) { s.change(func() { f(&s.status) }) }

func (s *server) change(f func()) {
	s.mu.Lock()
	f()
	close(s.movement)
	s.movement = make(chan struct{})
	quiet := s.retired
	s.mu.Unlock()
	if !quiet {
		s.tell(s.name)
	}
}

// look returns the status and a channel that closes at the next change.
func (s *server) look() (Status, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status
	status.Noise = s.log.noiseCount()
	if status.State == StateConnected {
		status.Reason = s.breaker.words(time.Now())
	}
	return status, s.movement
}

// errReplaced sends a call to the server's successor.
var errReplaced = errors.New("the server was replaced")

// acquire returns the live session. It waits while the server starts, and
// starts one that waits to be needed.
func (s *server) acquire(ctx context.Context) (*session, error) {
	for {
		s.mu.Lock()
		session, status, movement, retired := s.session, s.status, s.movement, s.retired
		s.mu.Unlock()
		switch {
		case retired:
			return nil, errReplaced
		case session != nil && session.alive():
			return session, nil
		case status.State == StateReady:
			s.need()
			continue
		case session == nil && status.State != StateStarting:
			return nil, &callError{server: s.name, reason: "it is not connected: " + status.Reason + nextTry(status), kind: ErrNotSent}
		}
		select {
		case <-movement:
		case <-s.done:
			return nil, errReplaced
		case <-ctx.Done():
			return nil, &callError{server: s.name, reason: "it did not connect in time: " + status.Reason, kind: ErrNotSent, cause: ctx.Err()}
		}
	}
}

// nextTry says when a server that failed is tried again, "" for not by itself.
func nextTry(status Status) string {
	if left := time.Until(status.NextTry); left > 0 {
		return "; next try in " + roughly(left)
	}
	return ""
}

// overlaps tells whether a call of the tool may run beside others: the entry
// says so for all, or the server is trusted and calls the tool read-only.
func (s *server) overlaps(tool string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.want.parallel {
		return true
	}
	if !s.want.trusted {
		return false
	}
	i := slices.IndexFunc(s.status.Tools, func(t Tool) bool { return t.Name == tool })
	return i >= 0 && s.status.Tools[i].ReadOnly != nil && *s.status.Tools[i].ReadOnly
}
