package catalog

import (
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// TestReinstallNeverTouchesRules installs every kind of manifest over every
// kind of rules: what they decide stays, also where they are invalid or where
// another program takes the entry's place.
func TestReinstallNeverTouchesRules(t *testing.T) {
	rules := []string{
		"", "tools:", "tools: {}", "tools: {resources: false}", "tools: {include: []}", "tools: {include: [a, 'b*']}", "tools: {include: a}", "tools: {include: ''}",
		"tools: {include: null}", "tools: {include: [1, true, null]}", "tools: {include: 42}", "tools: {include: [a], exclude: [b]}", "tools: {exclude: [a]}",
		"tools: {exclude: a}", "tools: {exclude: []}", "tools: {exclude: {a: b}}", "tools: [a]", "tools: true", "tools: {include: [], resources: true, prompts: true}",
		"trust: untrusted", "trust: nonsense", "sampling: false",
	}
	starts := []string{"command: npx\n    args: [-y, '@scope/demo@1.0.0']", "command: node", "url: https://example.com/mcp", "builtin: git"}
	defaults := []string{"default_enabled: [read_file, list]", "default_enabled: []", "default_excluded: ['*']", "other: 1"}
	for _, rule := range rules {
		for _, start := range starts {
			for _, set := range defaults {
				before := "mcp_servers:\n  demo:\n    " + start + "\n    " + rule + "\n    timeout: 3\n"
				after, _ := install(t, before, Request{Manifest: manifest(t, "default_enabled: [read_file, list]", set), Values: map[string]string{"DEMO_TOKEN": "v"}})
				was, now := rulesOf(t, before), rulesOf(t, after)
				if !was.Equal(now) || was.Untrusted() != now.Untrusted() || !strings.Contains(after, "timeout: 3") {
					t.Errorf("%s / %s / %s: %s became %s\n%s", start, rule, set, was.List().Text, now.List().Text, after)
				}
			}
		}
	}
}

func rulesOf(t *testing.T, text string) policy.Rules {
	t.Helper()
	home := config.Home{Dir: t.TempDir()}
	write(t, home.Config(), text)
	sv, ok := config.Open(home, config.Options{Getenv: func(string) string { return "" }}).Load().Server("demo")
	if !ok {
		t.Fatalf("no server in\n%s", text)
	}
	return policy.ReadServer(sv.Entry)
}
