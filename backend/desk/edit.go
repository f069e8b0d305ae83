package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/policy"
	"hermes/backend/view"
)

// SetTool turns one tool on or off in the file.
func (d *Desk) SetTool(edit view.ToolEdit) (view.EditResult, error) {
	action := policy.ActionOff
	if edit.On {
		action = policy.ActionOn
	}
	return d.apply(edit.Server, edit.Revision, policy.Intent{Action: action, Tool: edit.Tool, Expand: edit.Expand})
}

// Lock writes an empty whitelist for a server: nothing of it can be called.
func (d *Desk) Lock(edit view.ServerEdit) (view.EditResult, error) {
	return d.apply(edit.Server, edit.Revision, policy.Intent{Action: policy.ActionLock})
}

// Open takes a server's filter away: all its tools, also those it adds
// tomorrow. Of a server that is held it accepts what the file says.
func (d *Desk) Open(edit view.ServerEdit) (view.EditResult, error) {
	return d.apply(edit.Server, edit.Revision, policy.Intent{Action: policy.ActionOpen})
}

// Restore writes the keys of a held server back that are gone from the file.
func (d *Desk) Restore(edit view.ServerEdit) (view.EditResult, error) {
	return d.apply(edit.Server, edit.Revision, policy.Intent{Action: policy.ActionRestore})
}

// apply makes one edit and reports what the file says now, as read back.
func (d *Desk) apply(server, revision string, intent policy.Intent) (view.EditResult, error) {
	if by := descendantOf(d.options.Getenv); by != "" {
		return view.EditResult{}, Fail(view.Error{Code: "refused",
			Message: "a program that " + starterName(by) + " started may not change the configuration",
			Hint:    "type the command yourself, in a terminal of your own"}, nil)
	}
	h := d.current()
	snap := h.Snapshot()
	before, err := find(snap, server)
	if err != nil {
		return view.EditResult{}, err
	}
	status := h.Status(server)
	intent.Known = toolNames(status.Tools)
	result, err := h.Apply(d.ctx, config.Edit{Server: server, Intent: intent, Seen: revision})
	if errors.Is(err, context.Canceled) {
		return view.EditResult{}, err
	}
	if err != nil {
		return view.EditResult{}, fmt.Errorf("%s: %w", server, err)
	}
	after, err := find(result.Snapshot, server)
	if err != nil {
		return view.EditResult{}, err
	}
	out := view.EditResult{Server: server, Revision: result.Snapshot.Revision, Changed: result.Changed,
		Before: wordsView(before.Rules.List()), After: wordsView(after.Rules.List()), Warnings: []string{}}
	if intent.Tool != "" && seen(status) && !slices.Contains(intent.Known, intent.Tool) {
		out.Warnings = append(out.Warnings, "the server does not offer "+intent.Tool+" now; the name stays in the file")
	}
	if _, err := config.ReadLedger(h.Home()); err != nil {
		out.Warnings = append(out.Warnings, "the lock ledger cannot be read, so this edit is not recorded in it: "+err.Error())
	} else if result.Unrecorded != nil {
		out.Warnings = append(out.Warnings, unrecorded(intent.Action, result.Unrecorded))
	}
	for _, waits := range result.Snapshot.Waiting {
		if name, _, _ := strings.Cut(waits.Params[0], "/"); name == server {
			out.Warnings = append(out.Warnings, waits.Message+"; "+waits.Hint)
		}
	}
	for _, problem := range after.Rules.Problems() {
		out.Warnings = append(out.Warnings, problem.Message)
	}
	if after.Hold != nil {
		held := after.HeldProblem(snap.Path)
		out.Warnings = append(out.Warnings, held.Message+"; "+held.Hint)
	}
	return out, nil
}

// Why explains the verdict on one tool: the rule, and the line that decides.
func (d *Desk) Why(server, tool string) (view.Why, error) {
	h := d.current()
	snap := h.Snapshot()
	entry, err := find(snap, server)
	if err != nil {
		return view.Why{}, err
	}
	verdict := entry.Rules.Tool(tool)
	why := view.Why{Server: server, Tool: tool, Allowed: verdict.Allowed, Rule: verdict.Rule,
		Reason: verdict.Reason.Text, Words: wordsView(verdict.Reason), File: snap.Path, Line: verdict.Line, Column: verdict.Column}
	if entry.Hold != nil {
		why.Held, why.Ledger = true, h.Home().Ledger()
	}
	if ok, problem := snap.MayRun(server); !ok && verdict.Allowed {
		why.Allowed, why.Rule, why.Reason = false, problem.Code, problem.Message
		why.Words = view.Words{Code: problem.Code, Params: list(problem.Params), Text: problem.Message}
		why.Line, why.Column = problem.Line, problem.Column
	}
	if reason, blocked := h.Blocked(server, tool); blocked && why.Allowed {
		code := host.CodeChangedTools
		if h.Marks(server)[tool].Beyond {
			code = host.CodeBeyondTools
		}
		why.Allowed, why.Rule, why.Reason = false, code, reason
		why.Words = view.Words{Code: code, Params: []string{server, tool}, Text: reason}
		why.Line, why.Column = entry.Line, entry.Column
	}
	if why.Allowed {
		gatedView(&why, h.Gated(d.ctx, server, tool), entry)
	}
	why.Anchor = anchorAt(entry.Entry, why.Line, why.Column)
	return why, nil
}

// anchorAt names the anchor through which an alias or a merge key led to the
// value at a place of an entry, empty where it is written in the entry itself.
func anchorAt(n *policy.Node, line, column int) string {
	if n == nil {
		return ""
	}
	if n.Line == line && n.Column == column && n.Via != "" && n.Via != "<<" {
		return n.Via
	}
	for _, child := range n.Children {
		if name := anchorAt(child, line, column); name != "" {
			return name
		}
	}
	return ""
}
