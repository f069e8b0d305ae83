package config

import (
	"fmt"
	"slices"

	"hermes/backend/policy"
)

// ForeignKeys counts the values of the file that belong to other parts of
// Hermes: they are kept and not used. sections are the top-level keys that hold
// them, in file order; one that holds values of ours as well is named with one of
// its foreign keys.
func (s *Snapshot) ForeignKeys() (count int, sections []string) {
	if s.tree == nil || s.tree.Kind != policy.KindMapping {
		return 0, nil
	}
	for i := 0; i+1 < len(s.tree.Children); i += 2 {
		name := s.tree.Children[i].Value
		value := s.tree.Children[i+1]
		n := foreignLeaves(value, name)
		if n > 0 && value.Kind == policy.KindMapping {
			name = mixedName(value, name)
		}
		if n > 0 && !slices.Contains(sections, name) {
			sections = append(sections, name)
		}
		count += n
	}
	return count, sections
}

// mixedName tells a section apart of which we read a part.
func mixedName(section *policy.Node, name string) string {
	foreign, ours := "", false
	for i := 0; i+1 < len(section.Children); i += 2 {
		path := name + "." + section.Children[i].Value
		if foreignLeaves(section.Children[i+1], path) == 0 {
			ours = true
		} else if foreign == "" {
			foreign = path
		}
	}
	if ours {
		return foreign
	}
	return name
}

// foreignLeaves counts the values below a path of keys, but for those we read.
// A list of plain values is one value.
func foreignLeaves(n *policy.Node, path string) int {
	if isOurs(path) {
		return 0
	}
	count := 0
	switch {
	case n.Kind == policy.KindMapping && len(n.Children) > 0:
		for i := 0; i+1 < len(n.Children); i += 2 {
			count += foreignLeaves(n.Children[i+1], path+"."+n.Children[i].Value)
		}
	case n.Kind == policy.KindSequence:
		for _, item := range n.Children {
			if item.Kind != policy.KindScalar {
				count += foreignLeaves(item, path+"[]")
			}
		}
		count = max(count, 1)
	default:
		return 1
	}
	return count
}

// isOurs names the paths this program reads.
func isOurs(path string) bool {
	switch path {
	case keyServers, "model", "providers", "custom_providers", "mcp.client", "mcp.stdio_servers", "mcp.start_wait",
		"mcp.auto_reload_on_config_change", "mcp.hold_lost_filters", "timeouts.mcp.tool_call", "tools.tool_search", "tools.connectors", "connectors", "platform_toolsets.cli",
		"agent.disabled_toolsets", "agent.max_turns", "agent.stall_guards", "tool_budget.mcp_result_size_chars", "security.redact_secrets",
		"tool_loop_guardrails.warnings_enabled", "tool_loop_guardrails.hard_stop_enabled", "tool_loop_guardrails.non_interactive_hard_stop_enabled",
		"tool_loop_guardrails.warn_after", "tool_loop_guardrails.hard_stop_after", "approvals.mode", "approvals.deny", "hooks.pre_tool_call", "hooks.post_tool_call":
		return true
	}
	return false
}

// The codes of Honoured.
const (
	CodeClientOff  = "honoured.client"
	CodeStdioOff   = "honoured.stdio"
	CodeSafeMode   = "honoured.safe_mode"
	CodeLimited    = "honoured.platform_toolsets"
	CodeDisabledBy = "honoured.disabled_toolsets"
	CodeApprovals  = "honoured.approvals"
	CodeDenied     = "honoured.deny"
	CodeHooks      = "honoured.hooks"
)

// Honoured lists the restrictions of other parts of Hermes that are in force
// here, each with its place (DESIGN invariant 12).
func (s *Snapshot) Honoured() []Problem {
	r := s.Restrictions
	var out []Problem
	add := func(code, path, hint string, params []string, format string, args ...any) {
		at := r.places[path]
		out = append(out, Problem{Severity: policy.SeverityWarning, Code: code, Params: params,
			Message: fmt.Sprintf(format, args...), Hint: hint, File: s.Path, Line: at.line, Column: at.column})
	}
	if r.SafeMode {
		add(CodeSafeMode, "", "unset the variable to use MCP servers", nil, "HERMES_SAFE_MODE is set: no MCP server runs")
	}
	if r.ClientOff {
		add(CodeClientOff, "mcp.client", "", nil, "`mcp.client: false`: no MCP server runs")
	}
	if r.StdioOff {
		add(CodeStdioOff, "mcp.stdio_servers", "", nil, "`mcp.stdio_servers: false`: servers that are programs do not run")
	}
	if r.Limited {
		add(CodeLimited, "platform_toolsets.cli", "", r.Servers, "`platform_toolsets.cli` lets %d of %d servers run", len(r.Servers), len(s.Servers))
	}
	for _, name := range r.Disabled {
		for i := range s.Servers {
			if isToolset(name, s.Servers[i].Name) {
				add(CodeDisabledBy, "agent.disabled_toolsets", "", []string{s.Servers[i].Name}, "`agent.disabled_toolsets` names the server %q: it does not run", s.Servers[i].Name)
			}
		}
	}
	if n := at(s.tree, "approvals.mode"); n != nil && r.ApprovalMode != ApprovalOff {
		out = append(out, Problem{Severity: policy.SeverityWarning, Code: CodeApprovals, Params: []string{scalarText(n), r.ApprovalMode},
			Message: fmt.Sprintf("`approvals.mode: %s` is read as %s", scalarText(n), r.ApprovalMode), File: s.Path, Line: n.Line, Column: n.Column})
	}
	if n := at(s.tree, "approvals.deny"); len(r.Deny) > 0 && n != nil {
		out = append(out, Problem{Severity: policy.SeverityWarning, Code: CodeDenied, Params: r.Deny,
			Message: fmt.Sprintf("`approvals.deny` has %d globs: the calls they match are refused", len(r.Deny)), File: s.Path, Line: n.Line, Column: n.Column})
	}
	if len(r.Hooks) > 0 {
		out = append(out, Problem{Severity: policy.SeverityWarning, Code: CodeHooks, Params: []string{fmt.Sprint(len(r.Hooks))},
			Message: fmt.Sprintf("`hooks.pre_tool_call` (%d): in Hermes Agent a hook that fails lets the call through; here it blocks the call, and so does a hook that was not trusted here", len(r.Hooks)),
			Hint:    "`hermes hooks list` tells of each, `hermes hooks trust` trusts one", File: s.Path, Line: r.Hooks[0].Line, Column: 1})
	}
	return out
}
