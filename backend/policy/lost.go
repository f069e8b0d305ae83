package policy

// Lost names, in words such as "was `[]`", the restrictions that were in force
// once and that the ledger would hold today, had it seen them (see Held). So a
// key that is still there, or a state that could not be read, is no loss; and
// rules that are held have lost nothing, because the restriction is in force.
func Lost(was Restriction, now Rules) []Words {
	if was.State == StateInvalid {
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
	if print != nil && print.Kind == KindMapping {
		if names := namesIn(lastValue(print, keyInclude)); len(names) > 0 {
			return Restriction{State: StateOnly, Patterns: names}
		}
		if names := namesIn(lastValue(print, keyExclude)); len(names) > 0 {
			return Restriction{State: StateExcept, Patterns: names}
		}
	}
	return Restriction{State: StateOpen}
}

func namesIn(list *Node) []string {
	if list == nil || list.Kind != KindSequence {
		return nil
	}
	var names []string
	for _, item := range list.Children {
		names = append(names, item.Value)
	}
	return names
}

// CodeIgnoredList is the Problem of a blacklist that has no effect because a
// whitelist stands beside it.
const CodeIgnoredList = "exclude.ignored"
