package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	cancel    context.CancelFunc
	// wake ends a pause between tries.
	wake chan struct{}
	done chan struct{}

	mu       sync.Mutex
	want     want
	status   Status
	session  *session
	retired  bool
	lacking  bool
	movement chan struct{}
}

func newServer(w want, c *connector, t timing, tell func(string)) *server {
	s := &server{
		name: w.name, log: c.log, timing: t, tell: tell, connector: c,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
		want: w, movement: make(chan struct{}),
	}
	s.status = Status{State: StateStarting, Reason: startingReason(w), Since: time.Now()}
	return s
}

func startingReason(w want) string {
	if name := launcherName(w.conn.Command); name != "" && w.conn.Transport == config.TransportStdio {
		return "starting (" + name + ")"
	}
	return "starting"
}

// run connects and reconnects until its context ends. It begins when after is
// closed: the session it replaces must be gone first.
func (s *server) run(ctx context.Context, after <-chan struct{}) {
	defer close(s.done)
	if after != nil {
		select {
		case <-after:
		case <-ctx.Done():
			return
		}
	}
	failures := 0
	for ctx.Err() == nil {
		session, tools, err := s.connector.connect(ctx, s.wanted())
		if err == nil {
			s.connected(session, tools)
			s.follow(ctx, session)
			if ctx.Err() != nil {
				session.close()
				return
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
		if ctx.Err() != nil {
			return
		}
		failures = s.rest(ctx, err, failures+1)
	}
}

// rest tells of a failure and waits for the next try. It returns the number of
// failures the next one follows.
func (s *server) rest(ctx context.Context, err error, failures int) int {
	var reason *connectError
	lasting := errors.As(err, &reason) && reason.lasting
	lacking := reason != nil && reason.variables
	pause := s.timing.backoff(failures)
	next := fmt.Sprintf("next try in %s (%d of %d)", roughly(pause), failures, quickTries)
	if lasting || failures >= quickTries {
		pause = spread(s.timing.parked)
		next = "next try in " + roughly(pause)
	}
	s.failed(err.Error()+"; "+next, lacking)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
		if lasting {
			return quickTries - 1
		}
		return min(failures, quickTries-1)
	case <-s.wake:
		s.starting()
		return 0
	}
	return failures
}

func roughly(d time.Duration) string {
	if d >= time.Minute {
		return d.Round(time.Minute).String()
	}
	return d.Round(time.Second / 10).String()
}

// follow watches a session until it or the context ends, and reads the tool
// list again when the server says that it changed.
func (s *server) follow(ctx context.Context, session *session) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-session.dead:
			return
		case <-session.changed:
			s.settle(ctx, session)
			s.refresh(session)
		}
	}
}

// settle waits until the announcements have been quiet for a moment, or for too
// long not quiet: servers send several at once.
func (s *server) settle(ctx context.Context, session *session) {
	limit := time.NewTimer(s.timing.quietCap)
	defer limit.Stop()
	for {
		quiet := time.NewTimer(s.timing.quiet)
		select {
		case <-session.changed:
			quiet.Stop()
		case <-quiet.C:
			return
		case <-limit.C:
			quiet.Stop()
			return
		case <-ctx.Done():
			quiet.Stop()
			return
		case <-session.dead:
			quiet.Stop()
			return
		}
	}
}

func (s *server) refresh(session *session) {
	ctx, stop := context.WithTimeout(session.calls, s.timing.list)
	defer stop()
	tools, err := session.listTools(ctx, s.log)
	if err != nil {
		if session.alive() {
			s.log.note("the changed tool list could not be read; the old one stays: " + session.clean.clean(err.Error()))
		}
		return
	}
	s.update(func(status *Status) { status.Tools = tools })
}

// wanted returns the entry in force.
func (s *server) wanted() want {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.want
}

// keep takes over a snapshot's entry whose connection is the same. A server
// that lacked a variable is tried anew: it may be set now.
func (s *server) keep(w want) {
	s.mu.Lock()
	s.want = w
	lacking := s.lacking
	s.mu.Unlock()
	if lacking {
		s.poke()
	}
}

// poke ends a pause between tries.
func (s *server) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *server) connected(session *session, tools []Tool) {
	// A poke meant for the try that just worked is used up.
	select {
	case <-s.wake:
	default:
	}
	status := session.describe(tools)
	s.change(func() { s.session, s.lacking, s.status = session, false, status })
}

// disconnected takes the session away before it is closed, so that no call
// begins on it.
func (s *server) disconnected(err error) {
	s.log.note(err.Error())
	s.change(func() {
		s.session = nil
		s.status = Status{State: StateStarting, Reason: "reconnecting: " + err.Error(), Since: time.Now()}
	})
}

func (s *server) starting() {
	reason := startingReason(s.wanted())
	s.change(func() { s.status = Status{State: StateStarting, Reason: reason, Since: time.Now()} })
}

func (s *server) failed(reason string, lacking bool) {
	s.log.note(reason)
	s.change(func() {
		since := time.Now()
		if s.status.State == StateFailed {
			since = s.status.Since
		}
		s.lacking = lacking
		s.status = Status{State: StateFailed, Reason: reason, Since: since}
	})
}

// retire makes waiting and new calls look elsewhere. Running ones go on.
func (s *server) retire() {
	s.mu.Lock()
	s.retired = true
	close(s.movement)
	s.movement = make(chan struct{})
	s.mu.Unlock()
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
	return status, s.movement
}

// errReplaced sends a call to the server's successor.
var errReplaced = errors.New("the server was replaced")

// acquire returns the live session. It waits while the server starts.
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
		case session == nil && status.State != StateStarting:
			return nil, &callError{server: s.name, reason: "it is not connected: " + status.Reason, kind: ErrNotSent}
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
