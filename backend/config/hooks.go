package config

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"hermes/backend/policy"
)

// The events whose hooks run here. Hooks of other events belong to Hermes Agent
// alone and are listed as such.
const (
	EventPreToolCall  = "pre_tool_call"
	EventPostToolCall = "post_tool_call"
)

// The bounds of a hook's time and what it is without one (hermes-agent
// reference 3.3).
const (
	minHookTimeout     = time.Second
	maxHookTimeout     = 300 * time.Second
	defaultHookTimeout = 60 * time.Second
)

// HookRule is a configured shell hook (hermes-agent reference 3.3). Matcher is a
// regular expression over the whole public name of a tool; an empty one, and
// "*", match every tool. FailOpen tells that the file says `fail_closed: false`
// in so many words: without it a pre_tool_call hook that fails blocks. Two rules
// may be compared with ==.
type HookRule struct {
	Event    string
	Matcher  string
	Command  string
	Timeout  time.Duration
	FailOpen bool
	Line     int
}

func (r *restrictionReader) hooks(root *policy.Node) {
	n, wrong := section(root, "hooks")
	if isNull(n) {
		return
	}
	if wrong || n.Kind != policy.KindMapping {
		r.unreadable(n, "hooks", "every call is refused", "write `hooks:` and below it `pre_tool_call:` with a list")
		r.gateAll(n, "`hooks` cannot be read, so every call is refused")
		return
	}
	// Every key of that name counts: of two lists none may hide the other.
	for i := 0; i+1 < len(n.Children); i += 2 {
		key, value := n.Children[i], n.Children[i+1]
		switch event := scalarText(key); event {
		case EventPreToolCall, EventPostToolCall:
			r.event(event, value)
		case "", "outbound":
			// Outbound webhooks are another system of Hermes Agent.
		default:
			if meant, sure := meantEvent(event); meant != "" {
				r.nearEvent(key, value, meant, sure)
			}
			for _, item := range items(value) {
				r.out.OtherHooks = append(r.out.OtherHooks, HookRule{Event: event, Command: scalarText(at(item, "command")), Line: item.Line})
			}
		}
	}
}

// items are the hooks of an event: those of a list, or the one that stands alone.
func items(n *policy.Node) []*policy.Node {
	switch {
	case isNull(n):
		return nil
	case n.Kind == policy.KindSequence:
		return slices.DeleteFunc(slices.Clone(n.Children), isNull)
	}
	return []*policy.Node{n}
}

func (r *restrictionReader) event(event string, n *policy.Node) {
	for _, item := range items(n) {
		switch {
		case item.Kind == policy.KindMapping:
			r.hook(event, item)
		case event == EventPreToolCall:
			r.unreadable(item, "hooks."+event, "every call is refused", "write `- matcher: REGEX` and `command: PROGRAM`")
			r.gateAll(item, "a `pre_tool_call` hook cannot be read, so every call is refused")
		default:
			r.unreadable(item, "hooks."+event, "it is not run", "write `- matcher: REGEX` and `command: PROGRAM`")
		}
	}
}

// hook reads one. What cannot be read of a pre_tool_call hook holds back what it
// may have been meant for; an observer is only not run.
func (r *restrictionReader) hook(event string, item *policy.Node) {
	rule := HookRule{Event: event, Command: scalarText(at(item, "command")), Line: item.Line,
		Timeout: r.hookTimeout(event, item), FailOpen: r.failOpen(event, item)}
	counts := "it matches every tool, and every call is refused"
	if event == EventPostToolCall {
		counts = "it is not run"
	}
	_, matcher := pair(item, "matcher")
	g := gate{line: item.Line}
	switch {
	case isNull(matcher) || scalarText(matcher) == "" && matcher.Kind == policy.KindScalar:
	case matcher.Kind != policy.KindScalar:
		g.reason = "a `" + event + "` hook has a matcher that cannot be read, so every call is refused"
		r.unreadable(matcher, "hooks."+event+".matcher", counts, "write a regular expression as text")
	default:
		rule.Matcher = matcher.Value
		if rule.Matcher == "*" {
			break // a glob by habit: every tool
		}
		expression, err := wholeMatch(rule.Matcher)
		if err != nil {
			g.reason = fmt.Sprintf("the matcher %q of a `%s` hook cannot be read, so every call is refused", rule.Matcher, event)
			r.unreadable(matcher, "hooks."+event+".matcher", counts, "write a regular expression without look-around")
			break
		}
		g.match = expression
	}
	if name := doubled(item, "matcher", "command", "fail_closed", "failClosed"); name != "" && g.reason == "" {
		g.reason = "a `" + event + "` hook has `" + name + "` twice, so every call is refused"
		g.match = nil
		r.unreadable(item, "hooks."+event+"."+name, counts, "write it once")
	}
	if g.reason == "" && rule.Command == "" {
		g.reason = "a `" + event + "` hook has no command that can be read, so what it matches is refused"
		counts = "what it matches is refused"
		if event == EventPostToolCall {
			counts = "it is not run"
		}
		r.unreadable(item, "hooks."+event+".command", counts, "write `command: PROGRAM` as text")
	}
	if event == EventPostToolCall {
		if g.reason == "" {
			r.out.Observers = append(r.out.Observers, rule)
		}
		return
	}
	r.out.Hooks = append(r.out.Hooks, rule)
	if g.reason != "" {
		r.out.gates = append(r.out.gates, g)
	}
}

// wholeMatch compiles an expression that has to match the whole name. It is
// compiled alone first: "a)|(b" would be one only between our brackets.
func wholeMatch(matcher string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(matcher); err != nil {
		return nil, err
	}
	return regexp.Compile(`\A(?:` + matcher + `)\z`)
}

// hookTimeout reads the seconds a hook may take; what is out of bounds is the
// nearest bound.
func (r *restrictionReader) hookTimeout(event string, item *policy.Node) time.Duration {
	n := at(item, "timeout")
	if isUnset(n) {
		return defaultHookTimeout
	}
	f, ok := number(n)
	d := defaultHookTimeout
	if ok {
		d = time.Duration(max(min(f, maxHookTimeout.Seconds()), minHookTimeout.Seconds()) * float64(time.Second))
	}
	if !ok || d.Seconds() != f {
		r.problems = append(r.problems, Problem{Severity: policy.SeverityWarning, Code: "hooks.timeout", Params: []string{event, d.String()},
			Message: fmt.Sprintf("the timeout of a `%s` hook is no number from 1 to 300; %s is used", event, d), Hint: "write seconds, such as `timeout: 60`",
			File: r.file, Line: n.Line, Column: n.Column})
	}
	return d
}

// failOpen tells whether a hook is written to let calls through when it fails:
// every spelling of the key that is there has to say so.
func (r *restrictionReader) failOpen(event string, item *policy.Node) bool {
	open := false
	for _, name := range []string{"fail_closed", "failClosed"} {
		n := at(item, name)
		if isUnset(n) {
			continue
		}
		closed, ok := boolLike(n)
		if !ok {
			r.unreadable(n, "hooks."+event+"."+name, "it counts as true", "write true or false")
		}
		if closed || !ok {
			return false
		}
		open = true
	}
	return open
}

// lineless are hooks without their places, for comparing two states of a file.
func lineless(hooks []HookRule) []HookRule {
	out := make([]HookRule, len(hooks))
	for i, h := range hooks {
		h.Line = 0
		out[i] = h
	}
	return out
}

// AutoAcceptsHooks tells whether the file says `hooks_auto_accept: true`, which
// Hermes Agent takes for consent to every hook.
func (s *Snapshot) AutoAcceptsHooks() bool {
	on, ok := boolLike(at(s.tree, "hooks_auto_accept"))
	return on && ok
}
