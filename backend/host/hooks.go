package host

import (
	"hermes/backend/hook"
)

// hooks gives the hooks of now: a rule that was added in the middle of a turn
// counts for its next call.
func (h *Host) hooks() *hook.Runner {
	snap := h.file.Current()
	rules := make([]hook.Rule, 0, len(snap.Restrictions.Hooks))
	for _, r := range snap.Restrictions.Hooks {
		rules = append(rules, hook.Rule{Event: r.Event, Matcher: r.Matcher, Command: r.Command, Where: place(snap.Path, r.Line)})
	}
	return hook.New(hook.Options{Rules: rules})
}
