package host

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"hermes/backend/agent"
	"hermes/backend/approval"
	"hermes/backend/config"
	"hermes/backend/guard"
	"hermes/backend/hook"
	"hermes/backend/message"
	"hermes/backend/registry"
)

// gate asks, in order: hooks, guardrails, approvals. The settings are those of
// now, so that a restriction counts in the middle of a turn.
type gate struct {
	host  *Host
	watch *guard.Turn
	yolo  bool
}

// gate builds the gate of one turn.
func (h *Host) gate(p prepared) *gate {
	return &gate{host: h, yolo: p.turn.Yolo, watch: guard.NewTurn(guard.Options{
		Limits: guard.DefaultLimits(), Session: p.session,
		Dir: filepath.Join(h.options.Home.Native(), "spill"), Redactor: h.redactor(),
	})}
}

func (h *Host) redactor() *guard.Redactor { return guard.NewRedactor(h.file.Secrets()) }

func (h *Host) redact(text string) string { return h.redactor().Redact(text) }

// Before says no to what may not run at all; hooks may change the arguments.
func (g *gate) Before(context.Context, agent.Call) (string, *agent.Denial) { return "", nil }

// Judge says no with a reason, or lets the call run.
func (g *gate) Judge(ctx context.Context, call agent.Call) agent.Judgement {
	target := call.Target
	if target.Server == "" {
		// A look-up of the bridge reaches no server.
		return agent.Judgement{Ruling: agent.Run}
	}
	g.host.Glance(ctx)
	reason := g.host.refusal(target, g.yolo)
	if reason == "" {
		reason = g.watch.Before(event(call))
	}
	if reason != "" {
		return agent.Judgement{Denial: &agent.Denial{Status: message.StatusBlocked, Reason: reason}}
	}
	return agent.Judgement{Ruling: agent.Run}
}

// Ask puts calls before a person.
func (g *gate) Ask(context.Context, []agent.Call, func(string)) []*agent.Denial { return nil }

// Confirm is asked right before a call is sent.
func (g *gate) Confirm(context.Context, agent.Call) *agent.Denial { return nil }

// After is told of each terminal event.
func (g *gate) After(context.Context, agent.Call, agent.Result, time.Duration) {}

// refusal asks hooks and approvals about a call; empty lets it through. Both
// doors, the agent's and the gateway's, ask here.
func refusal(snap *config.Snapshot, target agent.Target, yolo bool) string {
	names := []string{target.Public, registry.PlainName(target.Server, target.Tool)}
	hooks := make([]hook.Rule, 0, len(snap.Restrictions.Hooks))
	for _, h := range snap.Restrictions.Hooks {
		hooks = append(hooks, hook.Rule{Event: h.Event, Matcher: h.Matcher, Command: h.Command, Where: place(snap.Path, h.Line)})
	}
	if decision := hook.Compile(hooks).Before(names...); !decision.Allowed {
		return decision.Reason
	}
	deny := make([]approval.DenyGlob, 0, len(snap.Restrictions.Deny))
	for _, pattern := range snap.Restrictions.Deny {
		deny = append(deny, approval.DenyGlob{Pattern: pattern, Where: snap.Path})
	}
	server, ok := snap.Server(target.Server)
	if !ok {
		return "the server is not configured any more"
	}
	decision := approval.New(approval.Options{Mode: snap.Restrictions.ApprovalMode, Deny: deny, Yolo: yolo}).Decide(approval.Facts{
		Public: target.Public, Server: target.Server, Tool: target.Tool, Arguments: target.Arguments,
		Untrusted: server.Untrusted, Where: place(snap.Path, server.Line), ReadOnly: target.ReadOnly, Destructive: target.Destructive,
	})
	if !decision.Allowed {
		return decision.Reason
	}
	// Sections that could not be read gate every call; only config knows them.
	if reason, line, gated := snap.Restrictions.Gate(names...); gated {
		return place(snap.Path, line) + ": " + reason
	}
	return ""
}

// Gated says why a call of this tool would be refused although the policy
// allows it: a hook, a deny glob or an approval nobody can give. Empty for none.
func (h *Host) Gated(server, tool string) string {
	snap := h.file.Current()
	public := registry.PublicNames(snap.Names(), server, []string{tool})[tool]
	return refusal(snap, agent.Target{Public: public, Server: server, Tool: tool}, false)
}

func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}

// Settle makes a result fit to be stored and read.
func (g *gate) Settle(_ context.Context, call agent.Call, result agent.Result) agent.Result {
	outcome := g.watch.After(event(call), result.Status, result.Content)
	result.Content, result.Shown, result.Halt = outcome.Content, outcome.Shown, outcome.Halt
	return result
}

func event(call agent.Call) message.CallEvent {
	return message.CallEvent{ID: call.ID, Name: call.Target.Public, Server: call.Target.Server, Tool: call.Target.Tool, Arguments: call.Target.Arguments}
}
