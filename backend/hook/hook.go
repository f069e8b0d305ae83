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

// Same tells whether two rules say the same, wherever they stand.
func (r Rule) Same(other Rule) bool {
	r.Where, other.Where = "", ""
	return r == other
}

// Matches tells whether a rule is for a tool of that name.
func (r Rule) Matches(name string) bool { return compile([]Rule{r}).rules[0].matches(name) }

// set is the hooks of a home; one that is not known denies every call.
type set struct {
	known bool
	rules []compiled
}

type compiled struct {
	Rule
	match *regexp.Regexp // nil matches everything
	fault error
}

// compile reads the hooks. A matcher is a regular expression over the whole
// tool name, as in Hermes Agent; none, an empty one, and "*" match every tool.
// One that does not compile here gates every tool, because what it was to keep
// out cannot be known.
func compile(rules []Rule) set {
	out := set{known: true}
	for _, rule := range rules {
		c := compiled{Rule: rule}
		if rule.Matcher != "" && rule.Matcher != "*" {
			// Alone first: "a)|(b" would be one only between our brackets.
			if _, c.fault = regexp.Compile(rule.Matcher); c.fault == nil {
				c.match, c.fault = regexp.Compile(`\A(?:` + rule.Matcher + `)\z`)
			}
		}
		out.rules = append(out.rules, c)
	}
	return out
}

// matches tells whether a hook is to see a call of a tool that goes by these
// names. One whose matcher cannot be read sees all.
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

// broken says why a hook holds back every tool.
func (c compiled) broken() string {
	return fmt.Sprintf("The matcher %q of the %s cannot be read (%v), so it holds back every tool", c.Matcher, c.name(), c.fault)
}

// name is how a hook is called in what people and models read.
func (c compiled) name() string {
	name := fmt.Sprintf("%s hook %q", c.Event, c.Command)
	if c.Where != "" {
		name += " (" + c.Where + ")"
	}
	return name
}
