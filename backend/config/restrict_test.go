package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hermes/backend/policy"
)

const twoServers = `mcp_servers:
  demo: {command: npx}
  web: {url: "https://x.example/mcp"}
  own: {builtin: files}
`

// TestRestrictions: each row is DESIGN invariant 12 on a server that is a
// program, one on the web and one of ours.
func TestRestrictions(t *testing.T) {
	for name, c := range map[string]struct {
		yaml  string
		env   []string
		may   string // the servers that may run
		line  int    // where the reason is, for those that may not
		wrong bool   // the file has a problem
	}{
		"none":                     {"", nil, "demo web own", 0, false},
		"client off":               {"mcp: {client: false}\n", nil, "", 5, false},
		"client off in words":      {"mcp: {client: 'No'}\n", nil, "", 5, false},
		"client on":                {"mcp: {client: true}\n", nil, "demo web own", 0, false},
		"client null":              {"mcp: {client: }\n", nil, "demo web own", 0, false},
		"client unreadable":        {"mcp: {client: maybe}\n", nil, "", 5, true},
		"client a list":            {"mcp: {client: []}\n", nil, "", 5, true},
		"mcp not a mapping":        {"mcp: no\n", nil, "", 5, true},
		"mcp null":                 {"mcp:\n", nil, "demo web own", 0, false},
		"stdio off":                {"mcp: {stdio_servers: off}\n", nil, "web own", 5, false},
		"safe mode":                {"", []string{"HERMES_SAFE_MODE", "1"}, "", 0, false},
		"safe mode off":            {"", []string{"HERMES_SAFE_MODE", "0"}, "demo web own", 0, false},
		"toolsets without servers": {"platform_toolsets: {cli: [web-search, file]}\n", nil, "demo web own", 0, false},
		"toolsets with one":        {"platform_toolsets: {cli: [file, demo]}\n", nil, "demo", 5, false},
		"toolsets by alias":        {"platform_toolsets: {cli: [mcp-web]}\n", nil, "web", 5, false},
		"toolsets of others":       {"platform_toolsets: {telegram: [demo]}\n", nil, "demo web own", 0, false},
		"toolsets no_mcp":          {"platform_toolsets: {cli: [demo, no_mcp]}\n", nil, "", 5, false},
		"toolsets as one word":     {"platform_toolsets: {cli: demo}\n", nil, "demo", 5, false},
		"toolsets unreadable":      {"platform_toolsets: {cli: {a: b}}\n", nil, "", 5, true},
		"toolsets with a null":     {"platform_toolsets: {cli: [demo, ~]}\n", nil, "", 5, true},
		"toolsets not a mapping":   {"platform_toolsets: [demo]\n", nil, "", 5, true},
		"disabled":                 {"agent:\n  disabled_toolsets: [terminal, demo]\n", nil, "web own", 6, false},
		"disabled by alias":        {"agent: {disabled_toolsets: [mcp-web]}\n", nil, "demo own", 5, false},
		"disabled as text":         {"agent: {disabled_toolsets: '[\"demo\", \"web\"]'}\n", nil, "own", 5, false},
		"disabled unreadable":      {"agent: {disabled_toolsets: {demo: true}}\n", nil, "", 5, true},
		"agent not a mapping":      {"agent: x\n", nil, "", 5, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, twoServers+c.yaml, c.env...)
			var may []string
			for _, server := range s.Names() {
				ok, p := s.MayRun(server)
				if ok {
					may = append(may, server)
					continue
				}
				if p.Code != CodeBlocked || p.Line != c.line || p.Message == "" || p.Hint == "" || p.File != s.Path {
					t.Errorf("%s: %+v", server, p)
				}
			}
			if got := strings.Join(may, " "); got != c.may {
				t.Errorf("may run: %q, want %q", got, c.may)
			}
			if c.wrong != (len(s.Problems) > 0) {
				t.Errorf("problems: %+v", s.Problems)
			}
			for _, p := range s.Problems {
				if p.Severity != policy.SeverityError || p.Line != c.line || p.Hint == "" {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

func TestSafeModeInEnvFile(t *testing.T) {
	h := home(t, twoServers)
	put(t, h.Env(), "HERMES_SAFE_MODE=true\n")
	s := Open(h, Options{Getenv: env("HERMES_SAFE_MODE", "0")}).Load()
	if ok, p := s.MayRun("web"); ok || p.Code != CodeBlocked {
		t.Errorf("%v %+v", ok, p)
	}
}

func TestGate(t *testing.T) {
	for name, c := range map[string]struct {
		yaml  string
		held  string // the public names that are held back
		line  int
		wrong bool
	}{
		"none":                {"", "", 0, false},
		"hooks null":          {"hooks:\n", "", 0, false},
		"hooks empty":         {"hooks: {}\n", "", 0, false},
		"other events":        {"hooks: {post_tool_call: [{command: x}], on_session_start: [{command: x}]}\n", "", 0, false},
		"no hook in the list": {"hooks: {pre_tool_call: []}\n", "", 0, false},
		"a hook decides":      {"hooks:\n  pre_tool_call:\n    - matcher: \"mcp__demo__(create|delete).*\"\n      command: guard\n", "", 0, false},
		"star":                {"hooks: {pre_tool_call: [{matcher: '*', command: x}]}\n", "", 0, false},
		"one hook, no list":   {"hooks: {pre_tool_call: {matcher: mcp__web__.*, command: x}}\n", "", 0, false},
		"does not compile":    {"hooks: {pre_tool_call: [{matcher: '(?!x).*', command: x}]}\n", "mcp__demo__read mcp__demo__delete_all mcp__web__get", 1, true},
		"compiles in a group": {"hooks: {pre_tool_call: [{matcher: 'a)|(b', command: x}]}\n", "mcp__demo__read mcp__demo__delete_all mcp__web__get", 1, true},
		"matcher a list":      {"hooks: {pre_tool_call: [{matcher: [a], command: x}]}\n", "mcp__demo__read mcp__demo__delete_all mcp__web__get", 1, true},
		"no command":          {"hooks: {pre_tool_call: [{matcher: mcp__web__.*}]}\n", "mcp__web__get", 1, true},
		"no command, whole":   {"hooks: {pre_tool_call: [{matcher: 'web|a|mcp__demo__read', command: [x]}]}\n", "mcp__demo__read", 1, true},
		"hook unreadable":     {"hooks: {pre_tool_call: [x]}\n", "mcp__demo__read mcp__demo__delete_all mcp__web__get", 1, true},
		"hook a text":         {"hooks: {pre_tool_call: guard.sh}\n", "mcp__demo__read mcp__demo__delete_all mcp__web__get", 1, true},
		"hooks unreadable":    {"hooks: x\n", "mcp__demo__read mcp__demo__delete_all mcp__web__get", 1, true},
		"observer unreadable": {"hooks: {post_tool_call: [x]}\n", "", 0, true},
		"observer's matcher":  {"hooks: {post_tool_call: [{matcher: '(', command: x}]}\n", "", 0, true},
		"deny":                {"approvals:\n  deny:\n  - x\n  - MCP__*__DELETE*\n", "mcp__demo__delete_all", 4, false},
		"deny classes":        {"approvals: {deny: ['mcp__[!w]*__rea[a-d]']}\n", "mcp__demo__read", 1, false},
		"deny one text":       {"approvals: {deny: '*__get'}\n", "mcp__web__get", 1, false},
		"deny brackets":       {"approvals: {deny: '[m]cp__web__*'}\n", "mcp__web__get", 1, false},
		"deny not closed":     {"approvals: {deny: ['mcp__web__[get']}\n", "", 0, false},
		"deny unreadable":     {"approvals: {deny: {a: b}}\n", "mcp__demo__read mcp__demo__delete_all mcp__web__get", 1, true},
		"deny with a null":    {"approvals: {deny: [~]}\n", "mcp__demo__read mcp__demo__delete_all mcp__web__get", 1, true},
		"approvals a text":    {"approvals: on\n", "mcp__demo__read mcp__demo__delete_all mcp__web__get", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, c.yaml)
			var held []string
			for _, public := range []string{"mcp__demo__read", "mcp__demo__delete_all", "mcp__web__get"} {
				reason, line, gated := s.Restrictions.Gate(public)
				if gated {
					held = append(held, public)
				}
				if gated && (reason == "" || line != c.line) || !gated && (reason != "" || line != 0) {
					t.Errorf("%s: %q, line %d", public, reason, line)
				}
			}
			if got := strings.Join(held, " "); got != c.held {
				t.Errorf("held: %q, want %q", got, c.held)
			}
			if c.wrong != (len(s.Problems) == 1) {
				t.Errorf("problems: %+v", s.Problems)
			}
		})
	}
}

// A tool whose public name got a suffix here is still held under the name that
// Python Hermes gives it.
func TestGateAsksAllNames(t *testing.T) {
	s := load(t, "approvals: {deny: [mcp__a__b]}\n")
	if _, _, gated := s.Restrictions.Gate("mcp__a__b_1f3c", "mcp__a__b"); !gated {
		t.Error("not held")
	}
}

func TestHooksAreRead(t *testing.T) {
	s := load(t, `hooks:
  pre_tool_call:
  - {matcher: a.*, command: one}
  - {matcher: "*", command: two --x, timeout: 2.5, fail_closed: no}
  - {command: three, timeout: 0, failClosed: false, fail_closed: true}
  - {command: four, timeout: 301, fail_closed: maybe}
  post_tool_call: {command: five, timeout: "7"}
  pre_tool_call:
  - command: six
  pre_llm_call: [{command: seven}]
  outbound: {url: x}
`)
	r := s.Restrictions
	for _, c := range []struct {
		name      string
		got, want []HookRule
	}{
		{"hooks", r.Hooks, []HookRule{
			{Event: "pre_tool_call", Matcher: "a.*", Command: "one", Timeout: time.Minute, Line: 3},
			{Event: "pre_tool_call", Matcher: "*", Command: "two --x", Timeout: 2500 * time.Millisecond, FailOpen: true, Line: 4},
			{Event: "pre_tool_call", Command: "three", Timeout: time.Second, Line: 5},
			{Event: "pre_tool_call", Command: "four", Timeout: 5 * time.Minute, Line: 6},
			{Event: "pre_tool_call", Command: "six", Timeout: time.Minute, Line: 9},
		}},
		{"observers", r.Observers, []HookRule{{Event: "post_tool_call", Command: "five", Timeout: 7 * time.Second, Line: 7}}},
		{"others", r.OtherHooks, []HookRule{{Event: "pre_llm_call", Command: "seven", Line: 10}}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %+v", c.name, c.got)
		}
	}
	if len(s.Problems) != 3 {
		t.Errorf("problems: %+v", s.Problems)
	}
}

func TestApprovalsAreListed(t *testing.T) {
	r := load(t, "approvals: {mode: smart, deny: [x, y]}\n").Restrictions
	if r.ApprovalMode != ApprovalManual || strings.Join(r.Deny, ",") != "x,y" {
		t.Errorf("approvals: %q, %v", r.ApprovalMode, r.Deny)
	}
}

func TestApprovalModes(t *testing.T) {
	for word, want := range map[string]string{
		"off": ApprovalOff, "false": ApprovalOff, "'OFF'": ApprovalOff, "manual": ApprovalManual, "smart": ApprovalManual, "~": ApprovalManual, "strange": ApprovalManual, "[]": ApprovalManual,
	} {
		s := load(t, "approvals: {mode: "+word+"}\n")
		if got := s.Restrictions.ApprovalMode; got != want {
			t.Errorf("mode %s is %q, want %q", word, got, want)
		}
		if (word == "strange") != (len(s.Problems) == 1) {
			t.Errorf("mode %s: %+v", word, s.Problems)
		}
	}
}
