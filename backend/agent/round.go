package agent

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"hermes/backend/message"
)

// round runs the calls of one stored assistant row. Each has one slot; whoever
// claims the slot writes the one result row and the one terminal event.
type round struct {
	loop    *Loop
	ctx     context.Context // ends when the turn is stopped
	store   context.Context // outlives the stop: what happened is still recorded
	session string
	emit    func(message.Event)
	calls   []message.ToolCall
	slots   []slot
	// gates lets one call at a time into Before and Judge.
	gates chan struct{}
	// starting ends when nothing more may start, and with it the wait for servers.
	starting context.Context
	giveUp   context.CancelFunc
	// after counts the observers that have not returned.
	after sync.WaitGroup

	mu     sync.Mutex
	lanes  lanes
	queues map[string][]int // calls by the server they wait for
	broken error
	halt   string
}

type slot struct {
	claimed bool      // under round.mu
	started bool      // under round.mu
	began   time.Time // when it was started; under round.mu
	// call is what is asked for, with the arguments a hook may have changed; it is
	// set before the call is on its way, and not any more once it has its result.
	call Call
	// asked is what resolves to that: the model's own call, or the changed one.
	asked message.ToolCall
	// wait is what has to be over before it is sent.
	wait []<-chan struct{}
	// note is told to the model with the result, empty for none.
	note string
	done chan struct{}
	row  message.Message // read it after done
	// telling keeps a report of progress from following the result.
	telling sync.Mutex
}

func newRound(t *turn, ctx context.Context, calls []message.ToolCall, targets []Target, answers map[string]message.Message) *round {
	r := &round{
		loop: t.loop, ctx: ctx, store: context.WithoutCancel(ctx), session: t.session, emit: t.emit,
		calls: calls, slots: make([]slot, len(calls)), lanes: lanes{}, queues: map[string][]int{}, gates: make(chan struct{}, 1),
	}
	r.starting, r.giveUp = context.WithCancel(ctx)
	for i, call := range calls {
		r.slots[i].done = make(chan struct{})
		r.slots[i].asked = call
		r.slots[i].call = Call{Session: t.session, ID: call.ID, Target: targets[i]}
		if row, ok := answers[call.ID]; ok {
			r.slots[i].claimed, r.slots[i].row = true, row
			close(r.slots[i].done)
			r.observe(i, Result{Status: row.Status, Content: row.Content}, 0)
		}
	}
	return r
}

func (d *Denial) result() Result {
	status := d.Status
	if status == "" || status == message.StatusOK {
		status = message.StatusDenied
	}
	return Result{Status: status, Content: d.Reason, Shown: d.Shown, Said: d.Said}
}

// runTarget keeps a fault in a tool from taking the program down with it.
func (r *round) runTarget(i int, target Target) (result Result) {
	defer func() {
		if fault := recover(); fault != nil {
			r.loop.logger().Error("a tool call failed inside the program", "tool", target.Public, "fault", fault)
			result = Result{Status: message.StatusUnknown, Content: message.CallFaultedSent.Text()}
		}
	}()
	result = r.loop.Tools.Run(r.ctx, target, func(progress message.ProgressEvent) { r.report(i, progress) })
	if result.Status == "" {
		result.Status = message.StatusError
	}
	return result
}

// report tells how far a call is, as long as it has no result. It is stored
// nowhere.
func (r *round) report(i int, progress message.ProgressEvent) {
	r.slots[i].telling.Lock()
	defer r.slots[i].telling.Unlock()
	if r.answered(i) {
		return
	}
	progress.ID = r.calls[i].ID
	if r.loop.Redact != nil {
		progress.Text = r.loop.Redact(progress.Text)
	}
	r.emit(message.Event{Type: message.EventProgress, Progress: progress})
}

// wait returns when every call has its row. After a stop the running ones get
// a moment to end; one that does not is answered for and left behind, and what
// it returns later is thrown away.
func (r *round) wait() {
	var expired <-chan time.Time
	for i := range r.slots {
		select {
		case <-r.slots[i].done:
			continue
		case <-r.ctx.Done():
		}
		if expired == nil {
			timer := time.NewTimer(r.loop.grace())
			defer timer.Stop()
			expired = timer.C
		}
		select {
		case <-r.slots[i].done:
			continue
		case <-expired:
		}
		closed := make(chan time.Time)
		close(closed)
		expired = closed
		r.abandon(i)
		<-r.slots[i].done
	}
}

func (r *round) abandon(i int) {
	if r.started(i) {
		r.finish(i, Result{Status: message.StatusUnknown, Content: message.CallNotAnswered.Text()})
		return
	}
	r.finish(i, Result{Status: message.StatusInterrupted, Content: message.CallNotStarted.Text()})
}

func toolRow(call message.ToolCall, status message.Status, content string) message.Message {
	return message.Message{Role: message.RoleTool, ToolCallID: call.ID, ToolName: call.Name, Status: status, Content: content}
}

// resultEvent tells of a stored row what people are shown of its result.
func resultEvent(row message.Message, result Result) message.Event {
	return message.Event{Type: message.EventToolResult, Result: message.ResultEvent{
		ID: row.ToolCallID, Status: row.Status, Content: cmp.Or(result.Shown, row.Content), Said: result.Said,
	}}
}

// stopped says why nothing more may start, "" when it may.
func (r *round) stopped() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stoppedLocked()
}

// start is stopped and the mark that the call is sent in one step: a call that
// was answered as never sent is never sent.
func (r *round) start(i int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	reason := r.stoppedLocked()
	r.slots[i].started, r.slots[i].began = reason == "", time.Now()
	return reason
}

func (r *round) stoppedLocked() string {
	switch {
	case r.broken != nil:
		return message.CallNotRecorded.Text()
	case r.ctx.Err() != nil:
		return message.CallNotStarted.Text()
	}
	return ""
}

func (r *round) started(i int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.slots[i].started
}

func (r *round) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken == nil {
		r.broken = fmt.Errorf("record the turn: %w", err)
	}
	r.giveUp()
}

// set changes what is known of a call, unless it has its result: one that was
// answered for after a stop may still be at a gate.
func (r *round) set(i int, change func(*slot)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.slots[i].claimed {
		change(&r.slots[i])
	}
}

func (r *round) answered(i int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.slots[i].claimed
}

// outcome is what the round means for the turn.
func (r *round) outcome() (broken error, halt string) {
	ended := ""
	if r.loop.Ended != nil {
		ended = r.loop.Ended()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.broken, cmp.Or(r.halt, ended)
}

// rows are the results in call order, whatever finished first.
func (r *round) rows() []message.Message {
	out := make([]message.Message, len(r.slots))
	for i := range r.slots {
		out[i] = r.slots[i].row
	}
	return out
}
