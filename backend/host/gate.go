package host

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"hermes/backend/agent"
	"hermes/backend/approval"
	"hermes/backend/guard"
	"hermes/backend/hook"
	"hermes/backend/message"
	"hermes/backend/registry"
	"hermes/backend/store"
)

// gate asks, in order: deny globs, hooks, guardrails, approvals. The settings are
// those of now, so that a restriction counts in the middle of a turn.
type gate struct {
	host    *Host
	watch   *guard.Turn
	reading *reading
	session string
	turn    string // names this turn to hooks
	yolo    bool
	store   *store.Store

	mu         sync.Mutex
	dispatches map[string]*admitted    // by call id
	hooks      map[string]hook.Verdict // by call id, of calls that hooks had a word on
	rules      map[string][]hook.Rule  // by call id, the hooks that were asked
	taint      *string                 // what tainted gave when the model was asked last
	stop       <-chan struct{}         // closed when the turn is stopped, nil before its first call
}

// gate builds the gate of one turn.
func (h *Host) gate(p prepared) *gate {
	reading := &reading{}
	if err := h.seal.keep(h.options.Home); err != nil {
		h.options.Logger.Warn("answers of people count for one call only, because the key of the grants cannot be kept", "error", err)
	}
	return &gate{host: h, yolo: p.turn.Yolo, session: p.session, turn: strconv.FormatInt(time.Now().UnixNano(), 36), store: p.sessions,
		hooks: map[string]hook.Verdict{}, rules: map[string][]hook.Rule{}, dispatches: map[string]*admitted{}, reading: reading, watch: h.guardTurn(p, reading.reads)}
}

// reaches tells that a call goes to a server; a look-up of the bridge does not.
func reaches(target agent.Target) bool { return target.Server != "" }

// Before asks the deny globs, so that no hook runs for what is forbidden anyway,
// and then the hooks.
func (g *gate) Before(ctx context.Context, call agent.Call) (string, *agent.Denial) {
	if !reaches(call.Target) {
		return "", nil
	}
	if entries := g.dispatched(call); entries != nil {
		g.beforeAll(ctx, entries)
		return "", nil
	}
	g.mu.Lock()
	g.stop = ctx.Done()
	g.mu.Unlock()
	g.host.Glance(ctx)
	if reason := g.host.forbidden(call.Target); reason != "" {
		return "", g.blocked(ctx, call, "rule", reason)
	}
	rules := g.host.hookRules()
	g.mu.Lock()
	g.rules[call.ID] = rules
	g.mu.Unlock()
	verdict := g.host.runner(rules).Before(ctx, hooked(g.session, g.turn, call))
	switch verdict.Decision {
	case hook.Allow:
	case hook.Ask:
		g.mu.Lock()
		g.hooks[call.ID] = verdict
		g.mu.Unlock()
	default:
		return "", g.blocked(ctx, call, "hook", g.host.redact(verdict.Reason))
	}
	return string(verdict.Arguments), nil
}

// blocked is a no that nobody was asked about.
func (g *gate) blocked(ctx context.Context, call agent.Call, by, reason string) *agent.Denial {
	_ = g.audit(ctx, call, audited{by: by}) // a no needs no record to hold
	return &agent.Denial{Status: message.StatusBlocked, Reason: reason}
}

// hooked is a call as hooks see it.
func hooked(session, turn string, call agent.Call) hook.Call {
	t, plain := call.Target, call.Target.Public
	if found, ok := t.Handle.(handle); !ok || !found.hosted {
		plain = registry.PlainName(t.Server, t.Tool)
	}
	return hook.Call{Session: session, Turn: turn, ID: call.ID, Public: t.Public, Plain: plain,
		Server: t.Server, Tool: t.Tool, Arguments: json.RawMessage(t.Arguments)}
}

// Judge asks the guardrails and then whether a person has to be asked.
func (g *gate) Judge(ctx context.Context, call agent.Call) agent.Judgement {
	if !reaches(call.Target) {
		return agent.Judgement{Ruling: agent.Run}
	}
	if entries := g.dispatched(call); entries != nil {
		return g.judgeAll(ctx, call, entries)
	}
	g.reading.note(g.host, call.Target)
	if reason := g.watch.Before(event(call)); reason != "" {
		return agent.Judgement{Denial: &agent.Denial{Status: message.StatusBlocked, Reason: reason}}
	}
	return g.judge(ctx, call)
}

// judge asks whether a person has to be asked.
func (g *gate) judge(ctx context.Context, call agent.Call) agent.Judgement {
	held := g.rule(ctx, call)
	switch held.decision.Outcome {
	case approval.Allowed:
		if held.decision.Lifted {
			if denial := g.let(ctx, call, audited{allowed: true, by: "yolo", codes: held.decision.Codes()}); denial != nil {
				return agent.Judgement{Denial: denial}
			}
		}
		return agent.Judgement{Ruling: agent.Run, Held: held}
	case approval.Asks:
		grant, covered := g.covered(ctx, held)
		if !covered {
			return agent.Judgement{Ruling: agent.NeedsPerson, Held: held}
		}
		held.granted = true
		if denial := g.let(ctx, call, audited{allowed: true, by: "grant " + strconv.FormatInt(grant.ID, 10), scope: grant.Scope, codes: held.decision.Codes()}); denial != nil {
			return agent.Judgement{Denial: denial}
		}
		return agent.Judgement{Ruling: agent.Run, Held: held}
	}
	return agent.Judgement{Denial: g.blocked(ctx, call, "rule", held.decision.Reason)}
}

// Settle makes a result fit to be stored and read, and remembers whose it is.
func (g *gate) Settle(_ context.Context, call agent.Call, result agent.Result) agent.Result {
	if reaches(call.Target) {
		g.host.taints.add(g.session, call.Target.Server, result.Status)
	}
	var outcome guard.Outcome
	if entries := g.dispatched(call); entries != nil {
		outcome = g.watch.AfterParts(event(call), result.Content, entries.parts())
	} else {
		outcome = g.watch.After(event(call), result.Status, result.Content)
	}
	if result.Shown != "" { // people are told this and not what the model reads
		outcome.Shown = g.host.redact(result.Shown)
	}
	result.Content, result.Shown, result.Halt = outcome.Content, outcome.Shown, outcome.Halt
	return result
}

// After tells the hooks how a call ended, and waits for them as long as the turn
// and the program go on.
func (g *gate) After(ctx context.Context, call agent.Call, result agent.Result, took time.Duration) {
	if !reaches(call.Target) {
		return
	}
	if entries := g.dispatched(call); entries != nil {
		g.afterAll(ctx, entries, result)
		return
	}
	g.mu.Lock()
	stop := g.stop
	g.mu.Unlock()
	outcome := ended(result, took)
	select {
	case <-stop:
		outcome.stopped()
	default:
	}
	told := g.host.hooks().After(ctx, hooked(g.session, g.turn, call), outcome.Outcome)
	select {
	case <-told:
	case <-stop:
	case <-g.host.ctx.Done():
	}
}

// outcome is how a call ended, for hooks.
type outcome struct{ hook.Outcome }

func ended(result agent.Result, took time.Duration) outcome {
	return outcome{hook.Outcome{Status: result.Status, Content: message.Unfence(result.Content), Duration: took, ErrorType: result.Kind}}
}

// stopped says of a call without an answer that a person stopped it, and not that
// its time was over.
func (o *outcome) stopped() {
	if o.Status == message.StatusUnknown {
		o.ErrorType = "tool_interrupted"
	}
}

func event(call agent.Call) message.CallEvent {
	return message.CallEvent{ID: call.ID, Name: call.Target.Public, Server: call.Target.Server, Tool: call.Target.Tool, Arguments: call.Target.Arguments}
}
