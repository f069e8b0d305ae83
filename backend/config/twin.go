package config

import (
	"maps"
	"slices"
	"time"

	"hermes/backend/policy"
)

// maxFormer bounds how many earlier programs of one server are remembered.
const maxFormer = 8

// program is what a locked or held server starts, or started when the ledger
// last saw it.
type program struct {
	server      string
	restriction policy.Restriction
	since       time.Time
	revision    string
}

// barred tells a restriction whose server is locked or held.
func barred(t policy.Restriction) bool {
	return len(t.Lost) > 0 || t.State == policy.StateOnly && len(t.Patterns) == 0
}

// programs gives the programs of all locked and held servers, by what they
// start: those of the file, and those that the ledger remembers, whatever their
// servers start now. Servers that nobody saw before are none of them: who writes
// two entries at once says of each what is meant.
func (h *holder) programs() map[string][]program {
	out := map[string][]program{}
	for i := range h.snap.Servers {
		sv := &h.snap.Servers[i]
		_, seen := h.ledger.Known[sv.Name]
		rules, _ := h.snap.Policy.Rules(sv.Name)
		if seen && (rules.IsHeld() || rules.Locked()) {
			out[sv.identity] = append(out[sv.identity], program{sv.Name, rules.Restriction(), sv.previous.Since, sv.previous.Revision})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.ledger.Servers)) {
		entry := h.ledger.Servers[name]
		sv, there := h.snap.Server(name)
		if there {
			// What a grant ended is not remembered any more.
			entry.Restriction = sv.previous.Restriction
		}
		if !barred(entry.Restriction) {
			continue
		}
		for _, target := range append([]string{entry.Target}, entry.Former...) {
			if !there || target != sv.identity {
				out[target] = append(out[target], program{name, entry.Restriction, entry.Since, entry.Revision})
			}
		}
	}
	return out
}

// twins holds the servers that are new, or start something new, and start the
// program of one that is held or locked - unless they say themselves what may be
// called: then a person wrote that.
func (h *holder) twins() {
	var programs map[string][]program
	for i := range h.snap.Servers {
		sv := &h.snap.Servers[i]
		if !h.isNew(sv) {
			continue
		}
		if programs == nil {
			programs = h.programs()
		}
		h.twin(sv, programs[sv.identity])
	}
}

func (h *holder) twin(sv *Server, programs []program) {
	before, _ := h.snap.Policy.Rules(sv.Name)
	previous := []policy.Restriction{sv.previous.Restriction}
	var first program
	for _, p := range programs {
		if p.server == sv.Name {
			continue
		}
		if first.server == "" {
			first = p
		}
		previous = append(previous, p.restriction)
	}
	if first.server == "" {
		return
	}
	own := sv.previous
	if own.Since.IsZero() {
		sv.previous.Since, sv.previous.Revision = first.since, first.revision
	}
	h.hold(sv, previous...)
	after, _ := h.snap.Policy.Rules(sv.Name)
	switch {
	case after.State() == policy.StateInvalid && !after.IsHeld():
		// Nothing is held of what cannot be read; it is asked again once it can.
		sv.pending = true
	case len(after.Lost()) > len(before.Lost()):
		sv.twin = first.server
		return
	}
	sv.previous = own
}

// twinHold says of which server the held one is a twin, and what that one is
// now.
func (h *holder) twinHold(sv *Server) (twin, is string) {
	if twin = sv.twin; twin == "" {
		twin = sv.previous.Twin
	}
	rules, there := h.snap.Policy.Rules(twin)
	switch {
	case twin == "":
		return "", ""
	case there && rules.IsHeld():
		return twin, "is held"
	case there && rules.Locked():
		return twin, "is locked"
	}
	return twin, "was locked"
}

// former are the programs that a locked or held server started before, newest
// last.
func (sv *Server) former(is policy.Restriction) []string {
	was := sv.previous
	if !barred(is) {
		return nil
	}
	out := slices.DeleteFunc(slices.Clone(was.Former), func(target string) bool { return target == sv.identity || target == was.Target })
	if was.Target != "" && was.Target != sv.identity {
		out = append(out, was.Target)
	}
	if len(out) == 0 {
		return nil
	}
	return out[max(0, len(out)-maxFormer):]
}
