package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/config"
)

// session is one live connection to a server.
type session struct {
	link   *link
	client *sdk.ClientSession
	clean  redactor
	// calls bounds every call; it ends before the connection is closed, so that
	// closing does not wait for them.
	calls  context.Context
	cancel context.CancelFunc
	// progress knows the calls that are followed; tokens numbers those of all
	// sessions, and reports is the pause between two reports of one call.
	progress progressBoard
	tokens   *atomic.Int64
	reports  time.Duration
	// asking is what the server may ask of us.
	asking *asking
	// changed holds a token when the server announced new tools.
	changed chan struct{}
	// dead is closed when the connection is gone; fault is set before, and lost
	// when it was not us who ended it.
	dead  chan struct{}
	fault error
	lost  bool
	// watched is closed when the SDK's connection has ended.
	watched chan struct{}

	born     time.Time
	goodbye  time.Duration
	answered atomic.Bool

	dying   sync.Once
	closing sync.Once
}

// olderProtocol is spoken by nearly every server of today; the newest protocol
// has no handshake to pin.
const olderProtocol = "2025-11-25"

// firstModern is the first revision without a handshake.
const firstModern = "2026-07-28"

// loggedNotice bounds a log notification of a server in its log.
const loggedNotice = 2000

// greeting says how a session is begun.
type greeting struct {
	// pinned begins with the handshake of olderProtocol, without a probe.
	pinned bool
	// modern refuses a server that knows only older protocols.
	modern   bool
	patience patience
	// limit bounds connecting and handshake together.
	limit time.Duration
}

// shake connects and does the handshake.
func (d *dialer) shake(parent context.Context, w want, conn config.Connection, clean redactor, log *serverLog, g greeting) (*session, error) {
	log.begin(clean)
	life, cancel := context.WithCancel(parent)
	l, err := d.dial(life, w, conn, log, g.patience)
	if err != nil {
		cancel()
		var fault *connectError
		if errors.As(err, &fault) {
			fault.reason = clean.clean(fault.reason)
		}
		return nil, err
	}
	s := &session{
		link: l, clean: clean, calls: life, cancel: cancel,
		changed: make(chan struct{}, 1), dead: make(chan struct{}), born: time.Now(), goodbye: d.timing.goodbye,
		tokens: &d.tokens, reports: d.timing.reports, asking: d.asking(life, w, log),
	}
	limited, stop := context.WithTimeout(life, g.limit)
	defer stop()
	options := &sdk.ClientSessionOptions{}
	if g.pinned {
		options.ProtocolVersion = olderProtocol
	}
	type outcome struct {
		client *sdk.ClientSession
		err    error
	}
	came := make(chan outcome, 1)
	go func() {
		client, err := d.newClient(s, log).Connect(limited, l.transport, options)
		came <- outcome{client, err}
	}()
	var got outcome
	select {
	case got = <-came:
	case <-limited.Done():
		// Ending the transport is what surely ends the handshake: a write to a
		// server that does not read obeys no context.
		cancel()
		l.stop()
		got = <-came
	}
	late := limited.Err()
	if late == nil && got.err == nil {
		late = g.refuse(got.client)
	}
	if late != nil {
		if got.err == nil {
			_ = got.client.Close()
		}
		got.err = late
	}
	if got.err != nil {
		err := s.explain(parent, got.err, g.limit, log)
		cancel()
		l.stop()
		return nil, err
	}
	s.client = got.client
	s.watched = make(chan struct{})
	go func() {
		defer close(s.watched)
		s.abandon(s.client.Wait())
	}()
	return s, nil
}

// refuse says why a server that answered is not to be used.
func (g greeting) refuse(client *sdk.ClientSession) error {
	if spoken := client.InitializeResult().ProtocolVersion; g.modern && spoken < firstModern {
		return &connectError{lasting: true, reason: fmt.Sprintf("the server speaks protocol %s and the entry asks for a newer one; write `protocol: auto`", spoken)}
	}
	return nil
}

// newClient makes the SDK's client for one session. The capabilities are given
// on purpose: without a value the SDK offers roots, and servers then ask for
// them; sampling and elicitation are offered where the rules allow them and
// refused elsewhere (FILTER section 2).
func (d *dialer) newClient(s *session, log *serverLog) *sdk.Client {
	options := &sdk.ClientOptions{
		Capabilities:   &s.asking.offered,
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case s.changed <- struct{}{}:
			default:
			}
		},
		ProgressNotificationHandler: func(_ context.Context, request *sdk.ProgressNotificationClientRequest) {
			s.progress.take(request.Params, s.clean)
		},
		LoggingMessageHandler: func(_ context.Context, request *sdk.LoggingMessageRequest) {
			text := fmt.Sprint(request.Params.Data)
			log.note(string(request.Params.Level) + ": " + text[:min(len(text), loggedNotice)])
		},
	}
	// The SDK offers what it has a handler for.
	if s.asking.offered.Sampling != nil {
		options.CreateMessageWithToolsHandler = s.asking.sample
	}
	if s.asking.offered.Elicitation != nil {
		options.ElicitationHandler = s.asking.ask
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "hermes", Version: d.version}, options)
	client.AddReceivingMiddleware(withoutRoots)
	return client
}

// explain turns an error of the handshake into a reason for people.
func (s *session) explain(parent context.Context, err error, limit time.Duration, log *serverLog) error {
	if parent.Err() != nil {
		return parent.Err()
	}
	fault := s.reasonOf(err, limit, log)
	fault.modern = s.link.modern.Load()
	return fault
}

func (s *session) reasonOf(err error, limit time.Duration, log *serverLog) *connectError {
	var known *connectError
	status := s.link.refused()
	switch {
	case errors.As(err, &known):
		return known
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &connectError{reason: fmt.Sprintf("the server asks for a login (HTTP %d); set its \"headers\"", status), lasting: true, login: true}
	case status >= 400 && status < 500:
		return &connectError{reason: fmt.Sprintf("the url is no MCP endpoint (HTTP %d %s); correct \"url\"", status, http.StatusText(status)),
			lasting: true, status: status}
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		reason := fmt.Sprintf("no answer within %s; a longer limit is set with \"connect_timeout\"", limit.Round(time.Second/10))
		if words := log.lastWords(3); words != "" {
			reason += "; its last words: " + words
		}
		return &connectError{reason: reason}
	}
	ended := s.link.ended()
	if said := s.link.refusedWith(); said != nil {
		// The server's own words first: it ends because of them, or because the
		// SDK takes leave.
		reason := fmt.Sprintf("the server refused the handshake: %s (code %d)", said.Message[:min(len(said.Message), loggedNotice)], said.Code)
		if ended != "" {
			reason += "; " + ended
		}
		return &connectError{reason: s.clean.clean(reason), answered: true}
	}
	if ended != "" {
		return &connectError{reason: s.clean.clean(ended)}
	}
	var lost *url.Error
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return &connectError{reason: s.clean.clean("its certificate is not trusted: "+untrusted.Err.Error()) + "; name the file of its authority in `ssl_verify`"}
	}
	if errors.As(err, &lost) {
		return &connectError{reason: s.clean.clean("it cannot be reached: " + lost.Err.Error())}
	}
	return &connectError{reason: s.clean.clean(strings.TrimSpace(err.Error())), answered: !errors.Is(err, io.EOF) && !errors.Is(err, errHandshake)}
}

// refusedWith is the error with which a program refused the handshake.
func (l *link) refusedWith() *jsonrpc.Error {
	if l.refusal == nil {
		return nil
	}
	return l.refusal.Load()
}

// close ends the session and what stands behind it.
func (s *session) close() {
	s.closing.Do(func() {
		s.cancel()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = s.client.Close()
		}()
		// The connection closes the server's standard input or says goodbye
		// over HTTP; then the steps of the process begin.
		pause(done, s.goodbye)
		s.link.stop()
		<-done
		<-s.watched
	})
}

// ending tells why a session that was not closed by us is gone.
func (s *session) ending() string {
	if ended := s.link.ended(); ended != "" {
		return ended
	}
	if s.fault != nil {
		return "the connection was lost: " + s.clean.clean(s.fault.Error())
	}
	return "the server closed the connection"
}

// abandon declares the session dead.
func (s *session) abandon(fault error) {
	s.dying.Do(func() {
		s.fault, s.lost = fault, s.calls.Err() == nil
		close(s.dead)
	})
}

// wasLost tells whether the session ended without our doing.
func (s *session) wasLost() bool { return !s.alive() && s.lost }

func (s *session) alive() bool {
	select {
	case <-s.dead:
		return false
	default:
		return true
	}
}

// proven tells whether the session was good for something, so that its end is
// no sign of a server that cannot start.
func (s *session) proven(t timing) bool {
	return s.answered.Load() || time.Since(s.born) >= t.proven
}
