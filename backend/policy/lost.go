package policy

// Lost names the restrictions that were in force before and whose keys are gone
// now, in words such as "was `[]`". Only that counts: what a key says that is
// still there is somebody's decision, also where it says more than before
// (FILTER section 6). A state that could not be read was no decision either.
// Entry is the node that the rules of now were read from.
func Lost(was Restriction, now Rules, entry *Node) []Words {
	if now.d == nil || now.State() == StateInvalid {
		return nil
	}
	var out []Words
	switch {
	case was.State == StateOnly && now.State() != StateOnly && len(was.Patterns) == 0:
		out = append(out, agentWords("lost.locked"))
	case was.State == StateOnly && now.State() != StateOnly:
		out = append(out, agentWords("lost.whitelist", showAll(was.Patterns)))
	case was.State == StateExcept && now.State() == StateOpen:
		out = append(out, agentWords("lost.blacklist", showAll(was.Patterns)))
	}
	for s, off := range [2]bool{was.ResourcesOff, was.PromptsOff} {
		if off && now.on(s) && now.d.switches[s].value == toggleUnset {
			out = append(out, agentWords("lost.helper", switchKey(s)))
		}
	}
	if was.Untrusted && !now.Untrusted() && !hasKey(entry, keyTrust) {
		out = append(out, agentWords("lost.trust"))
	}
	return out
}

func hasKey(entry *Node, name string) bool {
	return entry != nil && entry.Kind == KindMapping && lastValue(entry, name) != nil
}

// FingerprintRestriction reads the lists in a server's fingerprint in the schema
// cache of Hermes Agent. An absent list and an empty one look alike there, so an
// empty one is no restriction.
func FingerprintRestriction(print *Node) Restriction {
	open := Restriction{State: StateOpen}
	if print == nil || print.Kind != KindMapping {
		return open
	}
	for _, list := range []struct {
		key   string
		state State
	}{{keyInclude, StateOnly}, {keyExclude, StateExcept}} {
		n := lastValue(print, list.key)
		if n == nil || isNull(n) || n.Kind == KindMapping || n.Kind == KindScalar && n.Value == "" {
			continue
		}
		items := []*Node{n}
		if n.Kind == KindSequence {
			items = n.Children
		}
		if len(items) == 0 {
			continue
		}
		out := Restriction{State: list.state}
		for _, item := range items {
			out.Patterns = append(out.Patterns, item.Value)
		}
		return out
	}
	return open
}

// CodeIgnoredList is the Problem of a blacklist that has no effect because a
// whitelist stands beside it.
const CodeIgnoredList = "exclude.ignored"
