package policy_test

import (
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// TestBothAllowsWhatBothAllow has random rules before and after, and asks for
// every name, helper, switch and for trust.
func TestBothAllowsWhatBothAllow(t *testing.T) {
	blocks := []string{
		"", ", tools: {include: []}", ", tools: {include: [a, b]}", ", tools: {include: [\"a*\"]}", ", tools: {include: [\"*\"], resources: true}",
		", tools: {exclude: [a]}", ", tools: {exclude: [\"b*\", c], prompts: false}", ", tools: {include: [a], prompts: true}", ", tools: 42",
		", tools: {resources: false}", ", tools: {exclude: [\"*\"]}",
	}
	extras := []string{"", ", trust: untrusted", ", trust: full", ", sampling: true", ", sampling: false", ", elicitation: false", ", elicitation: true, sampling: true"}
	names := []string{"a", "b", "ab", "bc", "c", "zz"}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) policy.Rules {
			text := rapid.SampledFrom(blocks).Draw(t, label) + rapid.SampledFrom(extras).Draw(t, label+" extra")
			return rulesOf(t, "{x: 1"+text+"}")
		}
		was, now := draw("was"), draw("now")
		if rapid.Bool().Draw(t, "layered") {
			was = policy.Both(draw("before"), was, "demo", "2026-01-02")
		}
		both := policy.Both(was, now, "demo", "2026-01-02")
		for _, name := range names {
			if want := was.Allows(name) && now.Allows(name); both.Allows(name) != want || both.Tool(name).Allowed != want {
				t.Fatalf("%s: %v, want %v", name, both.Allows(name), want)
			}
		}
		for _, helper := range policy.Helpers() {
			// A whitelist wants a helper written on, so the two may allow less.
			if both.Helper(helper).Allowed && !(was.Helper(helper).Allowed && now.Helper(helper).Allowed) {
				t.Fatalf("%s is on", helper)
			}
		}
		if both.SamplingWritten() && !(was.SamplingWritten() && now.SamplingWritten()) {
			t.Fatal("sampling is on")
		}
		if both.Elicitation().Allowed && !(was.Elicitation().Allowed && now.Elicitation().Allowed) {
			t.Fatal("elicitation is on")
		}
		if want := was.Untrusted() || now.Untrusted(); both.Untrusted() != want && both.State() != policy.StateInvalid {
			t.Fatalf("trust: want untrusted %v", want)
		}
	})
	if policy.Both(policy.Rules{}, rulesOf(t, "{}"), "demo", "").Allows("a") {
		t.Error("the zero rules let something through")
	}
}

func rulesOf(t rapid.TB, text string) policy.Rules {
	t.Helper()
	root, err := config.Tree([]byte("mcp_servers: {demo: " + text + "}\n"))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	rules, _ := policy.ReadFile(root).Rules("demo")
	return rules
}
