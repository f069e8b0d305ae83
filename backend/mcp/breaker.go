package mcp

import (
	"fmt"
	"sync"
	"time"
)

// breakerCalls is the number of calls in a row that must fail to reach a server
// before further ones are refused for a while.
const breakerCalls = 3

// outcome is what a call says about its server.
type outcome int

const (
	// outcomeNone says nothing: the call was given up, or we ended the session.
	outcomeNone outcome = iota
	// outcomeAnswer is any answer of the server, an error too.
	outcomeAnswer
	// outcomeLoss is a call without an answer.
	outcomeLoss
)

// breaker keeps calls from a server that takes them and does not answer, so
// that a model does not wait for a time limit again and again. After a while one
// call is let through; its outcome decides.
type breaker struct {
	pause time.Duration

	mu     sync.Mutex
	losses int
	// until is when the next call may try, zero while calls pass; reason is the
	// last failure.
	until  time.Time
	reason string
	trying bool
}

func newBreaker(t timing) *breaker { return &breaker{pause: t.breaker} }

// words says why calls are refused now, "" when they are not.
func (b *breaker) words(now time.Time) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wordsLocked(now)
}

func (b *breaker) wordsLocked(now time.Time) string {
	said := fmt.Sprintf("%d calls in a row had no answer (%s)", b.losses, b.reason)
	switch left := b.until.Sub(now); {
	case b.until.IsZero():
		return ""
	case left > 0:
		return said + "; calls are refused for " + roughly(max(left, time.Second/10)) + " more"
	case b.trying:
		return said + "; one call finds out now whether it answers again"
	}
	return ""
}

// begin lets a call through or says why not. Every call it lets through must
// end in settle.
func (b *breaker) begin(now time.Time) (refused string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if words := b.wordsLocked(now); words != "" {
		return words
	}
	b.trying = !b.until.IsZero()
	return ""
}

// settle takes the outcome of a call, and tells whether calls are refused from
// now on that were not before, or the other way round.
func (b *breaker) settle(now time.Time, o outcome, reason string) (turned bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := !b.until.IsZero()
	switch o {
	case outcomeAnswer:
		b.clear()
		return was
	case outcomeLoss:
		b.losses++
		b.reason = reason
		if b.trying || b.losses >= breakerCalls && !was {
			b.until, b.trying = now.Add(b.pause), false
			return !was
		}
	case outcomeNone:
		b.trying = false
	}
	return false
}

// reset forgets everything and tells whether calls were refused.
func (b *breaker) reset() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := !b.until.IsZero()
	b.clear()
	return was
}

func (b *breaker) clear() { b.losses, b.until, b.reason, b.trying = 0, time.Time{}, "", false }
