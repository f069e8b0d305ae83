package config

import (
	"strings"
	"testing"
)

// TestGuardsWrittenTwice: of two ways to write a restriction none hides the other.
func TestGuardsWrittenTwice(t *testing.T) {
	const hook = "[{command: x, matcher: mcp__a__b}]"
	for name, tc := range map[string]struct {
		text string
		// what is refused, and by what word; problem and its severity
		refused, code string
		severity      string
		hint          string
	}{
		"approvals":                {"approvals: {deny: ['*a__b*']}\napprovals: {mode: off}\n", "mcp__a__b", "restriction.twice", "error", "write it once"},
		"approvals, other order":   {"approvals: {mode: off}\napprovals: {deny: '*a__b*'}\n", "mcp__a__b", "restriction.twice", "error", "once"},
		"deny":                     {"approvals:\n  deny: ['*a__b*']\n  deny: []\n", "mcp__a__b", "restriction.twice", "error", "once"},
		"approvals that is a list": {"approvals: [x]\napprovals: {mode: off}\n", "mcp__a__b", "restriction.twice", "error", "once"},
		"Approvals":                {"Approvals: {deny: ['*a__b*']}\n", "mcp__a__b", "restriction.near_key", "warning", "did you mean approvals?"},
		"Approvals beside":         {"approvals: {mode: off}\nApprovals: {deny: ['*a__b*']}\n", "mcp__a__b", "restriction.near_key", "warning", "did you mean approvals?"},
		"Deny":                     {"approvals: {Deny: ['*a__b*']}\n", "mcp__a__b", "restriction.near_key", "warning", "did you mean approvals.deny?"},
		"approval":                 {"approval: {deny: ['*a__b*']}\n", "", "restriction.near_key", "warning", "did you mean approvals?"},
		"hook":                     {"hook: {pre_tool_call: " + hook + "}\n", "", "restriction.near_key", "warning", "did you mean hooks?"},
		"preToolCall":              {"hooks: {preToolCall: " + hook + "}\n", "mcp__a__b", "restriction.near_key", "warning", "did you mean hooks.pre_tool_call?"},
		"pre-tool-call":            {"hooks: {pre-tool-call: " + hook + "}\n", "mcp__a__b", "restriction.near_key", "warning", "did you mean hooks.pre_tool_call?"},
		"Pre_Tool_Call":            {"hooks: {Pre_Tool_Call: " + hook + "}\n", "mcp__a__b", "restriction.near_key", "warning", "did you mean hooks.pre_tool_call?"},
		"PreToolUse":               {"hooks: {PreToolUse: " + hook + "}\n", "mcp__a__b", "restriction.near_key", "warning", "did you mean hooks.pre_tool_call?"},
		"pre_tool_calls":           {"hooks: {pre_tool_calls: " + hook + "}\n", "", "restriction.near_key", "warning", "did you mean hooks.pre_tool_call?"},
		"postToolCall":             {"hooks: {postToolCall: " + hook + "}\n", "", "restriction.near_key", "warning", "did you mean hooks.post_tool_call?"},
		"a hook with two matchers": {"hooks: {pre_tool_call: [{command: x, matcher: y, matcher: z}]}\n", "mcp__a__b", "restriction.unreadable", "error", "once"},
		"a hook that closes twice": {"hooks: {pre_tool_call: [{command: x, fail_closed: true, fail_closed: false}]}\n", "mcp__a__b", "restriction.unreadable", "error", "once"},
		"a hook with two commands": {"hooks: {pre_tool_call: [{command: x, matcher: mcp__a__b, command: ''}]}\n", "mcp__a__b", "restriction.unreadable", "error", "once"},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, tc.text+"mcp_servers: {a: {command: x}}\n")
			reason, line, gated := s.Restrictions.Gate("mcp__a__b")
			if gated != (tc.refused != "") || gated && (reason == "" || line == 0) {
				t.Errorf("refused: %v, %q, line %d", gated, reason, line)
			}
			if other, _, gated := s.Restrictions.Gate("mcp__a__c"); gated && strings.HasPrefix(tc.code, "restriction.near") {
				t.Errorf("another tool is refused: %s", other)
			}
			found := false
			for _, p := range s.Problems {
				found = found || p.Code == tc.code && string(p.Severity) == tc.severity && strings.Contains(p.Hint, tc.hint) && p.Line > 0
			}
			if !found {
				t.Errorf("problems: %+v", s.Problems)
			}
		})
	}
}

// TestGuardsOfServersWrittenTwice: the same for what keeps servers back, and
// nothing is lifted by a key in another spelling.
func TestGuardsOfServersWrittenTwice(t *testing.T) {
	for text, runs := range map[string]bool{
		"mcp: {client: false}\nmcp: {start_wait: 1}\n":                                        false,
		"Mcp: {client: false}\n":                                                              false,
		"mcp: {Client: false}\n":                                                              false,
		"mcp: {client: true, Client: true}\n":                                                 true,
		"agent: {disabled_toolsets: [a]}\nagent: {}\n":                                        false,
		"agent: {Disabled_toolsets: [a]}\n":                                                   false,
		"agent: {disabled-toolsets: a, disabled_toolsets: [b]}\n":                             false,
		"platform_toolsets: {cli: [a]}\nplatform_toolsets: {cli: [a, b]}\n":                   false,
		"platformToolsets: {cli: [b]}\n":                                                      false,
		"platformToolsets: {cli: [a]}\n":                                                      true,
		"mcp: {start_wait: 1}\nagent: {max_turns: 5}\napprovals: {mode: manual}\nhooks: {}\n": true,
	} {
		s := load(t, text+"mcp_servers: {a: {command: x}, b: {command: y}}\n")
		if ok, p := s.MayRun("a"); ok != runs {
			t.Errorf("%s: runs %v, %s", text, ok, p.Message)
		}
	}
	for text, want := range map[string]string{
		"approvals: {Mode: off}\n": ApprovalManual, "Approvals: {mode: off}\n": ApprovalManual, "approvals: {mode: off, Mode: manual}\n": ApprovalManual,
		"approvals: {mode: off}\napprovals: {mode: manual}\n": ApprovalManual, "approvals: {mode: manual}\napprovals: {mode: off}\n": ApprovalManual,
		"approvals: {mode: off}\napprovals: {timeout: 5}\n": ApprovalOff,
	} {
		if got := load(t, text).Restrictions.ApprovalMode; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if s := load(t, "hooks:\n  pre_tool_call: [{command: x}]\nhooks: {}\n"); len(s.Restrictions.Hooks) != 1 {
		t.Errorf("%+v", s.Restrictions.Hooks)
	}
}
