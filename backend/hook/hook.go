package hook

import (
	"fmt"
	"regexp"
	"time"
)

// The events whose hooks run here: the first can stop a call, the second is told
// how it ended.
const (
	EventPreToolCall  = "pre_tool_call"
	EventPostToolCall = "post_tool_call"
)

// defaultLimit is the time of a hook whose rule has none (hermes-agent reference
// 3.3).
const defaultLimit = 60 * time.Second

// Rule is one hook as the file has it. Where is its file:line, Timeout its time,
// zero for the default. FailOpen lets a call through where the hook fails: the
// file has to say so.
type Rule struct {
	Event, Matcher, Command string
	Where                   string
	Timeout                 time.Duration
	FailOpen                bool
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
// tool name, as in Hermes Agent; none, an empty one, and "*" match every tool.
// One that does not compile here gates every tool, because what it was to keep
// out cannot be known.
func Compile(rules []Rule) Set {
	set := Set{known: true}
	for _, rule := range rules {
		c := compiled{Rule: rule}
		if rule.Matcher != "" && rule.Matcher != "*" {
			// Alone first: "a)|(b" would be one only between our brackets.
			if _, c.fault = regexp.Compile(rule.Matcher); c.fault == nil {
				c.match, c.fault = regexp.Compile(`\A(?:` + rule.Matcher + `)\z`)
			}
		}
		set.rules = append(set.rules, c)
	}
	return set
}

// matches tells whether a hook is to see a call of a tool that goes by these
// names.
func (c compiled) matches(names ...string) bool {
	if c.match == nil {
		return true
	}
	for _, name := range names {
		if name != "" && c.match.MatchString(name) {
			return true
		}
	}
	return false
}

func (c compiled) limit() time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return defaultLimit
}

// name is how a hook is called in what people and models read.
func (c compiled) name() string {
	name := fmt.Sprintf("%s hook %q", c.Event, c.Command)
	if c.Where != "" {
		name += " (" + c.Where + ")"
	}
	return name
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
		if rule.Event != EventPreToolCall {
			continue
		}
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
