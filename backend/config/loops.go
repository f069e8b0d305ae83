package config

import (
	"fmt"
	"math"

	"hermes/backend/policy"
)

// Loops are the keys that bound a turn: `tool_loop_guardrails`,
// `agent.max_turns`, `agent.stall_guards`, `tool_budget.mcp_result_size_chars`
// and `security.redact_secrets` (hermes-agent reference 5). A value that cannot
// be read is told and counts as not written.
type Loops struct {
	// Warnings (`warnings_enabled`) and StallGuards (`agent.stall_guards`) tell
	// the model that it repeats itself.
	Warnings, StallGuards bool
	// HardStop (`hard_stop_enabled`) blocks calls and ends turns that a person
	// watches, HardStopAlone (`non_interactive_hard_stop_enabled`) those that
	// nobody does.
	HardStop, HardStopAlone  bool
	WarnAfter, HardStopAfter LoopCounts
	// MaxTurns is the most model passes of a turn; 0 is not written, or null.
	MaxTurns int
	// ResultChars is the size from which a result goes to a file, in characters.
	ResultChars int
	// RedactSecrets is false where only the known secrets are taken out of
	// results, and not what merely looks like one.
	RedactSecrets bool
}

// LoopCounts are how often a call may fail as it is, a tool may fail whatever
// its arguments, and a call may give the same result.
type LoopCounts struct{ ExactFailure, SameToolFailure, NoProgress int }

// The bounds of the numbers.
const (
	maxLoopCount   = 1_000
	maxTurns       = 10_000
	leastResult    = 1_000
	mostResult     = 2_000_000
	standardResult = 50_000
)

func (r *settingsReader) loops(root *policy.Node) Loops {
	guards := at(root, "tool_loop_guardrails")
	if guards != nil && guards.Kind != policy.KindMapping && !isUnset(guards) {
		r.warn(guards, "write `tool_loop_guardrails:` and below it `warnings_enabled: true`", "`tool_loop_guardrails` is not a mapping; the standard limits are used")
		guards = nil
	}
	out := Loops{
		Warnings:      r.boolean(at(guards, "warnings_enabled"), "tool_loop_guardrails.warnings_enabled", true),
		HardStop:      r.boolean(at(guards, "hard_stop_enabled"), "tool_loop_guardrails.hard_stop_enabled", false),
		HardStopAlone: r.boolean(at(guards, "non_interactive_hard_stop_enabled"), "tool_loop_guardrails.non_interactive_hard_stop_enabled", true),
		StallGuards:   r.boolean(at(root, "agent.stall_guards"), "agent.stall_guards", true),
		RedactSecrets: r.boolean(at(root, "security.redact_secrets"), "security.redact_secrets", true),
		MaxTurns:      r.whole(at(root, "agent.max_turns"), "agent.max_turns", 0, 1, maxTurns),
		ResultChars:   r.whole(at(root, "tool_budget.mcp_result_size_chars"), "tool_budget.mcp_result_size_chars", standardResult, leastResult, mostResult),
	}
	counts := func(name string, standard LoopCounts) LoopCounts {
		if n := at(guards, name); !isUnset(n) && n.Kind != policy.KindMapping {
			r.warn(n, "write `"+name+":` and below it `exact_failure: 5`", "`tool_loop_guardrails.%s` is not a mapping; the standard limits are used", name)
		}
		count := func(key string, standard int) int {
			return r.whole(at(guards, name+"."+key), "tool_loop_guardrails."+name+"."+key, standard, 1, maxLoopCount)
		}
		return LoopCounts{count("exact_failure", standard.ExactFailure), count("same_tool_failure", standard.SameToolFailure), count("idempotent_no_progress", standard.NoProgress)}
	}
	out.WarnAfter = counts("warn_after", LoopCounts{2, 3, 2})
	out.HardStopAfter = counts("hard_stop_after", LoopCounts{5, 8, 5})
	return out
}

// boolean reads a word for true or false; what is neither is told.
func (r *settingsReader) boolean(n *policy.Node, name string, standard bool) bool {
	if isUnset(n) {
		return standard
	}
	on, ok := boolLike(n)
	if !ok {
		r.warn(n, "write `true` or `false`", "`%s` is neither true nor false; %v is used", name, standard)
		return standard
	}
	return on
}

// whole reads a whole number from low; what is above high counts as high, and
// what is none is told.
func (r *settingsReader) whole(n *policy.Node, name string, standard, low, high int) int {
	if isUnset(n) {
		return standard
	}
	f, ok := number(n)
	if !ok || f != math.Trunc(f) || f < float64(low) {
		used := fmt.Sprint(standard)
		if standard == 0 {
			used = "the standard limit"
		}
		r.warn(n, fmt.Sprintf("write a whole number from %d to %d", low, high), "`%s` is not a whole number from %d; %s is used", name, low, used)
		return standard
	}
	return int(min(f, float64(high)))
}
