package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"hermes/backend/message"
)

// run takes the calls in order through policy, schema, hooks and gate, starts
// each that needs nobody, and puts those that need a person on one card. A call
// whose server is still starting goes the same way later, and holds up no other
// server's. It returns when every slot is done.
func (r *round) run() {
	defer r.giveUp()
	var card []int
	for i := range r.calls {
		if !r.answered(i) && r.enter(i, r.later) {
			card = append(card, i)
		}
	}
	if len(card) > 0 {
		r.loop.running.Go(func() { r.ask(card) })
	}
	r.wait()
	r.waitAfter()
}

// enter takes one call through everything that may say no, and starts it or tells
// that a person has to be asked. later may put it off; it is nil where that has
// been done.
func (r *round) enter(i int, later func(int) bool) (asks bool) {
	if reason := r.stopped(); reason != "" {
		r.finish(i, Result{Status: message.StatusInterrupted, Content: reason})
		return false
	}
	ruling, denial := r.admit(i, later)
	switch reason := r.stopped(); {
	case ruling == putOff && denial == nil:
		return false
	case reason != "":
		r.finish(i, Result{Status: message.StatusInterrupted, Content: reason})
		return false
	case denial != nil:
		r.finish(i, denial.result())
		return false
	}
	// Its place on the server is taken now, also while a person is asked: what
	// comes later and may not overlap waits for the answer.
	target := r.slots[i].call.Target
	r.mu.Lock()
	r.slots[i].wait = r.lanes.admit(target.Server, target.Overlap, r.slots[i].done)
	r.mu.Unlock()
	if ruling == NeedsPerson {
		return true
	}
	r.loop.running.Go(func() { r.call(i) })
	return false
}

// admit asks everybody who may say no; the first no counts. A fault of one of
// them is a no.
func (r *round) admit(i int, later func(int) bool) (ruling Ruling, denial *Denial) {
	defer func() {
		if fault := recover(); fault != nil {
			r.loop.logger().Error("a call was not admitted because of a fault inside the program", "call", r.calls[i].ID, "fault", fault)
			ruling, denial = Refuse, &Denial{Status: message.StatusError, Reason: message.CallFaulted.Text()}
		}
	}()
	denial = r.resolve(i, r.slots[i].asked)
	waits := r.slots[i].call.Target.Awaits != ""
	switch {
	case later != nil && (denial == nil || waits) && later(i):
		return putOff, nil
	case denial != nil:
		return Refuse, denial
	}
	arguments, denial := r.before(r.slots[i].call)
	if denial != nil {
		return Refuse, denial
	}
	if arguments != "" && arguments != r.slots[i].call.Target.Arguments {
		if denial := r.change(i, arguments); denial != nil {
			return Refuse, denial
		}
	}
	if r.stopped() != "" {
		return Refuse, nil
	}
	judgement := r.judge(r.slots[i].call)
	r.set(i, func(s *slot) { s.call.Held = judgement.Held })
	switch {
	case judgement.Denial != nil:
		return Refuse, judgement.Denial
	case judgement.Ruling == Run, judgement.Ruling == NeedsPerson:
		return judgement.Ruling, nil
	}
	return Refuse, &Denial{Reason: message.CallRefused.Text()}
}

func (r *round) before(call Call) (arguments string, denial *Denial) {
	r.oneByOne(func() { arguments, denial = r.loop.Gate.Before(r.ctx, call) })
	return arguments, denial
}

func (r *round) judge(call Call) (judgement Judgement) {
	r.oneByOne(func() { judgement = r.loop.Gate.Judge(r.ctx, call) })
	return judgement
}

// oneByOne lets one call at a time ask a gate; a stop waits for none of them.
func (r *round) oneByOne(ask func()) {
	select {
	case r.gates <- struct{}{}:
	case <-r.ctx.Done():
		return
	}
	defer func() { <-r.gates }()
	ask()
}

// resolve asks the policy and the schema about a call.
func (r *round) resolve(i int, call message.ToolCall) *Denial {
	target, denial := r.loop.Tools.Resolve(call)
	if denial == nil || target.Awaits != "" {
		r.set(i, func(s *slot) { s.call.Target = target })
	}
	if denial != nil {
		return denial
	}
	return r.loop.Tools.Validate(target)
}

// change puts a hook's arguments in the place of the model's. The stored call
// keeps what the model wrote; the result says what happened.
func (r *round) change(i int, arguments string) *Denial {
	before := r.slots[i].call.Target
	r.set(i, func(s *slot) { s.note = changed(before.Arguments, arguments) })
	call := message.ToolCall{ID: r.calls[i].ID, Name: before.Public, Arguments: arguments}
	if denial := r.resolve(i, call); denial != nil {
		return denial
	}
	now := r.slots[i].call.Target
	if now.Public != before.Public || now.Server != before.Server || now.Tool != before.Tool {
		return &Denial{Status: message.StatusBlocked, Reason: message.CallOtherTool.Text()}
	}
	r.set(i, func(s *slot) { s.asked = call })
	return nil
}

// changed names the arguments that a hook changed. Their values are not told: a
// hook may have put a secret there.
func changed(before, after string) string {
	var was, is map[string]json.RawMessage
	_ = json.Unmarshal([]byte(before), &was) // what is no object has no names
	_ = json.Unmarshal([]byte(after), &is)
	names := map[string]bool{}
	for name, value := range is {
		names[name] = string(value) != string(was[name])
	}
	for name := range was {
		if _, kept := is[name]; !kept {
			names[name] = true
		}
	}
	maps.DeleteFunc(names, func(_ string, differs bool) bool { return !differs })
	return "A hook changed the arguments of this call: " + strings.Join(slices.Sorted(maps.Keys(names)), ", ") + "."
}

// ask puts calls on one card and starts those that a person let through, in
// order.
func (r *round) ask(card []int) {
	denials := r.answers(card)
	for n, i := range card {
		switch reason := r.stopped(); {
		case reason != "":
			r.finish(i, Result{Status: message.StatusInterrupted, Content: reason})
		case denials[n] != nil:
			r.finish(i, denials[n].result())
		default:
			r.loop.running.Go(func() { r.call(i) })
		}
	}
}

// answers tells of a card and gives what became of each entry. What has no
// answer is denied.
func (r *round) answers(card []int) (denials []*Denial) {
	calls := make([]Call, len(card))
	event := message.ApprovalEvent{Calls: make([]message.CallEvent, len(card))}
	for n, i := range card {
		calls[n] = r.slots[i].call
		target := calls[n].Target
		event.Calls[n] = message.CallEvent{ID: calls[n].ID, Name: target.Public, Server: target.Server, Tool: target.Tool, Arguments: target.Arguments}
	}
	defer func() {
		fault := recover()
		if fault != nil {
			r.loop.logger().Error("a card was not answered because of a fault inside the program", "fault", fault)
		}
		if fault != nil || len(denials) != len(card) {
			denials = make([]*Denial, len(card))
			for n := range denials {
				denials[n] = &Denial{Status: message.StatusError, Reason: message.CallFaulted.Text()}
			}
		}
		if event.Question != "" {
			event.Settled = true
			r.emit(message.Event{Type: message.EventApproval, Approval: event})
		}
	}()
	return r.loop.Gate.Ask(r.ctx, calls, func(question string) {
		event.Question = question
		r.emit(message.Event{Type: message.EventApproval, Approval: event})
	})
}

// call waits for its turn on the server, asks once more, records that it
// starts, and runs.
func (r *round) call(i int) {
	defer func() {
		if fault := recover(); fault != nil {
			r.loop.logger().Error("a call failed inside the program", "call", r.calls[i].ID, "fault", fault)
			result := Result{Status: message.StatusError, Content: message.CallFaulted.Text()}
			if r.started(i) {
				result = Result{Status: message.StatusUnknown, Content: message.CallFaultedSent.Text()}
			}
			r.finish(i, result)
		}
	}()
	for _, earlier := range r.slots[i].wait {
		select {
		case <-earlier:
		case <-r.ctx.Done():
		}
	}
	if reason := r.stopped(); reason != "" {
		r.finish(i, Result{Status: message.StatusInterrupted, Content: reason})
		return
	}
	call, denial := r.confirm(i)
	if denial != nil {
		r.finish(i, denial.result())
		return
	}
	if err := r.loop.Journal.MarkStarted(r.store, r.session, r.calls[i].ID); err != nil {
		r.fail(err)
		r.finish(i, Result{Status: message.StatusInterrupted, Content: message.CallNotRecorded.Text()})
		return
	}
	if reason := r.start(i); reason != "" {
		r.finish(i, Result{Status: message.StatusInterrupted, Content: reason})
		return
	}
	result := r.runTarget(i, call.Target)
	r.finish(i, r.loop.Gate.Settle(r.store, call, result))
}

// confirm asks the policy and the gate at the last moment: an approval or an
// earlier call may have taken minutes, and what was locked meanwhile does not
// run.
func (r *round) confirm(i int) (Call, *Denial) {
	call := r.slots[i].call
	target := call.Target
	now, denial := r.loop.Tools.Resolve(r.slots[i].asked)
	if now.Awaits != "" {
		// It is starting anew since the call was let through.
		r.loop.Tools.Await(r.starting, now)
		now, denial = r.loop.Tools.Resolve(r.slots[i].asked)
	}
	if denial != nil {
		return call, denial
	}
	if now.Public != target.Public || now.Server != target.Server || now.Tool != target.Tool || now.Arguments != target.Arguments {
		return call, &Denial{Status: message.StatusDenied, Reason: message.CallChanged.Text()}
	}
	call.Target = now
	return call, r.loop.Gate.Confirm(r.ctx, call)
}
