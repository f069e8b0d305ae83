package host

import (
	"cmp"
	"context"
	"strconv"

	"hermes/backend/agent"
	"hermes/backend/approval"
	"hermes/backend/config"
	"hermes/backend/hook"
	"hermes/backend/policy"
	"hermes/backend/registry"
)

// query is what is asked about one call; ruling is the answer.
type query struct {
	target agent.Target
	yolo   bool
	// verdict is a hook's word, where one wants a person.
	verdict hook.Verdict
	// own names a file of ours among the arguments, tainted an untrusted server
	// whose result the conversation holds; both empty for none.
	own, tainted string
}

type ruling struct {
	query    query
	decision approval.Decision
	facts    approval.Facts
	granted  bool // a grant let it through
	answered bool // a person did
}

// answers tells whether the yes that a person gave to this ruling is one to what
// is asked now: of the same program and definition, for no new reason.
func (r *ruling) answers(now *ruling) bool {
	if r.facts.Identity != now.facts.Identity {
		return false
	}
	if r.facts.Definition != "" && now.facts.Definition != "" && r.facts.Definition != now.facts.Definition {
		return false
	}
	// A person who was asked about one file of ours was not asked about another.
	if now.facts.OwnFiles != "" && now.facts.OwnFiles != r.facts.OwnFiles || now.facts.HookAsks && now.facts.HookRule != r.facts.HookRule {
		return false
	}
	for _, why := range now.decision.Why {
		if !r.decision.Has(why.Code) {
			return false
		}
	}
	return true
}

// rule decides about a call of a conversation.
func (g *gate) rule(ctx context.Context, call agent.Call) *ruling {
	q := query{target: call.Target, yolo: g.yolo, tainted: g.tainted(ctx)}
	g.mu.Lock()
	q.verdict = g.hooks[call.ID]
	g.mu.Unlock()
	q.own, _ = g.host.ownFiles(call.Target.Server, g.session).Touches(call.Target.Arguments)
	return g.host.decide(q)
}

// decide asks the approvals of the file in force and of the one that is pending;
// the stricter answer counts.
func (h *Host) decide(q query) *ruling {
	out := h.decideIn(h.file.Current(), q)
	pending := h.file.Pending()
	if pending == nil || out.decision.Outcome == approval.Denied {
		return out
	}
	coming := h.decideIn(pending, q)
	if strict(coming.decision.Outcome) > strict(out.decision.Outcome) {
		return coming
	}
	return out
}

func strict(o approval.Outcome) int {
	switch o {
	case approval.Allowed:
		return 0
	case approval.Asks:
		return 1
	}
	return 2
}

func (h *Host) decideIn(snap *config.Snapshot, q query) *ruling {
	found, _ := q.target.Handle.(handle)
	if found.hosted {
		return h.decideHosted(snap, q)
	}
	out := &ruling{query: q}
	server, ok := snap.Server(q.target.Server)
	if !ok {
		out.decision.Reason = "The server is not configured any more. The call was not sent."
		return out
	}
	t := q.target
	out.facts = approval.Facts{
		Public: t.Public, Server: t.Server, Tool: t.Tool, Arguments: t.Arguments,
		Untrusted: server.Untrusted, Where: place(snap.Path, server.Line), ReadOnly: t.ReadOnly, Destructive: t.Destructive,
		HookAsks: q.verdict.Decision == hook.Ask, Hook: h.maskKnown(q.verdict.Reason), HookRule: q.verdict.RuleKey,
		OwnFiles: q.own, Tainted: q.tainted,
	}
	identity, kept := h.connection(snap, server)
	out.facts.Identity = identity
	out.facts.OpenWorld = found.entry.OpenWorld
	if kept {
		out.facts.Definition = h.definition(server, t.Tool, found.entry.Helper)
	}
	out.decision = rules(snap, q.yolo).Decide(out.facts)
	return out
}

// rules are the approval settings of a snapshot.
func rules(snap *config.Snapshot, yolo bool) approval.Rules {
	deny := make([]approval.DenyGlob, 0, len(snap.Restrictions.Deny))
	for _, pattern := range snap.Restrictions.Deny {
		deny = append(deny, approval.DenyGlob{Pattern: pattern, Where: snap.Path})
	}
	return approval.New(approval.Options{Mode: snap.Restrictions.ApprovalMode, Deny: deny, Yolo: yolo})
}

// forbidden says why no flag and no person lets a call through: a deny glob, or a
// section that may hold one and cannot be read. Empty for neither.
func (h *Host) forbidden(target agent.Target) string {
	if pending := h.file.Pending(); pending != nil {
		if reason := forbidden(pending, target); reason != "" {
			return reason
		}
	}
	return forbidden(h.file.Current(), target)
}

func forbidden(snap *config.Snapshot, target agent.Target) string {
	facts := approval.Facts{Public: target.Public, Server: target.Server, Tool: target.Tool, Arguments: target.Arguments}
	if reason := rules(snap, false).Denies(facts); reason != "" {
		return reason
	}
	// Sections that could not be read gate every call; only config knows them.
	if reason, line, gated := snap.Restrictions.Gate(target.Public, registry.PlainName(target.Server, target.Tool)); gated {
		return place(snap.Path, line) + ": " + reason
	}
	return ""
}

// helperBinding begins the definition of a helper.
const helperBinding = "helper:"

// definition is the hash of what a server says of a tool, as it is connected or
// as it was accepted last; empty where neither is known.
func (h *Host) definition(server *config.Server, tool string, helper policy.Helper) string {
	if helper != "" {
		return helperBinding + string(helper) // these are ours
	}
	if status, live := h.live(server); live {
		for i := range status.Tools {
			if status.Tools[i].Name == tool {
				return definitionOf(&status.Tools[i]).Hash()
			}
		}
		return ""
	}
	key, target, ok := pinKey(server)
	if !ok {
		return ""
	}
	sight, _ := h.pins.List(key, target)
	for i := range sight.Tools {
		if sight.Tools[i].Name == tool {
			return sight.Tools[i].Definition.Hash()
		}
	}
	return ""
}

// Standing says what a call of a tool would meet although the policy allows it.
// refused is why it would not run at all; asks is why a person is asked at the
// call, and granted that a person said "always" to it. decides tells that hooks
// have a word at the call. All are empty for nothing.
type Standing struct {
	Refused, Asks string
	Decides       string
	Code          string
	Granted       int64
}

// Gated says what a call of this tool would meet although the policy allows it. It
// runs no hook: what a hook says depends on the call.
func (h *Host) Gated(ctx context.Context, server, tool string) Standing {
	public := registry.PublicNames(h.file.Current().Names(), server, []string{tool})[tool]
	target := agent.Target{Public: public, Server: server, Tool: tool}
	if reason := h.forbidden(target); reason != "" {
		return Standing{Refused: reason, Code: "deny"}
	}
	refused, decides := h.hookStanding(public, registry.PlainName(server, tool))
	if refused != "" {
		return Standing{Refused: refused, Code: "hook"}
	}
	held := h.decide(query{target: target})
	switch held.decision.Outcome {
	case approval.Allowed:
		return Standing{Decides: decides}
	case approval.Denied:
		return Standing{Refused: held.decision.Reason, Code: cmp.Or(held.decision.Rule, "unknown")}
	}
	why := held.decision.Why[0]
	out := Standing{Asks: why.Text + "; a person is asked at the call", Code: why.Code, Decides: decides}
	if grants, err := h.grantsInForce(ctx); err == nil {
		if grant, covered := held.decision.Covered("", held.facts, grants); covered {
			out.Asks, out.Granted = "a person said always to this tool (grant "+strconv.FormatInt(grant.ID, 10)+", `hermes mcp grants` shows it)", grant.ID
		}
	}
	return out
}

func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}
