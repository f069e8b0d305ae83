package desk

import (
	"slices"
	"strings"

	"hermes/backend/policy"
	"hermes/backend/view"
)

// Select makes all changes of a picker over one server's tools in one edit.
func (d *Desk) Select(selection view.Selection) (view.EditResult, error) {
	intent := policy.Intent{Action: policy.ActionSelect, On: selection.On, Off: selection.Off, Expand: selection.Expand}
	if selection.LockTo {
		intent = policy.Intent{Action: policy.ActionOnly, On: selection.On}
	}
	result, err := d.apply(selection.Server, selection.Revision, intent)
	if err != nil {
		return result, err
	}
	h := d.current()
	status := h.Status(selection.Server)
	if !seen(status) {
		return result, nil
	}
	unseen := []string{}
	for _, name := range slices.Concat(selection.On, selection.Off) {
		if !slices.Contains(toolNames(status.Tools), name) {
			unseen = append(unseen, name)
		}
	}
	if len(unseen) > 0 {
		result.Warnings = append(result.Warnings, "the server does not offer "+strings.Join(unseen, ", ")+" now; what the file says of it stays")
	}
	return result, nil
}
