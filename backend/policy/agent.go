package policy

// Agent is what the runtime of Hermes Agent (Python) makes of one server's
// entry, for people who come from there: the column "before" beside our "now".
// It decides nothing here. The rules are those of that program: an absent or
// falsy block is no filter, a whitelist is active when it is text or a list
// even if empty, of a key that stands twice the last one counts, and resources
// and prompts are not subject to the whitelist.
type Agent struct {
	kind     agentKind
	patterns []string
	globs    []glob
	off      [2]bool // resources, prompts
}

type agentKind uint8

const (
	agentSkipped agentKind = iota // the entry is passed over
	agentFailed                   // the server fails and offers nothing
	agentOpen
	agentOnly
	agentExcept
)

// AgentMeaning reads an entry as the runtime of Hermes Agent does.
func AgentMeaning(entry *Node) Agent {
	var a Agent
	if entry == nil || entry.Kind != KindMapping {
		return a
	}
	a.kind = agentOpen
	tools := lastValue(entry, keyTools)
	switch {
	case isFalsy(tools):
		return a
	case tools.Kind != KindMapping || tools.Tag == tagSet:
		a.kind = agentFailed
		return a
	}
	for s, key := range [2]string{keyResources, keyPrompts} {
		if n := lastValue(tools, key); n != nil {
			on, ok := boolLike(n)
			a.off[s] = ok && !on
		}
	}
	list := lastValue(tools, keyInclude)
	if isActive(list) {
		a.kind = agentOnly
	} else if list = lastValue(tools, keyExclude); isActive(list) && !isFalsy(list) {
		a.kind = agentExcept
	} else {
		return a
	}
	items := []*Node{list}
	if list.Kind != KindScalar {
		items = elements(list)
	}
	for _, item := range items {
		text := pythonText(item)
		a.patterns = append(a.patterns, text)
		if isGlob(text) {
			a.globs = append(a.globs, compileGlob(text))
		}
	}
	return a
}

// lastValue gives the value of a key; where it stands twice, the last one. A
// pair that came through a merge key is already left out where a written one
// beats it.
func lastValue(m *Node, name string) (value *Node) {
	for i := 1; i < len(m.Children); i += 2 {
		if isKey(m.Children[i-1], name) {
			value = m.Children[i]
		}
	}
	return value
}

// isFalsy tells what Python takes for false: nothing, an empty text or
// collection, zero, and the words for false.
func isFalsy(n *Node) bool {
	if n == nil || isNull(n) {
		return true
	}
	if n.Kind != KindScalar {
		return len(n.Children) == 0
	}
	if isText(n) {
		return n.Value == ""
	}
	switch text := pythonText(n); text {
	case "False", "0", "0.0", "-0.0":
		return true
	}
	return false
}

// isActive tells a value that is a filter there: text, a list or a set.
func isActive(n *Node) bool {
	if n == nil || isNull(n) {
		return false
	}
	return isText(n) || n.Kind == KindSequence || n.Kind == KindMapping && n.Tag == tagSet
}

// Allows tells whether the server's tool of that name is registered there.
func (a Agent) Allows(name string) bool {
	switch a.kind {
	case agentOpen:
		return true
	case agentOnly:
		return a.matches(name)
	case agentExcept:
		return !a.matches(name)
	}
	return false
}

func (a Agent) matches(name string) bool {
	for _, text := range a.patterns {
		if text == name {
			return true
		}
	}
	for _, g := range a.globs {
		if g.match(name) {
			return true
		}
	}
	return false
}

// Helper tells whether a helper is registered there, if the server advertises
// the capability: the whitelist has no say in it.
func (a Agent) Helper(h Helper) bool {
	s, ok := h.key()
	return ok && a.kind >= agentOpen && !a.off[s]
}

// Words says what the runtime of Hermes Agent does.
func (a Agent) Words() Words {
	switch a.kind {
	case agentFailed:
		return agentWords("agent.failed")
	case agentOpen:
		return agentWords("agent.open")
	case agentOnly:
		if len(a.patterns) == 0 {
			return agentWords("agent.only_none")
		}
		return agentWords("agent.only", showAll(a.patterns))
	case agentExcept:
		return agentWords("agent.except", showAll(a.patterns))
	}
	return agentWords("agent.skipped")
}
