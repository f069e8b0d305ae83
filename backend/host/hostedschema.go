package host

import (
	"context"
	"errors"

	"hermes/backend/connector"
	"hermes/backend/message"
	"hermes/backend/registry"
)

// learn asks the gateway, once in this program, for the descriptions of the entries
// that are about to be checked: the first call of a tool is checked like every other.
// Where the gateway does not say, nothing of an entry it was asked about is sent.
// What it does not know itself is its own to refuse.
func (g *gate) learn(ctx context.Context, a *admitted) {
	gateway, reason := g.host.gateway()
	if reason != "" {
		return // every entry is refused for that before it is sent
	}
	var names []string
	asked := map[string][]*hostedCall{}
	for _, e := range a.open() {
		name := e.call.Target.Public
		if g.host.connectors.asked(name) || g.host.forbidden(e.call.Target) != "" {
			continue
		}
		if asked[name] = append(asked[name], e); len(asked[name]) == 1 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	found, err := gateway.List(ctx, names)
	if err == nil {
		g.host.connectors.remember(gateway, append(unknownHosted(names), hostedOf(found)...))
		return
	}
	failure := connector.Failure{Code: connector.CodeProviderError, Message: err.Error()}
	if told := (*connector.Failure)(nil); errors.As(err, &told) {
		failure = *told
	}
	failure.Message += "; the arguments could not be checked, so nothing of this entry was sent"
	for _, entries := range asked {
		for _, e := range entries {
			if ctx.Err() != nil {
				a.fail(e, message.StatusInterrupted, connector.Failure{Code: connector.CodeInterrupted, Message: "the turn was stopped before this entry was sent; nothing of it was sent"})
				continue
			}
			a.fail(e, message.StatusError, failure)
		}
	}
}

// unknownHosted are tools of which nothing is known but that the gateway was asked.
func unknownHosted(names []string) []registry.HostedTool {
	out := make([]registry.HostedTool, len(names))
	for i, name := range names {
		out[i] = registry.HostedTool{Name: name}
	}
	return out
}

// asked tells whether the gateway of now was asked about a tool.
func (c *connectors) asked(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, asked := c.known[name]
	return asked
}
