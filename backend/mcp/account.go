package mcp

import (
	"context"
	"errors"
	"time"
)

// refusal is the error of a call that the breaker does not let through, nil for
// none.
func (s *server) refusal(words string) error {
	if words == "" {
		return nil
	}
	return &callError{server: s.name, reason: words, kind: ErrNotSent}
}

// account begins a call on a session and returns what takes its end: the time
// of the answer, when the server was last of use, and what the call says about
// its health.
func (s *server) account(ctx context.Context, session *session) (end func(error), refused error) {
	if err := s.refusal(s.breaker.begin(time.Now())); err != nil {
		return nil, err
	}
	began := time.Now()
	asked, _ := session.asking.waited()
	return func(err error) {
		now := time.Now()
		o := verdict(ctx, session, err)
		s.mu.Lock()
		s.used = now
		// What a person or a model took to answer the server is not its own time,
		// and of calls side by side nobody knows which one asked.
		if since, _ := session.asking.waited(); o == outcomeAnswer && since == asked {
			s.status.Latency = now.Sub(began)
		}
		s.mu.Unlock()
		reason := ""
		var fault *callError
		if errors.As(err, &fault) {
			reason = fault.reason
		}
		if s.breaker.settle(now, o, reason) {
			s.change(func() {})
		}
	}, nil
}

// verdict reads what a call says about its server. A request that is sent once
// more on the next session says nothing yet.
func verdict(ctx context.Context, session *session, err error) outcome {
	var answered *ServerError
	var again *lostError
	switch {
	case err == nil || errors.As(err, &answered):
		return outcomeAnswer
	case ctx.Err() != nil || errors.As(err, &again) || session.calls.Err() != nil && !session.wasLost():
		return outcomeNone
	}
	return outcomeLoss
}
