package policy

import "strings"

// toggle is a switch as written: not at all, on or off.
type toggle uint8

const (
	toggleUnset toggle = iota
	toggleOn
	toggleOff
)

// written is a switch with its place in the file.
type written struct {
	value toggle
	at    position
}

// The switches a server has besides its lists. The first two stand in tools,
// the others in the entry.
const (
	switchResources = iota
	switchPrompts
	switchSampling
	switchElicitation
	switchCount
)

func switchKey(s int) string {
	switch s {
	case switchResources:
		return keyResources
	case switchPrompts:
		return keyPrompts
	case switchSampling:
		return keySampling
	default:
		return keyElicitation
	}
}

// on tells whether a switch is in force: never under Invalid, under a whitelist
// only where it is written on, else unless it is written off (FILTER section
// 2, "A whitelist names everything that may be called").
func (r Rules) on(s int) bool {
	switch r.State() {
	case StateOnly:
		return r.d.switches[s].value == toggleOn
	case StateOpen, StateExcept:
		return r.d.switches[s].value != toggleOff
	default:
		return false
	}
}

// boolLike reads the words for true and false that the file's other readers
// know, quoted or not. ok is false for everything else.
func boolLike(n *Node) (value, ok bool) {
	if n.Kind != KindScalar || isNull(n) {
		return false, false
	}
	switch strings.ToLower(strings.TrimSpace(n.Value)) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

// readSwitch reads resources or prompts. What is neither true nor false is off:
// an unreadable value never widens.
func (r *reader) readSwitch(s int, key, value *Node) {
	w := written{at: placeOf(key)}
	on, ok := boolLike(value)
	switch {
	case isNull(value):
		r.warn("switch.null", value, switchKey(s))
		return
	case ok && on:
		w.value = toggleOn
	case ok:
		w.value = toggleOff
	default:
		w.value = toggleOff
		r.warn("switch.value", value, switchKey(s))
	}
	r.d.switches[s] = w
}

// readFeature reads sampling or elicitation, which are switches or mappings
// with the key enabled. A mapping without that key switches nothing.
func (r *reader) readFeature(s int, key, value *Node) {
	if value.Kind != KindMapping {
		r.readSwitch(s, key, value)
		return
	}
	for i := 0; i+1 < len(value.Children); i += 2 {
		if k, v := value.Children[i], value.Children[i+1]; isKey(k, keyEnabled) && v != nil {
			r.readSwitch(s, k, v)
		}
	}
}

// trustOf reads the key trust, also of an entry that is invalid for another
// reason; whatever is not known counts as untrusted.
func (r *reader) trustOf(entry *Node) {
	for i := 0; i+1 < len(entry.Children); i += 2 {
		key, value := entry.Children[i], entry.Children[i+1]
		if !isKey(key, keyTrust) || value == nil {
			continue
		}
		r.d.wrote.trust = true
		word := ""
		if value.Kind == KindScalar && !isNull(value) {
			word = strings.ToLower(strings.TrimSpace(value.Value))
		}
		switch word {
		case "full":
		case "untrusted":
			r.d.untrust = true
		default:
			r.d.untrust = true
			r.warn("trust.value", value)
		}
	}
}
