package host

import (
	"context"
	"strings"

	"hermes/backend/approval"
	"hermes/backend/config"
	"hermes/backend/policy"
	"hermes/backend/registry"
	"hermes/backend/store"
)

// Why a grant ended, as the audit keeps it.
const (
	endedRemoved    = "its server was removed"
	endedDisabled   = "its server was disabled"
	endedForbidden  = "the rules forbade its tool"
	endedDenied     = "approvals.deny forbade its tool"
	endedDefinition = "the server described its tool in another way"
)

// endGrants takes back every yes to what the policy in force forbids, and to a tool
// that is another one by now: a yes never outlives that, also where it is undone
// later. A fault of the file decides nothing and ends nothing.
func (h *Host) endGrants() {
	h.ending.Lock()
	defer h.ending.Unlock()
	snap := h.file.Current()
	if snap.Broken || !h.HasSessions() {
		return
	}
	// It is to be written down also where the program ends at once.
	ctx := context.WithoutCancel(h.ctx)
	sessions, err := h.Sessions()
	if err != nil {
		return
	}
	stored, err := sessions.Grants(ctx)
	if err != nil {
		h.options.Logger.Warn("the grants could not be read", "error", err)
		return
	}
	for _, g := range stored {
		reason := h.ended(snap, g)
		if !g.Allow || reason == "" {
			continue
		}
		err := sessions.Audit(ctx, store.AuditEntry{Session: g.Session, Event: "grant", Server: g.Server, Tool: g.Tool, Decision: "ended", Reason: reason})
		if err == nil {
			err = sessions.RevokeGrants(ctx, g.ID)
		}
		if err != nil {
			h.options.Logger.Warn("a grant could not be ended; it lets nothing through meanwhile", "grant", g.ID, "error", err)
			return
		}
		h.options.Logger.Info("a grant ended", "grant", g.ID, "server", g.Server, "tool", g.Tool, "reason", reason)
	}
}

// ended says why a yes is over, empty where it is not.
func (h *Host) ended(snap *config.Snapshot, g store.Grant) string {
	binding, _, _ := strings.Cut(g.Definition, ".") // without a hook's rule and the taint
	if strings.HasPrefix(g.Identity, hostedIdentity) {
		if snap.Settings.Connectors.Off || snap.Settings.Connectors.URL == "" {
			return endedRemoved
		}
		return ""
	}
	server, ok := snap.Server(g.Server)
	switch {
	case !ok:
		return endedRemoved
	case server.Rules.Broken() || server.Rules.State() == policy.StateInvalid:
		return ""
	case !server.Enabled:
		return endedDisabled
	}
	helper, isHelper := strings.CutPrefix(binding, helperBinding)
	verdict := server.Rules.Tool(g.Tool)
	if isHelper {
		verdict = server.Rules.Helper(policy.Helper(helper))
	}
	if !verdict.Allowed {
		return endedForbidden
	}
	public := registry.PublicNames(snap.Names(), g.Server, []string{g.Tool})[g.Tool]
	if rules(snap, false).Denies(approval.Facts{Public: public, Server: g.Server, Tool: g.Tool}) != "" {
		return endedDenied
	}
	if identity, kept := h.connection(snap, server); isHelper || !kept || identity != g.Identity {
		return ""
	}
	if now := h.definition(server, g.Tool, ""); now != "" && now != binding {
		return endedDefinition
	}
	return ""
}
