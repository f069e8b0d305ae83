package host

import (
	"maps"

	"hermes/backend/config"
	"hermes/backend/policy"
	"hermes/backend/registry"
)

// A file that keeps changing is not in force as it stands, but what it denies
// now counts at every door: the state that is pending is asked first, because it
// is gone once it is in force.

// refused asks the file in force and the one that is pending about an entry;
// empty lets it through.
func (h *Host) refused(entry registry.Entry) string {
	if pending := h.file.Pending(); pending != nil {
		if reason := refused(pending, entry); reason != "" {
			return reason
		}
	}
	return refused(h.file.Current(), entry)
}

// pendingDenies tells whether the state that is pending does not allow an entry.
func (h *Host) pendingDenies(entry registry.Entry) bool {
	pending := h.file.Pending()
	return pending != nil && refused(pending, entry) != ""
}

// foreseen brings the catalogue in step with a pending state that came, changed
// or went since it was built: what that denies is neither listed nor found.
func (h *Host) foreseen() {
	if h.listed.Load() == h.file.Pending() {
		return
	}
	snap := h.refresh()
	poke(h.changed)
	h.signals.send(Signal{Topic: TopicServers, Revision: snap.Revision})
}

// withoutDenied leaves out of a source what a pending state denies.
func withoutDenied(source *registry.Source, pending *config.Snapshot) {
	if pending == nil {
		return
	}
	denies := func(entry registry.Entry) string {
		entry.Server = source.Server
		return refused(pending, entry)
	}
	blocked := maps.Clone(source.Blocked)
	for _, tool := range source.Tools {
		if reason := denies(registry.Entry{Tool: tool.Name}); reason != "" {
			if blocked == nil {
				blocked = map[string]string{}
			}
			blocked[tool.Name] = reason
		}
	}
	source.Blocked = blocked
	source.Resources = source.Resources && denies(registry.Entry{Helper: policy.HelperListResources}) == ""
	source.Prompts = source.Prompts && denies(registry.Entry{Helper: policy.HelperListPrompts}) == ""
	if ok, _ := pending.MayRun(source.Server); !ok {
		source.Pending = false
	}
}
