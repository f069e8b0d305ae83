package host

import (
	"context"
	"fmt"
	"strings"

	"hermes/backend/agent"
	"hermes/backend/approval"
	"hermes/backend/message"
	"hermes/backend/registry"
)

// maxShownArguments bounds the arguments of one entry of a card, in bytes.
const maxShownArguments = 200_000

// ask puts calls before a person on one card and gives what became of each. No
// answer is no.
func (g *gate) ask(ctx context.Context, calls []agent.Call, put func(card string)) []*agent.Denial {
	out := make([]*agent.Denial, len(calls))
	question := approval.Question{Kind: approval.KindCalls, Session: g.session, Wait: g.host.file.Current().Restrictions.ApprovalTimeout}
	held := make([]*ruling, len(calls))
	for i, call := range calls {
		r, ok := call.Held.(*ruling)
		if !ok {
			return denyAll(calls, message.CallNoReason.Text())
		}
		held[i] = r
		question.Calls = append(question.Calls, g.entry(call, r))
	}
	question.Server, question.Message = subject(calls)
	answer, err := g.host.put(ctx, question, put)
	if err != nil {
		g.host.options.Logger.Warn("a card could not be put", "error", err)
	}
	for i, call := range calls {
		out[i] = g.answer(ctx, call, held[i], answer)
	}
	return out
}

func denyAll(calls []agent.Call, reason string) []*agent.Denial {
	out := make([]*agent.Denial, len(calls))
	for i := range out {
		out[i] = &agent.Denial{Status: message.StatusBlocked, Reason: reason}
	}
	return out
}

// subject names the server where all calls go to one, and says what is asked.
func subject(calls []agent.Call) (server, text string) {
	server = calls[0].Target.Server
	for _, call := range calls {
		if call.Target.Server != server {
			server = ""
		}
	}
	if len(calls) == 1 {
		return server, "One call waits for your answer."
	}
	return server, fmt.Sprintf("%d calls wait for your answer.", len(calls))
}

// entry is a call on a card. Of what is shown only secrets that are known are taken
// out: the model wrote it, and what merely looks like a secret could hide the rest of
// a command from the person who is asked about it.
func (g *gate) entry(call agent.Call, r *ruling) approval.CallAsk {
	t := call.Target
	return approval.CallAsk{
		Call: call.ID, Public: t.Public, Server: t.Server, Tool: t.Tool,
		Arguments: approval.Excerpt(g.host.maskKnown(t.Arguments), maxShownArguments), Definition: r.facts.Definition,
		Why: r.decision.Why, Scopes: r.decision.Scopes,
		ReadOnly: t.ReadOnly, Destructive: t.Destructive, OpenWorld: r.facts.OpenWorld,
		Handle: t.Handle,
	}
}

// trusting is what a person writes so that a server's trust is no reason to ask.
func trusting(server string) string {
	if server == registry.Connector {
		return "`connectors: {trust: full}`"
	}
	return fmt.Sprintf("`trust: full` for the server %q", server)
}

// answer is what became of one entry of a card.
func (g *gate) answer(ctx context.Context, call agent.Call, r *ruling, answer approval.Answer) *agent.Denial {
	codes := r.decision.Codes()
	deny := func(by, reason string) *agent.Denial {
		_ = g.audit(ctx, call, audited{by: by, codes: codes})
		return &agent.Denial{Status: message.StatusDenied, Reason: reason}
	}
	var choice approval.Choice
	found := false
	for _, c := range answer.Choices {
		if c.Call == call.ID {
			choice, found = c, true
		}
	}
	switch {
	case !found:
		by, reason := "nobody", r.decision.Unasked(trusting(call.Target.Server), answer.Reason)
		if answer.Action == approval.ActionDecline {
			by, reason = "timeout", message.NoYesFor.Text(answer.Reason)
		}
		return deny(by, g.host.redact(r.decision.Refused(reason)))
	case choice.Withdrawn:
		said := message.Say(message.CallLockedAsked, choice.Reason)
		locked := deny("rule", registry.ErrorJSON(said.Text))
		locked.Shown, locked.Said = said.Text, []message.Saying{said}
		return locked
	case !choice.Allow:
		return deny("a person", denied(g.host.redact(choice.Reason)))
	}
	if err := g.remember(ctx, r, choice.Scope); err != nil {
		g.host.options.Logger.Warn("an answer was not recorded", "call", call.ID, "error", err)
		return deny("the store", message.CallAnswerLost.Text())
	}
	if denial := g.let(ctx, call, audited{allowed: true, by: "a person", scope: choice.Scope, codes: codes}); denial != nil {
		return denial
	}
	r.answered = true
	return nil
}

// denied is what the model reads of a person's no.
func denied(reason string) string {
	if reason = strings.TrimSpace(reason); reason == "" {
		return message.CallDenied.Text()
	}
	if !strings.HasSuffix(reason, ".") && !strings.HasSuffix(reason, "!") && !strings.HasSuffix(reason, "?") {
		reason += "."
	}
	return message.CallDeniedSaying.Text(reason)
}
