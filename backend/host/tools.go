package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/backend/agent"
	"hermes/backend/config"
	"hermes/backend/hook"
	"hermes/backend/mcp"
	"hermes/backend/message"
	"hermes/backend/policy"
	"hermes/backend/registry"
)

// tools is what one turn may call. Every method asks the state of now.
type tools struct {
	host *Host
	// turn is told what servers do while it waits for them; nil for nobody's.
	turn *speaker
	// offer is what the session's model was offered so far.
	offer *offer
	// window is the model's, in tokens; 0 where it is not known.
	window int
}

// handle is what Resolve found: a bridge look-up, or an entry of the catalogue.
type handle struct {
	bridge string
	entry  registry.Entry
	// dispatch is a call of connector entries; hosted is one of its entries.
	dispatch *dispatch
	hosted   bool
}

func (t *tools) options() registry.Options {
	s := t.host.file.Current().Settings.ToolSearch
	return registry.Options{Mode: s.Mode, ThresholdPercent: s.ThresholdPercent, ContextTokens: t.window, DefaultLimit: s.DefaultLimit,
		MaxLimit: s.MaxLimit, Listing: s.Listing, ListingMaxTokens: s.ListingMaxTokens, Hosted: t.host.unconnected() == ""}
}

// Definitions are the tools offered at the next pass.
func (t *tools) Definitions() []message.ToolDef {
	defs, cost := t.offer.pass(t.host.Catalog(), t.options(), t.host.away)
	t.tell(cost)
	return defs
}

// News is what the model has to be told of the tools since it was told last.
func (t *tools) News() string {
	note, said := t.offer.news(t.host.Catalog(), t.options(), t.host.away)
	t.tell(said)
	return note
}

func (t *tools) tell(said message.Saying) {
	if said.Code != "" && t.turn != nil {
		t.turn.say(message.Told(said))
	}
}

// away tells that a tool is allowed and its server only not there now.
func (h *Host) away(entry registry.Entry) bool {
	return h.refused(entry) == "" && h.Status(entry.Server).State != mcp.StateConnected
}

// Resolve names the tool a call means and asks the policy.
func (t *tools) Resolve(call message.ToolCall) (agent.Target, *agent.Denial) {
	switch call.Name {
	case message.NameToolSearch, message.NameToolDescribe:
		return agent.Target{Public: call.Name, Tool: call.Name, Arguments: call.Arguments, Overlap: agent.Free, Reads: true, Handle: handle{bridge: call.Name}}, nil
	case message.NameToolCall:
		entries, denial := t.entries(call.Arguments)
		if denial == nil && allHosted(entries) {
			return t.dispatch(call.Arguments, entries)
		}
		var name, arguments string
		if denial == nil {
			name, arguments, denial = peel(entries)
		}
		if denial != nil {
			return agent.Target{Public: call.Name, Tool: call.Name, Arguments: call.Arguments}, denial
		}
		return t.find(name, arguments)
	}
	if strings.HasPrefix(call.Name, message.ConnectorPrefix) {
		return t.dispatch(call.Arguments, []message.BatchEntry{{Name: call.Name, Arguments: cmp.Or(strings.TrimSpace(call.Arguments), "{}")}})
	}
	return t.find(call.Name, call.Arguments)
}

func (t *tools) entries(arguments string) ([]message.BatchEntry, *agent.Denial) {
	entries, err := t.host.Catalog().Normalize(json.RawMessage(arguments))
	if err != nil {
		return nil, &agent.Denial{Status: message.StatusError, Reason: registry.ErrorJSON(err.Error()), Unknown: true}
	}
	return entries, nil
}

func allHosted(entries []message.BatchEntry) bool {
	return !slices.ContainsFunc(entries, func(e message.BatchEntry) bool { return !strings.HasPrefix(e.Name, message.ConnectorPrefix) })
}

// peel takes the one entry out of a tool_call. More than one with a local entry gets
// here only past the split, so it meets the dispatcher's error.
func peel(entries []message.BatchEntry) (name, inner string, denial *agent.Denial) {
	if len(entries) != 1 {
		return "", "", &agent.Denial{Status: message.StatusError, Unknown: true,
			Reason: registry.ErrorJSON(fmt.Sprintf("this tool_call holds %d entries and reached the dispatcher whole; send one entry in each tool_call", len(entries)))}
	}
	return entries[0].Name, string(entries[0].Arguments), nil
}

// find looks a public name up. Of a server that is still starting only the name is
// known; the denial says what is true as long as nobody waits for it.
func (t *tools) find(name, arguments string) (agent.Target, *agent.Denial) {
	catalog := t.host.Catalog()
	if server, pending := catalog.Pending(name); pending {
		if t.host.Status(server).State == mcp.StateStarting {
			return agent.Target{Public: name, Server: server, Tool: registry.PendingTool(name, server), Arguments: arguments, Awaits: server},
				&agent.Denial{Status: message.StatusError, Reason: registry.ErrorJSON(catalog.Refusal(name))}
		}
		t.host.refresh() // it may have moved since the catalogue was built
		catalog = t.host.Catalog()
	}
	entry, verdict := catalog.Resolve(name)
	if !verdict.Allowed {
		if repaired, ok := catalog.Repair(name); ok {
			entry, verdict = catalog.Resolve(repaired)
		}
	}
	target := agent.Target{Public: name, Server: entry.Server, Tool: entry.Tool, Arguments: arguments}
	if !verdict.Allowed {
		status, unknown := message.StatusDenied, false
		if entry.Server == "" && !t.host.ruledOut(name) {
			status, unknown = message.StatusError, true
		}
		shown, said := t.host.explain(name, entry, verdict)
		return target, &agent.Denial{Status: status, Reason: registry.ErrorJSON(catalog.Refusal(name)), Unknown: unknown, Shown: shown, Said: said}
	}
	target.Public, target.ReadOnly, target.Destructive = entry.Public, entry.ReadOnly, entry.Destructive
	target.Arguments = string(entry.Arguments(json.RawMessage(arguments)))
	target.Handle = handle{entry: entry}
	snap := t.host.file.Current()
	if reason := t.host.refused(entry); reason != "" {
		var said []message.Saying
		if server, ok := snap.Server(entry.Server); ok && entry.Helper == "" {
			if why, codes := t.host.whyNot(snap, server, entry.Tool); why != "" {
				reason, said = why, codes
			}
		}
		return target, &agent.Denial{Status: message.StatusDenied, Reason: registry.ErrorJSON(catalog.Refusal(name)), Shown: reason, Said: said}
	}
	if reason, blocked := t.host.Blocked(entry.Server, entry.Tool); blocked && entry.Helper == "" {
		// The server said so a moment ago.
		return target, &agent.Denial{Status: message.StatusDenied, Reason: registry.ErrorJSON(catalog.Refusal(name)), Shown: reason}
	}
	target.Overlap, target.Reads = overlap(snap, entry), reads(snap, entry)
	return target, nil
}

// Await waits until the server of a target is there, or will not be.
func (t *tools) Await(ctx context.Context, target agent.Target) { t.host.waitFor(ctx, target.Awaits) }

// found is find for a client, which waits for one call at a time.
func (t *tools) found(ctx context.Context, name, arguments string) (agent.Target, *agent.Denial) {
	target, denial := t.find(name, arguments)
	if target.Awaits != "" {
		t.Await(ctx, target)
		target, denial = t.find(name, arguments)
	}
	return target, denial
}

// refused asks the file in force once more: the catalogue may be a moment
// behind it.
func refused(snap *config.Snapshot, entry registry.Entry) string {
	if ok, problem := snap.MayRun(entry.Server); !ok {
		return problem.Message
	}
	server, ok := snap.Server(entry.Server)
	if !ok {
		return "the server is not configured"
	}
	verdict := server.Rules.Tool(entry.Tool)
	if entry.Helper != "" {
		verdict = server.Rules.Helper(entry.Helper)
	}
	if !verdict.Allowed {
		return verdict.Reason.Text
	}
	return ""
}

// overlap is the server's own concurrency rule (DESIGN section 5).
func overlap(snap *config.Snapshot, entry registry.Entry) agent.Overlap {
	server, ok := snap.Server(entry.Server)
	switch {
	case !ok:
		return agent.Alone
	case server.Parallel:
		return agent.Free
	case reads(snap, entry):
		return agent.WithReads
	}
	return agent.Alone
}

// reads tells that a call changes nothing: the server says so, and it is trusted.
func reads(snap *config.Snapshot, entry registry.Entry) bool {
	server, ok := snap.Server(entry.Server)
	return ok && !server.Untrusted && (entry.Helper != "" || entry.ReadOnly != nil && *entry.ReadOnly)
}

// Validate checks the arguments against the tool's schema.
func (t *tools) Validate(target agent.Target) *agent.Denial {
	h, ok := target.Handle.(handle)
	if !ok {
		return &agent.Denial{Status: message.StatusDenied, Reason: "the call was not resolved"}
	}
	if h.bridge != "" || h.dispatch != nil {
		return nil // the entries of a dispatch are checked one by one
	}
	if invalid := h.entry.Validate(json.RawMessage(target.Arguments)); invalid != nil {
		return &agent.Denial{Status: message.StatusError, Reason: invalid.JSON(target.Public)}
	}
	return nil
}

// Run calls the tool, after asking the policy one last time: the file may have
// changed while the call waited for its turn.
func (t *tools) Run(ctx context.Context, target agent.Target, report func(message.ProgressEvent)) agent.Result {
	h, ok := target.Handle.(handle)
	if !ok {
		return agent.Result{Status: message.StatusDenied, Content: "the call was not resolved"}
	}
	arguments := json.RawMessage(target.Arguments)
	switch {
	case h.bridge == message.NameToolSearch:
		return lookedUp(t.host.Catalog().SearchAll(ctx, arguments, t.options(), t.host.hosted()))
	case h.bridge == message.NameToolDescribe:
		return lookedUp(t.host.Catalog().DescribeAll(ctx, arguments, t.host.hosted()))
	case h.dispatch != nil:
		return t.runDispatch(ctx, h.dispatch)
	case h.hosted:
		return agent.Result{Status: message.StatusDenied, Content: "a connector is called by a dispatch alone; nothing was sent"}
	}
	if reason := t.host.refused(h.entry); reason != "" {
		return refusal(message.CallLocked.Text(), message.Say(message.CallLocked))
	}
	followed := mcp.WithProgress(ctx, func(done, total float64, text string) {
		report(message.ProgressEvent{Done: done, Total: total, Text: text})
	})
	defer t.host.callers.enter(target.Server, t.turn)()
	result, err := t.host.call(followed, h.entry, arguments)
	switch {
	case errors.Is(err, errBlocked):
		return refusal(message.CallRedefined.Text(), message.Say(message.CallRedefined))
	case errors.Is(err, errLockedBefore):
		return refusal(err.Error())
	case errors.Is(err, errLocked):
		return cancelled(err)
	case errors.Is(err, mcp.ErrEffectUnknown):
		result := agent.Result{Status: message.StatusUnknown, Content: err.Error()}
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			result.Kind = hook.KindServerLost
		}
		return result
	case err != nil:
		return agent.Failed(err, !errors.Is(err, mcp.ErrNotSent))
	case result.IsError:
		return agent.Result{Status: message.StatusError, Content: result.Content}
	case result.Content == "":
		// Some vendors refuse an empty result.
		return agent.Result{Status: message.StatusOK, Content: "The call was carried out. The server returned no content."}
	}
	return agent.Result{Status: message.StatusOK, Content: result.Content}
}

// call sends one call to its server. It is the only way to a server.
func (h *Host) call(ctx context.Context, entry registry.Entry, arguments json.RawMessage) (mcp.Result, error) {
	manager, err := h.servers()
	if err != nil {
		return mcp.Result{}, err
	}
	ctx, land := h.flights.take(ctx, entry)
	defer land()
	if reason := h.refused(entry); reason != "" {
		return mcp.Result{}, errLockedBefore
	}
	var result mcp.Result
	if entry.Helper != "" {
		result, err = manager.Helper(ctx, entry.Server, policy.Helper(entry.Helper), arguments)
	} else {
		result, err = manager.Call(ctx, entry.Server, entry.Tool, arguments)
	}
	return result, locked(ctx, err)
}

// waitFor waits until a server that is still starting is connected or failed,
// and its tools are in the catalogue.
func (h *Host) waitFor(ctx context.Context, server string) {
	manager, err := h.servers()
	if err != nil {
		return
	}
	manager.Wait(ctx, []string{server})
	h.refresh()
}
