package policy

// Lost names, in words such as "was `[]`", the restrictions that were in force
// once and that the ledger would hold today, had it seen them (see Held). So a
// key that is still there, or a state that could not be read, is no loss. Rules
// that are held have lost nothing: the restriction is in force.
func Lost(was Restriction, now Rules) []Words {
	if was.State == StateInvalid || now.d == nil || now.IsHeld() {
		return nil
	}
	var out []Words
	for _, t := range lostBy([]Restriction{was}, now) {
		switch {
		case t.State == StateOnly && len(t.Patterns) == 0:
			out = append(out, agentWords("lost.locked"))
		case t.State == StateOnly:
			out = append(out, agentWords("lost.whitelist", showAll(t.Patterns)))
		case t.State == StateExcept:
			out = append(out, agentWords("lost.blacklist", showAll(t.Patterns)))
		}
		if t.ResourcesOff {
			out = append(out, agentWords("lost.helper", keyResources))
		}
		if t.PromptsOff {
			out = append(out, agentWords("lost.helper", keyPrompts))
		}
		if t.Untrusted {
			out = append(out, agentWords("lost.trust"))
		}
	}
	return out
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
