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
