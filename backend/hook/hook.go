package hook

import (
	"fmt"
	"regexp"
)

// EventPreToolCall is the only event whose hooks can stop a call.
const EventPreToolCall = "pre_tool_call"

// Rule is one hook as the file has it; Where is its file:line.
type Rule struct {
	Event, Matcher, Command string
	Where                   string
}

// Set is the hooks of a home. The zero value denies every call: a home whose
// hooks were not read is not a home without hooks.
type Set struct {
	known bool
	rules []compiled
}

type compiled struct {
	Rule
	match *regexp.Regexp // nil matches everything
	fault error
}

// Compile reads the hooks. A matcher is a regular expression over the whole
// tool name, as in Hermes Agent; none, or an empty one, matches every tool. One
// that does not compile here gates every tool, because what it was to keep out
// cannot be known.
func Compile(rules []Rule) Set {
	set := Set{known: true}
	for _, rule := range rules {
		if rule.Event != EventPreToolCall {
			continue
		}
		c := compiled{Rule: rule}
		if rule.Matcher != "" {
			c.match, c.fault = regexp.Compile(`\A(?:` + rule.Matcher + `)\z`)
		}
		set.rules = append(set.rules, c)
	}
	return set
}

// Hold is the answer of a Set. The zero value denies.
type Hold struct {
	Allowed bool
	Reason  string
}

// Before answers for a call that goes by these names: the public one, and any
// other a hook may have been written for. A call that a hook would see is
// refused: running it unseen would take the hook's word from it.
func (s Set) Before(names ...string) Hold {
	if !s.known {
		return Hold{Reason: "The hooks were not read, so nothing may run. The call was not sent."}
	}
	for _, rule := range s.rules {
		if rule.fault != nil {
			return Hold{Reason: fmt.Sprintf("%sthe matcher %q of a pre_tool_call hook cannot be read (%v), so it holds back every tool. The call was not sent; do not retry it. A person mends the matcher.", place(rule.Where), rule.Matcher, rule.fault)}
		}
		for _, name := range names {
			if rule.match == nil || rule.match.MatchString(name) {
				return Hold{Reason: fmt.Sprintf("%sthe pre_tool_call hook %q decides about %s, and hooks do not run here without consent. The call was not sent; do not retry it. A person removes the hook or narrows its matcher to allow it.", place(rule.Where), rule.Command, name)}
			}
		}
	}
	return Hold{Allowed: true}
}

func place(where string) string {
	if where == "" {
		return ""
	}
	return where + ": "
}
