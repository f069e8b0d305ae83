package host

import (
	"context"
	"encoding/json"

	"hermes/backend/agent"
	"hermes/backend/gateway"
	"hermes/backend/mcp"
	"hermes/backend/registry"
)

// gatewayTools is the door of foreign clients: the same catalogue, the same
// gates, and nobody who could approve anything.
type gatewayTools struct{ tools *tools }

// GatewayTools is what the gateway offers of this host.
func (h *Host) GatewayTools() gateway.Tools {
	return gatewayTools{tools: &tools{host: h, ctx: h.ctx}}
}

// Ready waits until the servers are connected or the start limit is over.
func (g gatewayTools) Ready(ctx context.Context) {
	g.tools.host.Glance(ctx)
	g.tools.host.Wait(ctx)
	g.tools.host.refresh()
}

// Entries are the tools that are allowed now.
func (g gatewayTools) Entries() []registry.Entry {
	h := g.tools.host
	return h.coming(h.Catalog().Entries())
}

// Call asks every gate and calls.
func (g gatewayTools) Call(ctx context.Context, public string, args json.RawMessage, progress gateway.Progress) gateway.Result {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	g.tools.host.Glance(ctx)
	target, denial := g.tools.find(public, string(args))
	if denial == nil {
		denial = g.tools.Validate(target)
	}
	if denial != nil {
		return gateway.Result{Text: denial.Reason, IsError: true}
	}
	h := g.tools.host
	if reason := h.refusal(target, false); reason != "" {
		return gateway.Result{Text: reason, IsError: true}
	}
	found, ok := target.Handle.(handle)
	if reason := h.refused(found.entry); !ok || reason != "" {
		return gateway.Result{Text: "the tool was locked before this call was sent; nothing was sent", IsError: true}
	}
	if progress != nil {
		ctx = mcp.WithFastProgress(ctx, progress)
	}
	result, err := h.call(ctx, found.entry, json.RawMessage(target.Arguments))
	if err != nil {
		return gateway.Result{Text: h.redact(agent.Failed(err, true).Content), IsError: true}
	}
	return gateway.Result{Raw: result.Blocks, Text: result.Content, IsError: result.IsError}
}
