package host

import (
	"slices"

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

// coming leaves out what the pending state does not allow.
func (h *Host) coming(entries []registry.Entry) []registry.Entry {
	if h.file.Pending() == nil {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), h.pendingDenies)
}
