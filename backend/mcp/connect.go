package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"hermes/backend/config"
)

// era is what is known of a server's protocol. It is remembered as long as its
// connection stays the same, so that a server is probed once.
type era int

const (
	eraUnknown era = iota
	// eraOlder needs the handshake of olderProtocol.
	eraOlder
	// eraModern knows server/discover.
	eraModern
)

// memory keeps the eras of servers beyond one run of the program. Both may be
// nil.
type memory struct {
	modern   func(server string) (modern, known bool)
	onModern func(server string, modern bool)
}

// connector opens sessions for one server and remembers its era.
type connector struct {
	dialer *dialer
	log    *serverLog
	memory memory
	era    era
	// told is set once the era was met by ourselves, recalled once an earlier
	// run's was asked for.
	told, recalled bool
	// remembered is set while era is what a session of the server showed, and
	// not a guess.
	remembered bool
	// older is set once a url answered only to the older HTTP transport.
	older bool
}

// connect opens a session and reads the tools. It tries at most twice: with the
// probe, then with a fresh process pinned to the older protocol, because some
// servers end or hang on a request they do not know before the handshake.
func (c *connector) connect(ctx context.Context, w want) (*session, []Tool, error) {
	conn, clean, err := c.expand(w)
	if err != nil {
		return nil, nil, err
	}
	c.log.note("starting: " + w.conn.Target())
	if c.older {
		conn.Transport = config.TransportSSE
	}
	s, err := c.handshake(ctx, w, conn, clean)
	var refused *connectError
	if errors.As(err, &refused) && refused.status != 0 && conn.Transport == config.TransportHTTP && !conn.StrictRedirects {
		s, err = c.handshakeOlder(ctx, w, conn, clean, err)
	}
	if err != nil {
		return nil, nil, confinedHint(conn, err)
	}
	limited, stop := context.WithTimeout(s.calls, c.dialer.timing.list)
	defer stop()
	tools, err := s.listTools(limited, c.log)
	if err != nil {
		reason := "the tool list could not be read: " + clean.clean(err.Error())
		if !s.alive() {
			reason = s.ending()
		}
		s.close()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, confinedHint(conn, &connectError{reason: reason})
	}
	return s, tools, nil
}

// confinedHint adds to why a program did not start that its limit may be the
// reason: what it says itself seldom tells. Where we did not start it at all, the
// reason is a better one.
func confinedHint(conn config.Connection, err error) error {
	var reason *connectError
	if conn.Confinement.On && errors.As(err, &reason) && !reason.lasting {
		reason.reason += "; `folders` may keep it from files it needs"
	}
	return err
}

// expand fills in the variables and learns which values must not be written.
func (c *connector) expand(w want) (config.Connection, redactor, error) {
	conn, err := w.expand(w.conn)
	if err != nil {
		return config.Connection{}, redactor{}, &connectError{reason: err.Error(), lasting: true, variables: true}
	}
	values := map[string]string{w.conn.URL: conn.URL, w.conn.Command: conn.Command}
	for i, template := range w.conn.Args {
		if i < len(conn.Args) {
			values[template] = conn.Args[i]
		}
	}
	for name := range maps.Keys(w.conn.Env) {
		values[w.conn.Env[name]] = conn.Env[name]
	}
	for name := range maps.Keys(w.conn.Headers) {
		values[w.conn.Headers[name]] = conn.Headers[name]
	}
	values[w.conn.TLS.Password] = conn.TLS.Password
	written := slices.Concat(suspicious(conn.Env), suspicious(conn.Headers), w.conn.Secrets(), conn.Secrets())
	return conn, newRedactor(values, written), nil
}

func (c *connector) handshake(ctx context.Context, w want, conn config.Connection, clean redactor) (*session, error) {
	started := time.Now()
	limit := c.limit(conn)
	c.recall(w.name)
	first := c.greeting(conn, limit)
	s, err := c.dialer.shake(ctx, w, conn, clean, c.log, first)
	if err == nil {
		c.learn(w.name, conn, s)
		return s, nil
	}
	var reason *connectError
	if !errors.As(err, &reason) || reason.lasting || ctx.Err() != nil || chosen(conn) {
		return nil, err
	}
	second := greeting{pinned: true}
	switch {
	case first.pinned && (reason.answered || c.remembered):
		// It may have been replaced by a server of the newest protocol, which
		// refuses the older handshake or ends at it.
		c.era, c.told, c.remembered = eraUnknown, false, false
		second = c.greeting(conn, limit)
	case first.pinned:
		return nil, err
	case reason.modern:
		// It knows the newest protocol and was only slow to say so.
		c.era, second.pinned = eraModern, false
	case c.era == eraUnknown:
		// One process a try is enough for a server that does not start at all.
		c.era = eraOlder
	}
	if second.limit = limit - time.Since(started); second.limit < limit/10 {
		return nil, err
	}
	c.log.note(fmt.Sprintf("no session yet (%v); trying again with %s", err, second.protocol()))
	s, again := c.dialer.shake(ctx, w, conn, clean, c.log, second)
	if again == nil {
		c.learn(w.name, conn, s)
		return s, nil
	}
	var later *connectError
	if reason.answered && errors.As(again, &later) && !later.answered {
		// What the server said tells more than how it ended.
		return nil, err
	}
	return nil, again
}

// handshakeOlder tries the HTTP transport with one stream for all answers, as
// the specification asks of clients whose first POST is refused. The first
// error is the better one when this does not work either.
func (c *connector) handshakeOlder(ctx context.Context, w want, conn config.Connection, clean redactor, first error) (*session, error) {
	c.log.note(fmt.Sprintf("%v; trying the older transport", first))
	conn.Transport = config.TransportSSE
	s, err := c.dialer.shake(ctx, w, conn, clean, c.log, greeting{pinned: true, limit: c.limit(conn)})
	if err != nil {
		return nil, first
	}
	c.older = true
	return s, nil
}

// greeting is the first of a try.
func (c *connector) greeting(conn config.Connection, limit time.Duration) greeting {
	g := greeting{limit: limit, pinned: c.era == eraOlder}
	switch {
	case conn.Protocol == config.ProtocolLegacy:
		g.pinned = true
		return g
	case conn.Protocol == config.ProtocolModern:
		g.pinned, g.modern = false, true
	case c.era != eraUnknown:
		return g
	}
	g.patience.probe = c.dialer.timing.probe
	if launcherName(conn.Command) == "" {
		// A launcher may be fetching its package, and is left alone.
		g.patience.handshake = c.dialer.timing.handshake
	}
	return g
}

// chosen tells that the entry names the protocol, so that no other is tried.
func chosen(conn config.Connection) bool {
	return conn.Protocol == config.ProtocolLegacy || conn.Protocol == config.ProtocolModern
}

// learn remembers a server's era, so that it is probed once. What the entry
// chose says nothing about what the server knows.
func (c *connector) learn(name string, conn config.Connection, s *session) {
	now := eraOlder
	if s.client.InitializeResult().ProtocolVersion >= firstModern {
		now = eraModern
	}
	if c.era == now && c.told {
		return
	}
	c.era, c.told, c.remembered = now, true, true
	if c.memory.onModern != nil && !chosen(conn) {
		c.memory.onModern(name, now == eraModern)
	}
}

// recall asks what an earlier run found. Only an older server is taken at its
// word, which saves the probe; for a newer one the probe is the handshake
// itself, and it shows whether the program is still the same.
func (c *connector) recall(name string) {
	if c.recalled || c.memory.modern == nil {
		return
	}
	c.recalled = true
	if modern, known := c.memory.modern(name); known && !modern {
		c.era, c.remembered = eraOlder, true
	}
}

func (g greeting) protocol() string {
	if g.pinned {
		return "protocol " + olderProtocol
	}
	return "the newest protocol"
}

// limit is the entry's time for connecting. A launcher that fetches a package
// without a network needs more than a minute, so the default is longer for it.
func (c *connector) limit(conn config.Connection) time.Duration {
	limit := conn.ConnectTimeout
	if limit <= 0 {
		limit = c.dialer.timing.connect
	}
	if limit == c.dialer.timing.connect && conn.Transport == config.TransportStdio && launcherName(conn.Command) != "" {
		limit = c.dialer.timing.connectLauncher
	}
	return limit
}
