package host

import (
	"context"
	"time"

	"hermes/backend/agent"
	"hermes/backend/connector"
	"hermes/backend/guard"
	"hermes/backend/message"
	"hermes/backend/registry"
)

// A dispatch is one call for the loop, and each of its entries goes through the
// gate as a call of its own: its hooks, its deny globs, its line on the card.

// dispatched gives the entries of a dispatch; nil for any other call.
func (g *gate) dispatched(call agent.Call) *admitted {
	found, _ := call.Target.Handle.(handle)
	if found.dispatch == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if known := g.dispatches[call.ID]; known != nil {
		return known
	}
	a := &admitted{gate: g}
	for i, entry := range found.dispatch.entries {
		id := call.ID
		if i > 0 {
			id = message.DeterministicCallID(message.NameToolCall, call.ID+entry.CallText(), i)
		}
		server, tool, ok := registry.HostedName(entry.Name)
		target := agent.Target{Public: entry.Name, Server: registry.Connector, Arguments: entry.Arguments, Handle: handle{hosted: true}}
		e := &hostedCall{call: agent.Call{Session: call.Session, ID: id, Target: target}}
		if a.entries = append(a.entries, e); !ok {
			a.fail(e, message.StatusError, connector.Failure{Code: connector.CodeToolNotFound,
				Message: "this is not the name of a tool behind the connectors gateway (" + message.ConnectorPrefix + "<connector>__<tool>)", Hint: "use tool_search"})
			continue
		}
		e.call.Target.Tool = server + "__" + tool
	}
	g.dispatches[call.ID] = a
	return a
}

// beforeAll lets hooks see every entry. What a hook changes is changed in the entry;
// the call of the loop stays.
func (g *gate) beforeAll(ctx context.Context, a *admitted) {
	g.learn(ctx, a)
	for _, e := range a.open() {
		if ctx.Err() != nil {
			return
		}
		if g.invalid(a, e) {
			continue
		}
		arguments, denial := g.Before(ctx, e.call)
		switch {
		case denial != nil:
			a.deny(e, denial)
		case arguments != "" && arguments != e.call.Target.Arguments:
			e.call.Target.Arguments, e.note = arguments, "A hook changed the arguments of this call."
			if g.invalid(a, e) {
				continue
			}
			if reason := g.host.forbidden(e.call.Target); reason != "" {
				a.deny(e, g.blocked(ctx, e.call, "rule", reason))
			}
		}
	}
}

// invalid answers an entry whose arguments do not fit.
func (g *gate) invalid(a *admitted, e *hostedCall) bool {
	found := g.host.validateHosted(e.call.Target)
	if found == nil {
		return false
	}
	a.fail(e, message.StatusError, connector.Failure{Code: connector.CodeToolError, Message: found.Error() + ". The tool was NOT invoked.",
		Hint: "correct the arguments by the schema that tool_describe gives"})
	return true
}

// judgeAll decides about every entry. Without one that may run, nothing is sent.
func (g *gate) judgeAll(ctx context.Context, call agent.Call, a *admitted) agent.Judgement {
	ruling := agent.Run
	for _, e := range a.open() {
		if reason := g.watch.Before(event(e.call)); reason != "" {
			a.deny(e, &agent.Denial{Status: message.StatusBlocked, Reason: reason})
			continue
		}
		judgement := g.judge(ctx, e.call)
		e.call.Held = judgement.Held
		switch {
		case judgement.Denial != nil:
			a.deny(e, judgement.Denial)
		case judgement.Ruling == agent.NeedsPerson:
			e.asks, ruling = true, agent.NeedsPerson
		case judgement.Ruling != agent.Run:
			a.deny(e, &agent.Denial{Reason: message.CallRefused.Text()})
		}
	}
	if denial := a.nothingLeft(call); denial != nil {
		return agent.Judgement{Denial: denial}
	}
	return agent.Judgement{Ruling: ruling, Held: a}
}

// nothingLeft is the answer to a dispatch whose entries all have theirs, which the
// guardrails count one by one.
func (a *admitted) nothingLeft(call agent.Call) *agent.Denial {
	if len(a.open()) > 0 {
		return nil
	}
	a.gate.watch.RefusedParts(call.ID, a.parts())
	result := a.result()
	return &agent.Denial{Status: result.Status, Reason: result.Content}
}

// Ask puts calls before a person on one card, every entry of a dispatch on a line of
// its own, and gives what became of each. No answer is no.
func (g *gate) Ask(ctx context.Context, calls []agent.Call, put func(card string)) []*agent.Denial {
	out := make([]*agent.Denial, len(calls))
	var lines []agent.Call
	var answered []func(*agent.Denial)
	for i, call := range calls {
		a := g.dispatched(call)
		if a == nil {
			lines, answered = append(lines, call), append(answered, func(denial *agent.Denial) { out[i] = denial })
			continue
		}
		for _, e := range a.open() {
			if e.asks {
				lines, answered = append(lines, e.call), append(answered, func(denial *agent.Denial) {
					if denial != nil {
						a.deny(e, denial)
					}
				})
			}
		}
	}
	if len(lines) == 0 {
		return denyAll(calls, message.CallNoQuestion.Text())
	}
	for n, denial := range g.ask(ctx, lines, put) {
		answered[n](denial)
	}
	for i, call := range calls {
		if a := g.dispatched(call); a != nil {
			out[i] = a.nothingLeft(call)
		}
	}
	return out
}

// confirmAll asks again about every entry and hands them to the dispatch that is
// about to be sent.
func (g *gate) confirmAll(ctx context.Context, call agent.Call, a *admitted) *agent.Denial {
	for _, e := range a.open() {
		if denial := g.Confirm(ctx, e.call); denial != nil {
			a.deny(e, denial)
		}
	}
	if denial := a.nothingLeft(call); denial != nil {
		return denial
	}
	found, _ := call.Target.Handle.(handle)
	found.dispatch.admitted = a
	return nil
}

// parts are the entries as the guardrails count them. One that was sent took time.
func (a *admitted) parts() []guard.Part {
	out := make([]guard.Part, len(a.entries))
	for i, e := range a.entries {
		result, took := a.ended(e, agent.Result{Status: message.StatusInterrupted})
		out[i] = guard.Part{Call: event(e.call), Status: result.Status, Content: result.Content, Carried: took > 0}
	}
	return out
}

// afterAll tells the hooks how every entry ended. One without an answer of its own
// ended as the dispatch did.
func (g *gate) afterAll(ctx context.Context, a *admitted, whole agent.Result) {
	for _, e := range a.entries {
		result, took := a.ended(e, whole)
		result.Content = g.host.redact(result.Content)
		g.After(ctx, e.call, result, took)
	}
}

func (a *admitted) ended(e *hostedCall, whole agent.Result) (agent.Result, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case e.status == "":
		return agent.Result{Status: whole.Status, Content: whole.Content}, 0
	case e.outcome.Failure != nil:
		return agent.Result{Status: e.status, Content: e.outcome.Failure.Code + ": " + e.outcome.Failure.Error()}, e.took
	}
	return agent.Result{Status: e.status, Content: string(e.outcome.Response)}, e.took
}
