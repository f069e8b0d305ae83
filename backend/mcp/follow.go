package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"hermes/backend/config"
)

// follow watches a session until it or the context ends, reads the tool list
// again when the server says that it changed, and looks after the session. It
// tells whether it put the server to rest.
func (s *server) follow(ctx context.Context, session *session) bool {
	care := newUpkeep(s, session)
	defer care.stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-session.dead:
			return false
		case <-session.changed:
			s.settle(ctx, session)
			s.refresh(session)
		case <-s.kept:
		case <-care.timer.C:
			if care.look(time.Now()) {
				return true
			}
		case err := <-care.pong:
			care.heard(err)
		case leave := <-care.turn:
			s.asleep("ended after " + roughly(time.Since(session.born)) + ", as \"max_lifetime_seconds\" asks")
			leave()
			return true
		}
		care.wind(time.Now())
	}
}

// upkeep looks after a live session: signs of life while it is idle, and the
// end of a program that is not used or old. It has one timer, set for the next
// thing that is due, and none where nothing is ever due.
type upkeep struct {
	server  *server
	session *session
	timer   *time.Timer
	ctx     context.Context
	stop    context.CancelFunc
	// seen is when a call was running or a ping was sent.
	seen, asked time.Time
	// pong gets the answer to a ping; asking tells that one is on its way.
	pong   chan error
	asking bool
	// turn gets the end of our turn in the lane, once the program is to end.
	turn   chan func()
	ending bool
}

func newUpkeep(s *server, session *session) *upkeep {
	ctx, stop := context.WithCancel(session.calls)
	u := &upkeep{
		server: s, session: session, ctx: ctx, timer: time.NewTimer(time.Hour),
		pong: make(chan error, 1), turn: make(chan func()),
	}
	u.stop = func() { stop(); u.timer.Stop() }
	u.wind(time.Now())
	return u
}

// upkeepPlan is when each thing is due by the entry in force, zero for never.
type upkeepPlan struct{ ping, idle, old time.Time }

func (u *upkeep) plan() upkeepPlan {
	conn := u.server.wanted().conn
	u.server.mu.Lock()
	quiet := u.server.used
	u.server.mu.Unlock()
	if quiet.Before(u.seen) {
		quiet = u.seen
	}
	var p upkeepPlan
	if conn.Keepalive > 0 && !u.asking && u.session.pingable() {
		p.ping = quiet.Add(conn.Keepalive)
		if after := u.asked.Add(conn.Keepalive); after.After(p.ping) {
			p.ping = after
		}
	}
	if conn.Transport != config.TransportStdio || u.ending {
		return p
	}
	if conn.IdleTimeout > 0 {
		p.idle = quiet.Add(conn.IdleTimeout)
	}
	if conn.MaxLifetime > 0 {
		p.old = u.session.born.Add(conn.MaxLifetime)
	}
	return p
}

// pingable tells whether the session's protocol has a ping: the newest has none.
func (s *session) pingable() bool { return s.client.InitializeResult().ProtocolVersion < firstModern }

// wind sets the timer for what is due next.
func (u *upkeep) wind(now time.Time) {
	p := u.plan()
	var next time.Time
	for _, at := range []time.Time{p.ping, p.idle, p.old} {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	u.timer.Stop()
	if !next.IsZero() {
		u.timer.Reset(max(next.Sub(now), 0))
	}
}

// look does what is due and tells whether the server was put to rest.
func (u *upkeep) look(now time.Time) bool {
	due := func(at time.Time) bool { return !at.IsZero() && !at.After(now) }
	p := u.plan()
	if due(p.old) {
		u.takeTurn()
	}
	if !due(p.idle) && !due(p.ping) {
		return false
	}
	leave, free := u.server.calls.try()
	if !free {
		u.seen = now
		return false
	}
	defer leave()
	if due(p.idle) {
		u.server.asleep("not used for " + roughly(u.server.wanted().conn.IdleTimeout))
		return true
	}
	u.ping(now)
	return false
}

// takeTurn waits for the running calls of a program that is to end.
func (u *upkeep) takeTurn() {
	u.ending = true
	go func() {
		leave, err := u.server.calls.enter(u.ctx, false)
		if err != nil {
			return
		}
		select {
		case u.turn <- leave:
		case <-u.ctx.Done():
			leave()
		}
	}()
}

// ping asks for a sign of life. Nobody waits for it here.
func (u *upkeep) ping(now time.Time) {
	u.asked, u.asking = now, true
	go func() {
		ctx, stop := context.WithTimeout(u.ctx, u.server.timing.ping)
		defer stop()
		u.pong <- u.session.client.Ping(ctx, nil)
	}()
}

// heard judges the answer to a ping. Any word of the server is a sign of life,
// also that it knows no ping, and so is the answer to a call meanwhile.
func (u *upkeep) heard(err error) {
	u.asking = false
	var refused *jsonrpc.Error
	u.server.mu.Lock()
	used := u.server.used.After(u.asked)
	u.server.mu.Unlock()
	if err == nil || errors.As(err, &refused) || used || u.ctx.Err() != nil {
		return
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no sign of life within %s", u.server.timing.ping)
	}
	u.session.abandon(err)
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
