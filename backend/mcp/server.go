package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"hermes/backend/config"
)

// server supervises one configured server: it connects, follows the session,
// and connects again. One goroutine, run, owns all of it.
type server struct {
	name   string
	log    *serverLog
	timing timing
	// tell is called after every change, without a lock.
	tell func(name string)

	connector *connector
	calls     lane
	breaker   *breaker
	cancel    context.CancelFunc
	// end lets running calls finish and stops the server; it may be called more
	// than once and does not wait.
	end func()
	// wake ends a pause between tries, and demand the rest of a server that is
	// not started before it is needed: it holds one token for each time the
	// state went from StateReady to StateStarting.
	wake, demand chan struct{}
	// kept is told of each new snapshot that keeps the session.
	kept chan struct{}
	done chan struct{}

	mu      sync.Mutex
	want    want
	status  Status
	session *session
	// used is when a call last was on its way.
	used     time.Time
	retired  bool
	lacking  bool
	movement chan struct{}
}

// newServer makes the supervision of a server. asleep leaves it unstarted until
// somebody needs it.
func newServer(w want, c *connector, t timing, asleep bool, tell func(string)) *server {
	s := &server{
		name: w.name, log: c.log, timing: t, tell: tell, connector: c, breaker: newBreaker(t),
		wake: make(chan struct{}, 1), demand: make(chan struct{}, 1), kept: make(chan struct{}, 1),
		done: make(chan struct{}), want: w, movement: make(chan struct{}),
	}
	s.status = Status{State: StateStarting, Reason: startingReason(w), Since: time.Now()}
	if asleep {
		s.status = Status{State: StateReady, Since: time.Now()}
	}
	return s
}

func startingReason(w want) string {
	if name := launcherName(w.conn.Command); name != "" && w.conn.Transport == config.TransportStdio {
		return "starting (" + name + ")"
	}
	return "starting"
}

// run connects and reconnects until its context ends. old is the supervision
// that this one replaces, nil for none: it ends when the first session is there
// or did not come about, and before this one in any case.
func (s *server) run(ctx context.Context, old *server, asleep bool) {
	defer close(s.done)
	defer func() {
		if old != nil {
			old.end()
			<-old.done
		}
	}()
	if asleep && old != nil {
		old.end()
	}
	failures := 0
	// One that is replaced while it has a session does not get another.
	for ctx.Err() == nil && !s.replaced() {
		if asleep && !s.rouse(ctx) {
			return
		}
		session, err := s.open(ctx)
		if old != nil && ctx.Err() == nil {
			session, err = s.relieve(ctx, old, session, err)
			old = nil
		}
		if err == nil {
			asleep = s.follow(ctx, session)
			if asleep || ctx.Err() != nil {
				session.close()
				continue
			}
			err = &connectError{reason: session.ending()}
			s.disconnected(err)
			session.close()
			if session.proven(s.timing) {
				failures = 0
			}
			if failures == 0 {
				// The first loss is met at once; calls wait for it.
				failures = 1
				continue
			}
		}
		if ctx.Err() == nil {
			failures = s.rest(ctx, err, failures+1)
		}
	}
}

// rouse waits until somebody needs the program.
func (s *server) rouse(ctx context.Context) bool {
	select {
	case <-s.demand:
		return true
	case <-ctx.Done():
		return false
	}
}

// open connects once.
func (s *server) open(ctx context.Context) (*session, error) {
	s.mu.Lock()
	s.status.Attempts++
	s.mu.Unlock()
	session, tools, err := s.connector.connect(ctx, s.wanted())
	if err != nil {
		return nil, err
	}
	s.connected(session, tools)
	return session, nil
}

// relieve ends the supervision that this one replaces, after the first try. A
// changed entry does not leave the old program in force because its successor
// fails; and as the two may want the same port or file, the try is made once
// more when the old program is gone.
func (s *server) relieve(ctx context.Context, old *server, session *session, err error) (*session, error) {
	old.end()
	var reason *connectError
	if err == nil || errors.As(err, &reason) && reason.lasting || s.wanted().conn.Transport != config.TransportStdio {
		return session, err
	}
	s.log.note(err.Error() + "; trying again when the one before has ended")
	select {
	case <-old.done:
		return s.open(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// rest tells of a failure and waits for the next try. It returns the number of
// failures the next one follows.
func (s *server) rest(ctx context.Context, err error, failures int) int {
	state, pause := s.timing.outlook(err, failures)
	var again <-chan time.Time
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		again = timer.C
	}
	s.failed(state, err, pause)
	select {
	case <-ctx.Done():
	case <-again:
		return min(failures, quickTries-1)
	case <-s.wake:
		s.starting()
		return 0
	}
	return failures
}

// outlook says what becomes of a server after a number of failures in a row:
// its state, and the pause before the next try, 0 for none by itself.
func (t timing) outlook(err error, failures int) (State, time.Duration) {
	var reason *connectError
	known := errors.As(err, &reason)
	switch {
	case known && reason.login:
		return StateNeedsAuth, 0
	case known && reason.variables:
		return StateFailed, 0
	case known && reason.lasting:
		return StateParked, 0
	case failures >= quickTries:
		return StateParked, spread(t.parked)
	}
	return StateFailed, t.backoff(failures)
}
