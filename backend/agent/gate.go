package agent

import (
	"context"
	"time"
)

// Call is one call on its way through the gate. Held is what the gate noted
// about it in Judge; the loop only carries it.
type Call struct {
	Session string
	ID      string
	Target  Target
	Held    any
}

// Ruling is what a gate says of one call. The zero value refuses.
type Ruling int

// The rulings: Refuse runs nothing, Run needs nobody, NeedsPerson waits for the
// answer to a card.
const (
	Refuse Ruling = iota
	Run
	NeedsPerson
)

// Judgement is the answer to a call. Denial says why it is refused. Held is given
// back with the call in Ask and Confirm.
type Judgement struct {
	Ruling Ruling
	Denial *Denial
	Held   any
}

// Gate is asked after the policy and the schema. A gate may hold the state of a
// turn, so a Loop that has one is built per turn. Calls of one round are in
// Before and Judge one after another; the other methods come from any goroutine.
type Gate interface {
	// Before lets hooks see a call. It says no, or gives the JSON object of the
	// arguments that take the place of the model's, empty for unchanged. Changed
	// ones are resolved and validated again before Judge sees them.
	Before(ctx context.Context, call Call) (arguments string, denial *Denial)
	// Judge decides about a call as it would be sent.
	Judge(ctx context.Context, call Call) Judgement
	// Ask puts calls on one card before a person and returns when each has its
	// answer: nil lets it run. put is told the card's id once it is shown, if it
	// ever is. The end of ctx is a no to all.
	Ask(ctx context.Context, calls []Call, put func(card string)) []*Denial
	// Confirm is asked right before a call is sent, which may be minutes later.
	Confirm(ctx context.Context, call Call) *Denial
	// Settle makes a result fit to be stored and read: size, secrets, fence.
	Settle(ctx context.Context, call Call, result Result) Result
	// After is told of each call id once, when its terminal event was told: also
	// of calls that were denied or never started. took is 0 for those.
	After(ctx context.Context, call Call, result Result, took time.Duration)
}
