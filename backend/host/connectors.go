package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"hermes/backend/agent"
	"hermes/backend/approval"
	"hermes/backend/config"
	"hermes/backend/connector"
	"hermes/backend/hook"
	"hermes/backend/message"
	"hermes/backend/registry"
)

// maxHostedKnown is how many descriptions of hosted tools are remembered.
const maxHostedKnown = 1000

// connectors are the gateway of now and what it said of its tools. The zero value
// knows none.
type connectors struct {
	mu      sync.Mutex
	access  config.ConnectorAccess
	gateway *connector.Gateway
	known   map[string]registry.HostedTool
}

// unconnected says why no tool behind the gateway may be called now; empty where
// they may. The file that is pending is asked, too.
func (h *Host) unconnected() (reason string) {
	if pending := h.file.Pending(); pending != nil {
		if ok, problem := pending.MayConnect(); !ok {
			return problem.Message
		}
	}
	return unconnected(h.file.Current())
}

func unconnected(snap *config.Snapshot) string {
	if ok, problem := snap.MayConnect(); !ok {
		return problem.Message
	}
	return ""
}

// gateway gives the connectors gateway, or says why there is none.
func (h *Host) gateway() (gateway *connector.Gateway, reason string) {
	if reason := h.unconnected(); reason != "" {
		return nil, reason
	}
	access, err := h.file.Current().ResolveConnectors(h.options.Getenv)
	if err != nil {
		return nil, err.Error()
	}
	c := &h.connectors
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gateway != nil && c.access == access {
		return c.gateway, ""
	}
	made, err := connector.New(connector.Options{URL: access.URL, Token: access.Token, Logger: h.options.Logger})
	if err != nil {
		return nil, err.Error()
	}
	if c.gateway != nil {
		c.gateway.Close()
	}
	c.access, c.gateway, c.known = access, made, map[string]registry.HostedTool{}
	return made, ""
}

func (c *connectors) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gateway != nil {
		c.gateway.Close()
	}
}

// remember keeps what the gateway said of tools: it is what arguments are checked
// against, and what a person's yes is bound to.
func (c *connectors) remember(of *connector.Gateway, tools []registry.HostedTool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gateway != of {
		return // it was replaced meanwhile
	}
	if len(c.known)+len(tools) > maxHostedKnown {
		c.known = map[string]registry.HostedTool{}
	}
	for _, tool := range tools {
		c.known[tool.Name] = tool
	}
}

// described is what the gateway said of a tool; one without a schema is one it was
// asked about and does not know.
func (c *connectors) described(name string) (tool registry.HostedTool, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tool = c.known[name]
	return tool, len(tool.Parameters) > 0
}

// where is the gateway of now, with the token: another one may be of another account.
func (c *connectors) where() config.ConnectorAccess {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.access
}

// hosted gives the tools behind the gateway to the catalogue; nil for none.
func (h *Host) hosted() registry.Hosted {
	gateway, reason := h.gateway()
	if reason != "" {
		return nil
	}
	return &hostedTools{h, gateway}
}

type hostedTools struct {
	host    *Host
	gateway *connector.Gateway
}

// Search implements registry.Hosted.
func (t *hostedTools) Search(ctx context.Context, queries []string, limit int) ([][]registry.HostedTool, error) {
	found, err := t.gateway.Search(ctx, queries, limit)
	if err != nil {
		return nil, err
	}
	out := make([][]registry.HostedTool, len(found))
	for i, tools := range found {
		out[i] = hostedOf(tools)
	}
	return out, nil
}

// Describe implements registry.Hosted.
func (t *hostedTools) Describe(ctx context.Context, names []string) ([]registry.HostedTool, error) {
	found, err := t.gateway.List(ctx, names)
	if err != nil {
		return nil, err
	}
	tools := hostedOf(found)
	t.host.connectors.remember(t.gateway, tools)
	return tools, nil
}

func hostedOf(tools []connector.Tool) []registry.HostedTool {
	out := make([]registry.HostedTool, len(tools))
	for i, tool := range tools {
		out[i] = registry.HostedTool(tool)
	}
	return out
}

// validateHosted checks arguments against what the gateway said of the tool; what it
// does not describe is its own to check.
func (h *Host) validateHosted(target agent.Target) *registry.Invalid {
	tool, _ := h.connectors.described(target.Public)
	return registry.Validate(tool.Parameters, json.RawMessage(target.Arguments))
}

// decideHosted decides about a call behind the gateway. Such a tool is no server's:
// it acts in somebody's account and reaches outside, so a person is asked unless
// the file says `trust: full`.
func (h *Host) decideHosted(snap *config.Snapshot, q query) *ruling {
	out := &ruling{query: q}
	if reason := unconnected(snap); reason != "" {
		out.decision.Reason = reason + ". The call was not sent."
		return out
	}
	t, yes := q.target, true
	tool, known := h.connectors.described(t.Public)
	out.facts = approval.Facts{
		Public: t.Public, Server: t.Server, Tool: t.Tool, Arguments: t.Arguments,
		Untrusted: !snap.Settings.Connectors.Trusted, Where: place(snap.Path, snap.Settings.Connectors.Line()), OpenWorld: &yes,
		HookAsks: q.verdict.Decision == hook.Ask, Hook: h.maskKnown(q.verdict.Reason), HookRule: q.verdict.RuleKey,
		OwnFiles: q.own, Tainted: q.tainted,
	}
	identity, kept := h.sealed(h.connectors.where())
	if out.facts.Identity = hostedIdentity + identity; known && kept {
		out.facts.Definition = "hosted:" + digest(tool.Name, tool.Description, string(tool.Parameters))
	}
	out.decision = rules(snap, q.yolo).Decide(out.facts)
	return out
}

// hostedIdentity begins what a grant for a hosted tool is bound to.
const hostedIdentity = "connectors:"

// hostedVoid says why a grant of that identity lets nothing through now.
func (h *Host) hostedVoid(identity string) (reason string) {
	if _, reason := h.gateway(); reason != "" {
		return h.redact(reason)
	}
	if now, kept := h.sealed(h.connectors.where()); !kept || identity != hostedIdentity+now {
		return message.GrantConnectors.Text()
	}
	return ""
}

func digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		one := sha256.Sum256([]byte(text))
		sum.Write(one[:])
	}
	return hex.EncodeToString(sum.Sum(nil))
}
