package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// errand is one request of a server whose result is captured.
type errand struct {
	// overlap tells whether the request may run beside others of the server.
	overlap func(*server) bool
	// strip keeps the result from the SDK's own reading.
	strip bool
	// tool is the raw name of the tool that is called, empty for what is none.
	tool string
	// given answers what the server asks before it carries the request out, nil
	// where nothing is answered. It outlives a session that is lost.
	given *inputs
	send  func(ctx context.Context, session *session) error
}

// Call calls a server's tool by its raw name. args is a JSON object; empty
// means {}. It waits for a server that is still starting and for its turn: a
// server gets one call at a time, in the order they came, unless its entry says
// otherwise or it is trusted and calls the tool read-only. Cancelling ctx
// reaches the server. What is known of the effect after an error is said by
// ServerError, ErrNotSent and ErrEffectUnknown.
func (m *Manager) Call(ctx context.Context, server, tool string, args json.RawMessage) (Result, error) {
	args, err := objectOf(args)
	if err != nil {
		return Result{}, &callError{server: server, reason: err.Error(), kind: ErrNotSent}
	}
	given := &inputs{}
	raw, err := m.run(ctx, server, callOf(tool, args, given))
	switch {
	case err != nil:
		return Result{}, err
	case given.unmet():
		return given.unanswered(raw), nil
	}
	result, err := readResult(raw)
	if err != nil {
		return Result{Blocks: raw, IsError: true, Content: "The server's result cannot be read."}, nil
	}
	return result, nil
}

func callOf(tool string, args json.RawMessage, given *inputs) errand {
	return errand{
		overlap: func(s *server) bool { return s.overlaps(tool) },
		strip:   true,
		tool:    tool,
		given:   given,
		send: func(ctx context.Context, session *session) error {
			params := &sdk.CallToolParams{Name: tool, Arguments: args, InputResponses: given.responses, RequestState: given.state}
			token, end := session.progress.watch(ctx, session.tokens, session.reports)
			defer end()
			if token != "" {
				params.SetProgressToken(token)
			}
			_, err := session.client.CallTool(ctx, params)
			return err
		},
	}
}

// objectOf checks arguments; none are an empty object.
func objectOf(args json.RawMessage) (json.RawMessage, error) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage("{}"), nil
	}
	if args[0] != '{' || !json.Valid(args) {
		return nil, errors.New("the arguments are not a JSON object")
	}
	return args, nil
}

// run does an errand and returns the exact bytes of its result. A request that
// surely did not reach the server is sent once more on the next session; any
// other is never repeated.
func (m *Manager) run(ctx context.Context, name string, e errand) (json.RawMessage, error) {
	for again := false; ; {
		s, err := m.find(name)
		if err != nil {
			return nil, err
		}
		raw, session, err := s.attempt(ctx, e)
		if errors.Is(err, errReplaced) {
			continue
		}
		var lost *lostError
		if !errors.As(err, &lost) {
			return raw, err
		}
		if again {
			return nil, lost.err
		}
		again = true
		select {
		case <-session.dead:
		case <-ctx.Done():
			return nil, lost.err
		}
	}
}

// lostError is the error of a request that never reached the server because its
// session was over: the next session may take it.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// attempt does an errand on the session of the moment.
func (s *server) attempt(ctx context.Context, e errand) (raw json.RawMessage, on *session, err error) {
	if err := s.refusal(s.breaker.words(time.Now())); err != nil {
		return nil, nil, err
	}
	leave, err := s.calls.enter(ctx, e.overlap(s))
	if err != nil {
		return nil, nil, &callError{server: s.name, reason: "it was given up while waiting for its turn", kind: ErrNotSent, cause: err}
	}
	defer leave()
	session, err := s.acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := s.admits(session, e.tool); err != nil {
		return nil, nil, err
	}
	end, err := s.account(ctx, session)
	if err != nil {
		return nil, nil, err
	}
	defer func() { end(err) }()
	limit := s.wanted().conn.Timeout
	if limit <= 0 {
		limit = s.timing.call
	}
	calling, stop := session.asking.within(ctx, limit)
	defer stop()
	defer context.AfterFunc(session.calls, stop)()
	for {
		taken := &capture{strip: e.strip}
		err = e.send(withCapture(calling, taken), session)
		taken.drop()
		raw := taken.result()
		switch {
		case raw == nil && err == nil:
			return nil, session, &callError{server: s.name, reason: "it answered without a result", kind: ErrEffectUnknown}
		case raw == nil:
			return nil, session, s.judge(ctx, calling, err, session, taken, limit)
		}
		// Whatever the SDK made of the result does not matter.
		session.answered.Store(true)
		switch {
		case e.given.again(calling, session, raw):
		case ctx.Err() != nil && e.given.unmet():
			// By the server's own word it did not carry the call out.
			return nil, session, &callError{server: s.name, reason: "the call was stopped while the server waited for an answer", kind: ErrNotSent, cause: ctx.Err()}
		default:
			return raw, session, nil
		}
	}
}

// judge says what is known of a failed request's effect.
func (s *server) judge(ctx, calling context.Context, err error, session *session, taken *capture, limit time.Duration) error {
	sent := taken.sent.Load()
	fault := &callError{server: s.name, kind: ErrEffectUnknown, cause: err}
	if !sent {
		fault.kind = ErrNotSent
	}
	refusal := taken.refusal()
	var unwritten *unwrittenError
	status := taken.status.Load()
	switch {
	case ctx.Err() != nil:
		fault.reason, fault.cause = "the call was stopped", ctx.Err()
	case taken.gone.Load():
		// With an error in the body the SDK keeps the session, which is dead.
		session.abandon(errors.New("the server no longer knew the session"))
		fault.kind, fault.reason = ErrNotSent, "the server no longer knew the session"
		return &lostError{fault}
	case refusal != nil:
		session.answered.Store(true)
		return &ServerError{Server: s.name, Code: refusal.Code, Message: session.clean.clean(refusal.Message)}
	case status >= 400 && status < 500:
		return &ServerError{Server: s.name, Code: int64(status), Message: fmt.Sprintf("HTTP status %d", status)}
	case sent && (session.wasLost() || session.link.pid != 0 && errors.Is(err, io.EOF) && pause(session.dead, time.Second)):
		fault.reason = session.ending()
	case calling.Err() != nil && session.calls.Err() == nil:
		fault.reason = fmt.Sprintf("no answer within %s; a longer limit is set with \"timeout\"", limit)
		fault.cause = context.DeadlineExceeded
	case !sent && (session.wasLost() || errors.Is(err, sdk.ErrConnectionClosed) || errors.As(err, &unwritten)):
		session.abandon(err)
		fault.reason = "its connection was lost before the call"
		return &lostError{fault}
	case session.calls.Err() != nil:
		fault.reason = "its session was closed"
	default:
		fault.reason = session.clean.clean(err.Error())
	}
	return fault
}
