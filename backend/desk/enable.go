package desk

import (
	"context"

	"hermes/backend/config"
	"hermes/backend/view"
)

// Enable writes whether a server takes part at all. Its tool rules stay.
func (d *Desk) Enable(ctx context.Context, name string, on bool) (view.EditResult, error) {
	if err := d.ours(); err != nil {
		return view.EditResult{}, err
	}
	h := d.current()
	snap := h.Snapshot()
	before, err := find(snap, name)
	if err != nil {
		return view.EditResult{}, err
	}
	result, err := h.Change(ctx, config.Change{Seen: snap.Revision,
		Steps: []config.Step{{Kind: config.StepSet, Path: []string{keyServers, name, "enabled"}, Value: typed(on)}}})
	if err != nil {
		return view.EditResult{}, err
	}
	now := h.ReadBack()
	after, err := find(now, name)
	if err != nil {
		return view.EditResult{}, err
	}
	if after.Enabled != on {
		return view.EditResult{}, Fail(view.Error{Code: "failed", Message: "the file does not say so after it was written", Hint: "look at it and try again", File: now.Path, Line: after.Line}, nil)
	}
	return view.EditResult{Server: name, Revision: now.Revision, Changed: result.Changed,
		Before: wordsView(before.Rules.List()), After: wordsView(after.Rules.List()), Warnings: []string{}}, nil
}
