package host

import (
	"context"
	"slices"

	"hermes/backend/agent"
	"hermes/backend/approval"
	"hermes/backend/hook"
	"hermes/backend/message"
	"hermes/backend/registry"
)

// Confirm asks again what may have changed since: an approval or an earlier call
// may have taken minutes. What is asked now and was not asked of a person then is
// refused, and the model is told to make the call again.
func (g *gate) Confirm(ctx context.Context, call agent.Call) *agent.Denial {
	if !reaches(call.Target) {
		return nil
	}
	if entries := g.dispatched(call); entries != nil {
		return g.confirmAll(ctx, call, entries)
	}
	held, ok := call.Held.(*ruling)
	if !ok {
		return &agent.Denial{Status: message.StatusBlocked, Reason: message.CallUndecided.Text()}
	}
	// What was written while a person read may not have been told yet.
	g.host.Glance(ctx)
	if denial := g.locked(ctx, call); denial != nil {
		return denial
	}
	q := held.query
	q.target = call.Target
	// An earlier call may have made a link since, or a person another home.
	q.own, _ = g.host.ownFiles(call.Target.Server, g.session).Touches(call.Target.Arguments)
	verdict, denial := g.hookedSince(ctx, call)
	switch {
	case denial != nil:
		return denial
	case verdict.Decision == hook.Ask:
		q.verdict = verdict
	}
	return g.hold(ctx, call, held, g.host.decide(q))
}

// hold compares what is asked now with what was decided.
func (g *gate) hold(ctx context.Context, call agent.Call, held, now *ruling) *agent.Denial {
	switch now.decision.Outcome {
	case approval.Allowed:
		return nil
	case approval.Denied:
		return g.blocked(ctx, call, "rule", now.decision.Reason)
	}
	if held.granted {
		if _, covered := g.covered(ctx, now); covered {
			return nil
		}
	}
	if held.answered && held.answers(now) {
		return nil
	}
	because := message.AskedSince.Text()
	if now.facts.OwnFiles != "" && now.facts.OwnFiles != held.facts.OwnFiles {
		because = message.AskedSinceOwn.Text()
	}
	return g.blocked(ctx, call, "rule", g.host.redact(now.decision.Again(because)))
}

// locked says no to what the rules and the deny globs of this moment forbid.
func (g *gate) locked(ctx context.Context, call agent.Call) *agent.Denial {
	if found, _ := call.Target.Handle.(handle); !found.hosted && g.host.refused(found.entry) != "" {
		_ = g.audit(ctx, call, audited{by: "rule"}) // a no needs no record to hold
		return &agent.Denial{Status: message.StatusDenied, Reason: registry.ErrorJSON(message.CallLocked.Text()), Shown: message.CallLocked.Text(), Said: []message.Saying{message.Say(message.CallLocked)}}
	}
	if reason := g.host.forbidden(call.Target); reason != "" {
		return g.blocked(ctx, call, "rule", reason)
	}
	return nil
}

// hookedSince asks the hooks that were not there when the hooks were asked. They see
// the arguments as they would be sent, which nothing may change any more. A hook
// that was asked and that a person does not trust any more as it is, because the
// trust was taken back or its script is another one, decided nothing.
func (g *gate) hookedSince(ctx context.Context, call agent.Call) (hook.Verdict, *agent.Denial) {
	seen := hooked(g.session, g.turn, call)
	if refused, _ := g.host.hooks().Standing(seen.Public, seen.Plain); refused != "" {
		return hook.Verdict{}, g.blocked(ctx, call, "hook", g.host.redact(refused))
	}
	g.mu.Lock()
	asked := g.rules[call.ID]
	g.mu.Unlock()
	fresh := slices.DeleteFunc(g.host.hookRules(), func(rule hook.Rule) bool { return slices.ContainsFunc(asked, rule.Same) })
	if len(fresh) == 0 {
		return hook.Verdict{Decision: hook.Allow}, nil
	}
	verdict := g.host.runner(fresh).Before(ctx, seen)
	switch {
	case verdict.Decision != hook.Allow && verdict.Decision != hook.Ask:
		return verdict, g.blocked(ctx, call, "hook", g.host.redact(verdict.Reason))
	case verdict.Arguments != nil && string(verdict.Arguments) != call.Target.Arguments:
		return verdict, g.blocked(ctx, call, "hook", message.HookAdded.Text())
	}
	return verdict, nil
}
