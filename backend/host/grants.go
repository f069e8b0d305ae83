package host

import (
	"context"
	"strings"

	"hermes/backend/agent"
	"hermes/backend/approval"
	"hermes/backend/message"
	"hermes/backend/store"
)

// Grants lists what is remembered of people's answers, oldest first. Where
// nothing was stored yet it makes no file.
func (h *Host) Grants(ctx context.Context) ([]store.Grant, error) {
	if !h.HasSessions() {
		return nil, nil
	}
	sessions, err := h.Sessions()
	if err != nil {
		return nil, err
	}
	return sessions.Grants(ctx)
}

// RevokeGrants forgets answers: what they let through asks again.
func (h *Host) RevokeGrants(ctx context.Context, ids ...int64) error {
	if !h.HasSessions() {
		return nil
	}
	sessions, err := h.Sessions()
	if err != nil {
		return err
	}
	return sessions.RevokeGrants(ctx, ids...)
}

// GrantVoid says why a grant lets nothing through as things stand, empty where it
// does. The definition of the tool is compared at the call.
func (h *Host) GrantVoid(grant store.Grant) (reason string) {
	if strings.HasPrefix(grant.Identity, hostedIdentity) {
		return h.hostedVoid(grant.Identity)
	}
	snap := h.file.Current()
	server, reason := runs(snap, grant.Server)
	if reason != "" {
		return reason
	}
	identity, kept := h.connection(snap, server)
	switch {
	case !strings.HasPrefix(grant.Identity, exactly):
		return message.GrantEarlier.Text()
	case !kept:
		return message.GrantUnknown.Text()
	case identity != grant.Identity:
		return message.GrantOther.Text()
	}
	return ""
}

// covered looks for a grant that answers a ruling. A store that cannot be read
// has none.
func (g *gate) covered(ctx context.Context, r *ruling) (approval.Grant, bool) {
	grants, err := g.host.grantsInForce(context.WithoutCancel(ctx))
	if err != nil {
		g.host.options.Logger.Warn("the grants could not be read, so a person is asked", "error", err)
		return approval.Grant{}, false
	}
	return r.decision.Covered(g.session, r.facts, grants)
}

// remember stores what a person's yes leaves behind.
func (g *gate) remember(ctx context.Context, r *ruling, scope approval.Scope) error {
	for _, grant := range r.decision.Grants(g.session, r.facts, scope) {
		err := g.store.AddGrant(context.WithoutCancel(ctx), store.Grant{Session: grant.Session, Server: grant.Server, Tool: grant.Tool,
			Identity: grant.Identity, Definition: grant.Definition, Allow: true, Scope: string(grant.Scope), Reason: r.decision.Codes()})
		if err != nil {
			return err
		}
		if err := g.host.gave(context.WithoutCancel(ctx), grant); err != nil {
			return err
		}
	}
	return nil
}

// audited is one decision as the audit keeps it: who decided, for how long, and
// for which reasons a person had to. It holds no arguments and no texts.
type audited struct {
	allowed   bool
	by, codes string
	scope     approval.Scope
}

// audit records a decision; its error is told, because what is not recorded may
// not run.
func (g *gate) audit(ctx context.Context, call agent.Call, a audited) error {
	decision := "deny"
	if a.allowed {
		decision = "allow"
	}
	reason := "by " + a.by
	if a.scope != "" {
		reason += "; " + string(a.scope)
	}
	if a.codes != "" {
		reason += "; asked for " + a.codes
	}
	err := g.store.Audit(context.WithoutCancel(ctx), store.AuditEntry{Session: g.session, Call: call.ID, Event: "approval",
		Server: call.Target.Server, Tool: call.Target.Tool, Decision: decision, Reason: reason})
	if err != nil {
		g.host.options.Logger.Warn("a decision was not recorded", "call", call.ID, "error", err)
	}
	return err
}

// let records that a call may run, or refuses it.
func (g *gate) let(ctx context.Context, call agent.Call, a audited) *agent.Denial {
	if g.audit(ctx, call, a) != nil {
		return &agent.Denial{Status: message.StatusBlocked, Reason: message.CallYesLost.Text()}
	}
	return nil
}
