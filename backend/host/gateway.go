package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"
	"time"

	"hermes/backend/agent"
	"hermes/backend/approval"
	"hermes/backend/gateway"
	"hermes/backend/hook"
	"hermes/backend/mcp"
	"hermes/backend/message"
	"hermes/backend/registry"
)

// gatewayTools is the door of foreign clients: the same catalogue, the same
// gates, and nobody who could approve anything.
type gatewayTools struct {
	host *Host

	mu sync.Mutex
	// until says for each server that may run how long a list waits for it.
	until map[string]time.Time
}

// GatewayTools is what the gateway offers of this host.
func (h *Host) GatewayTools() gateway.Tools {
	return &gatewayTools{host: h, until: map[string]time.Time{}}
}

// Ready waits until the servers are connected or the start limit is over. The
// limit is counted once for each server, from the first list that found it to
// run: one that hangs must not hold up every list.
func (g *gatewayTools) Ready(ctx context.Context) {
	g.host.Glance(ctx)
	if names, until := g.awaited(time.Now()); len(names) > 0 {
		if manager, err := g.host.servers(); err == nil {
			ctx, cancel := context.WithDeadline(ctx, until)
			manager.Wait(ctx, names)
			cancel()
		}
	}
	g.host.refresh()
}

// awaited are the servers whose time is not over, and when the last one's is.
func (g *gatewayTools) awaited(now time.Time) (names []string, until time.Time) {
	snap := g.host.file.Current()
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.until
	g.until = map[string]time.Time{}
	for _, name := range snap.Names() {
		if ok, _ := snap.MayRun(name); !ok {
			continue
		}
		end, known := before[name]
		if !known {
			end = now.Add(snap.Settings.StartWait)
		}
		g.until[name] = end
		if now.Before(end) {
			names = append(names, name)
			until = later(until, end)
		}
	}
	return names, until
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Entries are the tools that are allowed now.
func (g *gatewayTools) Entries() []registry.Entry { return g.host.Catalog().Entries() }

// Call asks every gate and calls.
func (g *gatewayTools) Call(ctx context.Context, public string, args json.RawMessage, progress gateway.Progress) gateway.Result {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	h := g.host
	// What stood on the disk before this call is not its work.
	h.Glance(ctx)
	defer h.beginCall()()
	tools := &tools{host: h}
	target, denial := tools.found(ctx, public, string(args))
	if denial != nil {
		return g.denied(public, target)
	}
	if target.Public != public {
		// A client has read the names; one that is nearly a tool's is nobody's.
		return unknown(public)
	}
	call := agent.Call{ID: gatewayCallID(), Target: target}
	began := time.Now()
	if denial = tools.Validate(target); denial != nil {
		g.tell(ctx, call, agent.Result{Status: message.StatusError, Content: denial.Reason}, began)
		return gateway.Result{Text: denial.Reason, IsError: true}
	}
	target, reason := g.admit(ctx, tools, call)
	result := gateway.Result{Text: reason, IsError: true}
	status := message.StatusBlocked
	if reason == "" {
		result = g.send(ctx, target, progress)
		if status = message.StatusOK; result.IsError {
			status = message.StatusError
		}
	}
	call.Target = target
	g.tell(ctx, call, agent.Result{Status: status, Content: result.Text}, began)
	return result
}

// tell tells the hooks how a call ended, once.
func (g *gatewayTools) tell(ctx context.Context, call agent.Call, result agent.Result, began time.Time) {
	g.host.hooks().After(context.WithoutCancel(ctx), hooked(gatewaySession, "", call), ended(result, time.Since(began)).Outcome)
}

// gatewaySession is what hooks read as the session of a client's call.
const gatewaySession = "gateway"

// gatewayCallID names a call of a client to hooks.
func gatewayCallID() string { return "gateway_" + rand.Text() }

// admit asks everything that comes between the schema and the server; reason says
// why the call is refused. Nobody is asked here: what needs a person is refused,
// unless one said always to it.
func (g *gatewayTools) admit(ctx context.Context, tools *tools, call agent.Call) (target agent.Target, reason string) {
	h := g.host
	target = call.Target
	if reason := h.forbidden(target); reason != "" {
		return target, reason
	}
	verdict := h.hooks().Before(ctx, hooked(gatewaySession, "", call))
	if verdict.Decision != hook.Allow && verdict.Decision != hook.Ask {
		return target, h.redact(verdict.Reason)
	}
	if changed := string(verdict.Arguments); changed != "" && changed != target.Arguments {
		again, denial := tools.found(ctx, target.Public, changed)
		if denial == nil {
			denial = tools.Validate(again)
		}
		switch {
		case denial != nil:
			return target, "a hook changed the arguments of this call, and then it was refused: " + denial.Reason
		case again.Server != target.Server || again.Tool != target.Tool:
			return target, "a hook changed this call into a call of another tool, which it may not; nothing was sent"
		}
		if target = again; h.forbidden(target) != "" {
			return target, h.forbidden(target)
		}
	}
	q := query{target: target, verdict: verdict}
	q.own, _ = h.ownFiles(target.Server, "").Touches(target.Arguments)
	held := h.decide(q)
	switch held.decision.Outcome {
	case approval.Allowed:
		return target, ""
	case approval.Asks:
		if grants, err := h.grantsInForce(ctx); err == nil {
			if _, covered := held.decision.Covered("", held.facts, grants); covered {
				return target, ""
			}
		}
		return target, h.redact(held.decision.Refused(held.decision.Unasked(trusting(target.Server), "nobody can be asked behind the gateway")))
	}
	return target, held.decision.Reason
}

// send calls a server, after asking the policy one last time.
func (g *gatewayTools) send(ctx context.Context, target agent.Target, progress gateway.Progress) gateway.Result {
	h := g.host
	found, ok := target.Handle.(handle)
	if reason := refused(h.file.Current(), found.entry); !ok || reason != "" {
		return gateway.Result{Text: "the tool was locked before this call was sent; nothing was sent", IsError: true}
	}
	// A call of a moment ago may have made a link; one that was judged so never gets
	// here, because nothing that counts behind the gateway lifts it.
	if what, touched := h.ownFiles(target.Server, "").Touches(target.Arguments); touched {
		return gateway.Result{Text: h.redact("A person has to approve this call (its arguments name files of Hermes itself: " + what + "), and nobody can be asked behind the gateway. The call was not sent; do not retry it."), IsError: true}
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

// denied says why a tool is not called where its server is away or describes it
// otherwise than it was accepted. Of the rules nothing is said: what they deny
// does not exist for a client.
func (g *gatewayTools) denied(public string, target agent.Target) gateway.Result {
	h := g.host
	if server, pending := h.Catalog().Pending(public); pending {
		status := h.Status(server)
		text := "the MCP server " + server + " is not connected right now (" + string(status.State) + "); nothing was sent"
		if status.Reason != "" {
			text += ". " + h.redact(status.Reason)
		}
		return gateway.Result{Text: text, IsError: true}
	}
	if target.Server == "" || target.Public != public {
		return unknown(public)
	}
	reason, blocked := h.Blocked(target.Server, target.Tool)
	if entry, ok := h.file.Current().Server(target.Server); !blocked || !ok || !entry.Rules.Allows(target.Tool) {
		return unknown(public)
	}
	return gateway.Result{Text: target.Server + "/" + target.Tool + " is blocked: " + reason, IsError: true}
}

func unknown(public string) gateway.Result {
	return gateway.Result{Text: registry.ErrorJSON("there is no tool of the name " + public), IsError: true, Unknown: true}
}
