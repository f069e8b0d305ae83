package main

import (
	"hermes/backend/policy"
)

// The outcomes of a preview.
const (
	outcomeUnchanged = iota
	outcomeChanged
	outcomeRefused
)

func actionOf(n uint32) policy.Action {
	actions := [...]policy.Action{policy.ActionOn, policy.ActionOff, policy.ActionLock, policy.ActionOpen, policy.ActionOnly, policy.ActionRestore}
	if n < uint32(len(actions)) {
		return actions[n]
	}
	return ""
}

// preview tells what an edit would do, without doing it. The tool's name is in
// the input, or for a whitelist of a selection the names as setTools takes them;
// the names that were set are the known tools.
func (m *module) preview(h, action, expand, size uint32) uint32 {
	data, ok := m.taken(size)
	if !ok {
		return 0
	}
	intent := policy.Intent{Action: actionOf(action), Expand: expand != 0}
	if intent.Action != policy.ActionOnly {
		intent.Tool = string(data)
	} else if intent.On, ok = readNames(data); !ok {
		return 0
	}
	return m.about(h, func(s *server, r *record) {
		intent.Known = s.tools
		after, outcome, refusal := s.edited(intent)
		r.number(outcome)
		if refusal != nil {
			r.words(refusal.Words)
			r.text(refusal.Hint)
			r.number(refusal.Line)
			r.number(refusal.Column)
			return
		}
		r.text(string(after.State()))
		r.toggle(after.Locked())
		r.words(after.List())
		r.words(after.Row())
		r.words(after.Panel(s.tools, s.known))
		s.changes(r, after, intent.Tool)
	})
}

// edited decides about the entry as it would be after the edit. A server whose
// rules do not come from its entry alone, such as one that is written twice,
// is refused by Edit's own reading of those rules. Open, lock and restore end
// what is held, every other edit leaves it in force.
func (s *server) edited(intent policy.Intent) (policy.Rules, int, *policy.Refusal) {
	ops, err := policy.EditServer(s.rules, s.entry, intent)
	if refusal := asRefusal(err); refusal != nil {
		return policy.Rules{}, outcomeRefused, refusal
	}
	ends := intent.Action == policy.ActionOpen || intent.Action == policy.ActionLock || intent.Action == policy.ActionRestore
	if len(ops) == 0 && ends && s.rules.IsHeld() {
		return s.rules.File(), outcomeChanged, nil
	}
	if len(ops) == 0 {
		return s.rules, outcomeUnchanged, nil
	}
	entry, err := policy.Apply(s.entry, ops)
	if refusal := asRefusal(err); refusal != nil {
		return policy.Rules{}, outcomeRefused, refusal
	}
	if ends {
		return policy.ReadServer(entry), outcomeChanged, nil
	}
	return s.rules.Over(policy.ReadServer(entry)), outcomeChanged, nil
}

func asRefusal(err error) *policy.Refusal {
	if err == nil {
		return nil
	}
	if r, ok := err.(*policy.Refusal); ok {
		return r
	}
	return &policy.Refusal{Words: policy.Words{Code: "edit.path", Text: err.Error()}}
}

// changes lists the known tools, and the tool asked about, whose verdict would
// change.
func (s *server) changes(r *record, after policy.Rules, tool string) {
	var changed []string
	seen := map[string]bool{}
	for _, name := range append([]string{tool}, s.tools...) {
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		if s.rules.Allows(name) != after.Allows(name) {
			changed = append(changed, name)
		}
	}
	r.number(len(changed))
	for _, name := range changed {
		r.text(name)
		r.toggle(after.Allows(name))
	}
}
