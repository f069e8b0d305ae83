package policy

import (
	"slices"
	"strings"
)

// Difference is one point in which a server's entry means something else here
// than in Hermes Agent. Code is its kind: "tools", "helpers", "trust" or
// "duplicate". Fix may be empty where nothing needs to be written.
type Difference struct {
	Code             string
	Before, Now, Fix Words
	Line, Column     int
}

// Differences compares the rules of an entry with what Hermes Agent makes of
// it. None means that both do the same.
func Differences(entry *Node, now Rules) []Difference {
	if now.d == nil {
		return nil
	}
	was := AgentMeaning(entry)
	at := now.d.at
	var out []Difference
	add := func(code string, before, after, fix Words) {
		out = append(out, Difference{Code: code, Before: before, Now: after, Fix: fix, Line: at.line, Column: at.column})
	}
	switch {
	case now.hasDuplicate():
		p := now.d.problems[now.d.failed]
		add("duplicate", agentWords("agent.last"), now.Row(), Words{Code: p.Code + hintSuffix, Params: p.Params, Text: p.Hint})
		return out
	case now.Broken() && was.kind == agentSkipped:
		return nil
	case !was.same(now):
		add("tools", was.Words(), now.Row(), now.fix(was))
	}
	if helpers := now.closedHelpers(was); len(helpers) > 0 {
		add("helpers", agentWords("agent.helpers"), agentWords("now.helpers", strings.Join(helpers, ", ")),
			agentWords("fix.helpers", strings.Join(helpers, ": true, ")+": true"))
	}
	if now.Untrusted() && now.State() != StateInvalid && !now.Locked() {
		add("trust", agentWords("agent.trust"), agentWords("now.trust"), agentWords("fix.trust"))
	}
	return out
}

// hasDuplicate tells whether a name that stands twice makes the rules invalid.
func (r Rules) hasDuplicate() bool {
	return r.State() == StateInvalid && r.d.failed >= 0 && strings.HasPrefix(r.d.problems[r.d.failed].Code, "duplicate.")
}

// same tells whether both programs register the same tools, now and later.
func (a Agent) same(r Rules) bool {
	switch r.State() {
	case StateOpen:
		return a.kind == agentOpen
	case StateOnly:
		return a.kind == agentOnly && samePatterns(a.patterns, r.Patterns())
	case StateExcept:
		return a.kind == agentExcept && samePatterns(a.patterns, r.Patterns())
	}
	return false
}

// samePatterns compares what lists can match: an empty name, and a value that
// is no text, match nothing, and order and repetition do not count.
func samePatterns(there, here []string) bool {
	matching := func(list []string) []string {
		out := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" || strings.HasPrefix(s, "<") || s == "None" })
		slices.Sort(out)
		return slices.Compact(out)
	}
	return slices.Equal(matching(there), matching(here))
}

// fix says what to write so that both programs agree, by the first problem of
// the rules.
func (r Rules) fix(was Agent) Words {
	for _, p := range r.d.problems {
		switch {
		case strings.HasSuffix(p.Code, ".not_text"):
			return agentWords("fix.spelled")
		case p.Severity == SeverityError, strings.HasSuffix(p.Code, ".null"), strings.HasSuffix(p.Code, ".element"):
			return Words{Code: p.Code + hintSuffix, Params: p.Params, Text: p.Hint}
		}
	}
	return Words{Params: []string{}}
}

// closedHelpers names the helpers that a whitelist turns off here while they
// are on there.
func (r Rules) closedHelpers(was Agent) []string {
	if r.State() != StateOnly {
		return nil
	}
	var off []string
	for s := switchResources; s <= switchPrompts; s++ {
		if !was.off[s] && r.d.switches[s].value == toggleUnset {
			off = append(off, switchKey(s))
		}
	}
	return off
}
