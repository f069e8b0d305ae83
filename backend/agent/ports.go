package agent

import (
	"context"
	"encoding/json"
	"errors"

	"hermes/backend/message"
)

// Request is one model pass: the whole conversation and the tools on offer.
// The slices belong to the loop and are not to be changed.
type Request struct {
	Model    string
	System   string
	Messages []message.Message
	Tools    []message.ToolDef
	// MaxTokens bounds the answer; 0 leaves it to the vendor.
	MaxTokens int
}

// Turn is one complete answer of a model. Blocks are the vendor's own content
// blocks; Split keeps them and ToolCalls saying the same.
type Turn struct {
	Content   string
	ToolCalls []message.ToolCall
	Vendor    string
	Blocks    []json.RawMessage
	Usage     message.Usage
	Stop      message.StopReason
	// Notices are what people have to be told of this pass.
	Notices []string
}

// Model runs one model pass. onText is given provisional text as it arrives,
// from the calling goroutine. An answer that is not complete is an error.
type Model interface {
	Stream(ctx context.Context, request Request, onText func(string)) (Turn, error)
}

// Tools is what can be called. Every method asks for the state of now: a
// configuration that changed in the middle of a turn counts at once.
type Tools interface {
	// Definitions are the tools offered at the next pass.
	Definitions() []message.ToolDef
	// News is what the model has to be told of changed tools since it was told
	// last, mostly nothing; it is stored at the end of the next row, because what
	// was sent is never rewritten.
	News() string
	// Resolve names the tool a call means, through the bridge where it is one,
	// and asks the policy. It sends nothing and waits for nobody: a turn is stored
	// and its other calls start while a server is still starting. The target's
	// Public name is set as far as it is known even when the call is denied.
	Resolve(call message.ToolCall) (Target, *Denial)
	// Await returns when what such a target Awaits is there, or will not be, or ctx
	// is over. Resolve is asked again then, and its answer counts.
	Await(ctx context.Context, target Target)
	// Validate checks the arguments against the tool's schema.
	Validate(target Target) *Denial
	// Run calls the tool and returns soon after ctx is cancelled. It is the
	// only method that reaches a server. It may tell report how far the call
	// is, from any goroutine; the id is the loop's to fill in.
	Run(ctx context.Context, target Target, report func(message.ProgressEvent)) Result
}

// Overlap says what may run beside a call on the same server (DESIGN section
// 5). The zero value is the strict one.
type Overlap int

// The concurrency rules of a target.
const (
	// Alone: after every earlier call to the server and before every later one.
	Alone Overlap = iota
	// WithReads: beside other WithReads calls, never beside an Alone one.
	WithReads
	// Free: the server, or the program itself, takes any number at once.
	Free
)

// Target is a resolved call.
type Target struct {
	Public, Server, Tool string
	// Arguments is the JSON object the tool gets.
	Arguments string
	Overlap   Overlap
	// ReadOnly and Destructive are the server's own hints, nil if not given.
	ReadOnly, Destructive *bool
	// Reads is a call that changes nothing, on the word of somebody who is
	// trusted; it is stored with the call, for the case that it is cut off.
	Reads bool
	// Awaits names the server of a call that cannot be judged yet, because the
	// server is still starting. The denial beside it counts where nobody waits, or
	// where it still stands after Await.
	Awaits string
	// Handle is the port's own; the loop only carries it.
	Handle any
}

// Denial is why a call does not run. Reason is what is stored and what the
// model reads; Shown is what people read, where that is another text: a model
// is not told that a denied tool exists. Unknown marks a call of something that
// does not exist, and a broken one: rounds of nothing else are counted, and the
// third ends the turn.
type Denial struct {
	Status  message.Status
	Reason  string
	Shown   string
	Unknown bool
	// Said are the codes of what is said, where it is not in the text.
	Said []message.Saying
}

// Result is the outcome of a call. Content is what is stored and what the
// model reads. Shown is what people read, where that is another text. Halt,
// set by the gate, ends the turn after this round and says why.
type Result struct {
	Status  message.Status
	Content string
	Shown   string
	Halt    string
	// Kind is what kind of fault it was, in the words of hooks; empty for the one
	// that Status says.
	Kind string
	// Said are the codes of what is shown, where they are not in the text.
	Said []message.Saying
}

// Failed is the result of a call that could not be carried out. A call that
// was cut off after it was sent may have taken effect, and says so; sent is
// false where the server certainly never saw it.
func Failed(err error, sent bool) Result {
	cut := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	switch {
	case cut && sent:
		return Result{Status: message.StatusUnknown, Content: message.CallNoReply.Text(err.Error())}
	case cut:
		return Result{Status: message.StatusInterrupted, Content: message.CallNotStarted.Text()}
	}
	return Result{Status: message.StatusError, Content: err.Error()}
}

// Journal makes a turn durable. Its errors end the turn; nothing runs that is
// not recorded (DESIGN invariants 2 and 3).
type Journal interface {
	// Begin takes the session for one turn and settles what an earlier one
	// left unfinished. recovered are the result rows it had to write for that.
	Begin(ctx context.Context, session string) (history, recovered []message.Message, release func(), err error)
	// AppendTurn stores rows at once or not at all. A tool row among them
	// answers a call of the assistant row before it.
	AppendTurn(ctx context.Context, session string, rows []message.Message) error
	// MarkStarted records that a call is about to be sent.
	MarkStarted(ctx context.Context, session, callID string) error
	// FinishCall stores the one result row of a call.
	FinishCall(ctx context.Context, session, callID string, row message.Message) error
	// Compact lets a summary stand for all rows but the last keep; they stay
	// stored.
	Compact(ctx context.Context, session string, summary message.Message, keep int) error
}
