package config

import (
	"reflect"
	"slices"
)

// restrictions keeps every restriction of both states.
func (w *waiter) restrictions() {
	was, is := w.base.Restrictions, w.now.Restrictions
	out := is.under(was)
	line := func(path string) int { return is.places[path].line }
	for _, c := range []struct {
		key     string
		was, is bool
	}{
		{"mcp.client", was.ClientOff, is.ClientOff},
		{"mcp.stdio_servers", was.StdioOff, is.StdioOff},
		{"HERMES_SAFE_MODE", was.SafeMode, is.SafeMode},
	} {
		if c.was && !c.is {
			w.opens(c.key, line(c.key))
		}
	}
	if was.Limited {
		more := !is.Limited || slices.ContainsFunc(is.Servers, func(s string) bool { return !slices.Contains(was.Servers, s) })
		if more {
			w.opens("platform_toolsets.cli", line("platform_toolsets.cli"))
		}
		out.Limited = true
		out.Servers = slices.DeleteFunc(slices.Clone(was.Servers), func(s string) bool { return is.Limited && !slices.Contains(is.Servers, s) })
	}
	if slices.ContainsFunc(was.Disabled, func(s string) bool { return !slices.Contains(is.Disabled, s) }) {
		w.opens("agent.disabled_toolsets", line("agent.disabled_toolsets"))
	}
	out.Hooks = w.hooks("hooks."+EventPreToolCall, was.Hooks, is.Hooks)
	out.Observers = w.hooks("hooks."+EventPostToolCall, was.Observers, is.Observers)
	if was.ApprovalMode != ApprovalOff && is.ApprovalMode == ApprovalOff {
		w.opens("approvals.mode", w.line("approvals.mode"))
		out.ApprovalMode = was.ApprovalMode
	}
	for _, glob := range was.Deny {
		if !slices.Contains(is.Deny, glob) {
			w.opens("approvals.deny ("+glob+")", w.line("approvals.deny"))
			out.Deny = append(slices.Clip(out.Deny), glob)
		}
	}
	out.gates = w.gates(was, is)
	w.now.Restrictions = out
}

// hooks keeps those that were there, also where one is written otherwise now,
// and adds the new ones: a call has to get past all of them.
func (w *waiter) hooks(path string, was, is []HookRule) []HookRule {
	same := func(h HookRule) func(HookRule) bool {
		return func(o HookRule) bool {
			o.Line = h.Line
			return o == h
		}
	}
	for _, h := range was {
		if !slices.ContainsFunc(is, same(h)) {
			what := path
			if h.Matcher != "" {
				what += " (" + h.Matcher + ")"
			}
			w.opens(what, w.line(path))
		}
	}
	out := slices.Clone(was)
	for _, h := range is {
		if at := slices.IndexFunc(out, same(h)); at >= 0 {
			out[at] = h
			continue
		}
		out = append(out, h)
	}
	return out
}

// gates keeps what could not be read of the restrictions, too.
func (w *waiter) gates(was, is Restrictions) []gate {
	same := func(g gate) func(gate) bool {
		return func(o gate) bool {
			return o.reason == g.reason && (o.match == nil) == (g.match == nil) && (o.match == nil || o.match.String() == g.match.String())
		}
	}
	out := slices.Clone(is.gates)
	for _, g := range was.gates {
		if slices.ContainsFunc(out, same(g)) {
			continue
		}
		out = append(out, g)
		if g.match == nil {
			w.opens("calls that were refused: "+g.reason, 0)
		}
	}
	return out
}

// line is where the value of a dotted path stands now, 0 for nowhere.
func (w *waiter) line(path string) int {
	if n, _ := section(w.now.tree, path); n != nil {
		return n.Line
	}
	return 0
}

// settings keeps what a conversation goes to, and the stricter switches. What is
// not named here neither opens nor closes anything.
func (w *waiter) settings() {
	was, is := w.base.Settings, w.now.Settings
	out := is
	if !reflect.DeepEqual(was.Model.placeless(), is.Model.placeless()) {
		w.opens("model", w.line("model"))
		out.Model = was.Model
		out.Model.ContextLength, out.Model.Prices = is.Model.ContextLength, is.Model.Prices
	}
	if was.CancelLocked && !is.CancelLocked {
		w.opens("mcp.locked_calls", w.line("mcp.locked_calls"))
		out.CancelLocked = true
	}
	if was.HoldFilters && !is.HoldFilters {
		w.opens("mcp.hold_lost_filters", w.line("mcp.hold_lost_filters"))
		out.HoldFilters = true
	}
	if !was.AutoReload && is.AutoReload {
		w.opens("mcp.auto_reload_on_config_change", w.line("mcp.auto_reload_on_config_change"))
		out.AutoReload = false
	}
	out.Connectors = w.connectors(was.Connectors, is.Connectors)
	out.Loops = w.loops(was.Loops, is.Loops)
	w.now.Settings = out
}

// placeless are the settings without where they stand, and without what opens
// nothing.
func (m ModelSettings) placeless() ModelSettings {
	m.line, m.column, m.ContextLength, m.Prices = 0, 0, 0, nil
	m.Endpoints = slices.Clone(m.Endpoints)
	for i := range m.Endpoints {
		m.Endpoints[i].Line, m.Endpoints[i].Column = 0, 0
	}
	return m
}

// ownTurns is the program's own bound of the model passes of a turn, where the
// file writes none.
const ownTurns = 100

// loops keeps the tighter bounds of a turn.
func (w *waiter) loops(was, is Loops) Loops {
	out := is
	for _, c := range []struct {
		key     string
		to      *bool
		was, is bool
	}{
		{"tool_loop_guardrails.warnings_enabled", &out.Warnings, was.Warnings, is.Warnings},
		{"agent.stall_guards", &out.StallGuards, was.StallGuards, is.StallGuards},
		{"tool_loop_guardrails.hard_stop_enabled", &out.HardStop, was.HardStop, is.HardStop},
		{"tool_loop_guardrails.non_interactive_hard_stop_enabled", &out.HardStopAlone, was.HardStopAlone, is.HardStopAlone},
		{"security.redact_secrets", &out.RedactSecrets, was.RedactSecrets, is.RedactSecrets},
	} {
		if c.was && !c.is {
			w.opens(c.key, w.line(c.key))
			*c.to = true
		}
	}
	warn, stop := "tool_loop_guardrails.warn_after", "tool_loop_guardrails.hard_stop_after"
	for _, c := range []struct {
		key     string
		to      *int
		was, is int
	}{
		{"agent.max_turns", &out.MaxTurns, was.MaxTurns, is.MaxTurns},
		{"tool_budget.mcp_result_size_chars", &out.ResultChars, was.ResultChars, is.ResultChars},
		{warn + ".exact_failure", &out.WarnAfter.ExactFailure, was.WarnAfter.ExactFailure, is.WarnAfter.ExactFailure},
		{warn + ".same_tool_failure", &out.WarnAfter.SameToolFailure, was.WarnAfter.SameToolFailure, is.WarnAfter.SameToolFailure},
		{warn + ".idempotent_no_progress", &out.WarnAfter.NoProgress, was.WarnAfter.NoProgress, is.WarnAfter.NoProgress},
		{stop + ".exact_failure", &out.HardStopAfter.ExactFailure, was.HardStopAfter.ExactFailure, is.HardStopAfter.ExactFailure},
		{stop + ".same_tool_failure", &out.HardStopAfter.SameToolFailure, was.HardStopAfter.SameToolFailure, is.HardStopAfter.SameToolFailure},
		{stop + ".idempotent_no_progress", &out.HardStopAfter.NoProgress, was.HardStopAfter.NoProgress, is.HardStopAfter.NoProgress},
	} {
		// 0 is not written: the program's own bound, which a small number may be
		// above.
		if c.was != c.is && (c.is == 0 || c.was == 0 && c.is > ownTurns || c.was > 0 && c.is > c.was) {
			w.opens(c.key, w.line(c.key))
			*c.to = c.was
		}
	}
	return out
}
