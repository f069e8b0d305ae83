package config

import (
	"strings"
	"testing"
)

func TestReasoningEffort(t *testing.T) {
	for text, want := range map[string]struct {
		level string
		lines []int
	}{
		"":                                       {"", nil},
		"agent: {max_turns: 5}\n":                {"", nil},
		"agent: {reasoning_effort: high}\n":      {"high", nil},
		"agent: {reasoning_effort: ' XHigh '}\n": {"xhigh", nil},
		"agent: {reasoning_effort: minimal}\n":   {"minimal", nil},
		"agent: {reasoning_effort: none}\n":      {"none", nil},
		"agent: {reasoning_effort: false}\n":     {"none", nil},
		"agent: {reasoning_effort: off}\n":       {"none", nil},
		"agent: {reasoning_effort: no}\n":        {"none", nil},
		"agent: {reasoning_effort: disabled}\n":  {"none", nil},
		"agent: {reasoning_effort: max}\n":       {"max", nil},
		"agent: {reasoning_effort: ultra}\n":     {"max", nil},
		"agent: {reasoning_effort: ''}\n":        {"", nil},
		"agent:\n  reasoning_effort: hihg\n":     {"", []int{2}},
		"agent:\n  reasoning_effort: true\n":     {"", []int{2}},
		"agent:\n  reasoning_effort: 3\n":        {"", []int{2}},
		"agent:\n  reasoning_effort: [high]\n":   {"", []int{2}},
		"agent:\n  reasoning_effort: low\n  reasoning_overrides:\n    anthropic/claude-sonnet-4.5: high\n    other: much\n": {"high", []int{5}},
		"agent:\n  reasoning_effort: low\n  reasoning_overrides: {claude-sonnet-4-5: none}\n":                               {"none", nil},
		"agent:\n  reasoning_effort: low\n  reasoning_overrides: high\n":                                                    {"low", []int{3}},
		"agent:\n  reasoning_effort: low\n  reasoning_overrides: {gpt-5: high}\n":                                           {"low", nil},
	} {
		t.Run(text, func(t *testing.T) {
			snap := load(t, text)
			if got := snap.Settings.Reasoning.For("claude-sonnet-4-5"); got != want.level {
				t.Errorf("level %q, want %q", got, want.level)
			}
			if len(snap.Problems) != len(want.lines) {
				t.Fatalf("problems %+v", snap.Problems)
			}
			for i, line := range want.lines {
				p := snap.Problems[i]
				if p.Line != line || p.File == "" || !strings.Contains(p.Message, "agent.reasoning_") {
					t.Errorf("problem %+v, want line %d", p, line)
				}
			}
		})
	}
}

// Whose model it is, and what its key is, decide how it is spoken to.
func TestVendorOfModel(t *testing.T) {
	for name, c := range map[string]struct {
		yaml   string
		env    []string
		vendor string
		key    string
		bearer bool
	}{
		"router":               {"model: {provider: open-router, default: anthropic/claude-opus-5}", []string{"OPENROUTER_API_KEY", "r"}, "openrouter", "r", false},
		"named endpoint":       {"model: {provider: box, default: m}\ncustom_providers: [{name: box, base_url: 'http://box/v1'}]", nil, "box", "", false},
		"key":                  {"model: {provider: anthropic, default: m}", []string{"ANTHROPIC_API_KEY", "k"}, "anthropic", "k", false},
		"token":                {"model: {provider: anthropic, default: m}", []string{"ANTHROPIC_AUTH_TOKEN", "t"}, "anthropic", "t", true},
		"key before token":     {"model: {provider: anthropic, default: m}", []string{"ANTHROPIC_AUTH_TOKEN", "t", "ANTHROPIC_API_KEY", "k"}, "anthropic", "k", false},
		"subscription":         {"model: {provider: anthropic, default: m}", []string{"CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-x", "ANTHROPIC_API_KEY", "k"}, "anthropic", "sk-ant-oat01-x", false},
		"token of the file":    {"model: {provider: anthropic, default: m, key_env: ANTHROPIC_AUTH_TOKEN}", []string{"ANTHROPIC_AUTH_TOKEN", "t"}, "anthropic", "t", true},
		"written in the file":  {"model: {provider: anthropic, default: m, api_key: f}", []string{"ANTHROPIC_AUTH_TOKEN", "t"}, "anthropic", "f", false},
		"guessed by the token": {"model: claude-x", []string{"ANTHROPIC_AUTH_TOKEN", "t"}, "anthropic", "t", true},
		"minimax":              {"model: {provider: minimax, default: m}", []string{"MINIMAX_API_KEY", "x"}, "minimax", "x", true},
	} {
		got, err := load(t, c.yaml).ResolveModel("", env(c.env...))
		if err != nil || got.Vendor != c.vendor || got.Key != c.key || got.Bearer != c.bearer {
			t.Errorf("%s: vendor %q, bearer %v, right key %v, %v", name, got.Vendor, got.Bearer, got.Key == c.key, err)
		}
	}
}
