package policy_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/policy"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct{ was, now, want string }{
		{"tools: {include: [a]}", "tools: {include: [a]}", ""},
		{"tools: {include: [a]}", "tools: {include: [a, b]}", "+tool:b"},
		{"tools: {include: [a, b]}", "tools: {include: [a]}", "-tool:b"},
		{"tools: {include: [a]}", "tools: {}", "+future: +helper:resources +helper:prompts +feature:sampling +feature:elicitation"},
		{"", "tools: {include: []}", "-future: -helper:resources -helper:prompts -feature:sampling -feature:elicitation"},
		{"", "tools: {exclude: [a]}", "-tool:a"},
		{"tools: {exclude: [a]}", "", "+tool:a"},
		{`tools: {exclude: ["w*"]}`, "", "+pattern:w*"},
		{`tools: {include: [a]}`, `tools: {include: [a, "r*"]}`, "+pattern:r*"},
		{`tools: {include: ["*"]}`, `tools: {include: ["*", "r*"]}`, ""},
		{`tools: {include: ["r*"]}`, `tools: {include: []}`, "-pattern:r*"},
		{"tools: {resources: false}", "", "+helper:resources"},
		{"trust: untrusted", "", "+trust:trust"},
		{"", "trust: untrusted", "-trust:trust"},
		{"tools: 42", "tools: {include: [a]}", "+tool:a"},
		{"tools: {include: []}\n    trust: untrusted", "tools: {include: [a]}", "+tool:a"},
		{`tools: {include: ["r*"]}`, `tools: {include: ["r*", a]}`, "+tool:a"},
		{`tools: {exclude: ["w*"]}`, `tools: {exclude: ["w*", a]}`, "-tool:a"},
		{`tools: {exclude: ["w*"]}`, `tools: {exclude: [a]}`, "-tool:a +pattern:w*"},
		{`tools: {exclude: ["w*"]}`, `tools: {include: ["r*"]}`, "-future: +pattern:w* -helper:resources -helper:prompts -feature:sampling -feature:elicitation"},
		{`tools: {exclude: ["w*"]}`, "tools: {include: [a]}", "-future: -helper:resources -helper:prompts -feature:sampling -feature:elicitation"},
		{"", `tools: {include: ["r*"]}`, "-future: -helper:resources -helper:prompts -feature:sampling -feature:elicitation"},
		{"tools: {exclude: [a]}", `tools: {include: ["r*"]}`, "-future: -helper:resources -helper:prompts -feature:sampling -feature:elicitation"},
	} {
		read := func(text string) policy.Rules {
			r, _ := setOf(t, "mcp_servers:\n  a:\n    command: x\n    "+text+"\n").Rules("a")
			return r
		}
		var have []string
		for _, d := range policy.Compare(read(c.was), read(c.now), nil) {
			sign := "-"
			if d.Opens {
				sign = "+"
			}
			have = append(have, sign+d.Kind+":"+d.Name)
			if d.What.Text == "" {
				t.Errorf("%q to %q: no words for %+v", c.was, c.now, d)
			}
		}
		if have := strings.Join(have, " "); have != c.want {
			t.Errorf("%q to %q: %q, want %q", c.was, c.now, have, c.want)
		}
	}
}

func TestCompareNamesThePlaceOfAPattern(t *testing.T) {
	was, _ := setOf(t, "mcp_servers:\n  a: {tools: {include: []}}\n").Rules("a")
	now, _ := setOf(t, "mcp_servers:\n  a: {tools: {include: [\"r*\"]}}\n").Rules("a")
	d := policy.Compare(was, now, nil)
	if len(d) != 1 || d[0].Line != 2 || d[0].Column != 25 {
		t.Errorf("%+v", d)
	}
}

func TestCompareTellsEachNameOnceAndTrustBothWays(t *testing.T) {
	open, _ := setOf(t, "mcp_servers:\n  a: {command: x}\n").Rules("a")
	shy, _ := setOf(t, "mcp_servers:\n  a: {command: x, trust: untrusted, tools: {exclude: [b]}}\n").Rules("a")
	d := policy.Compare(open, shy, []string{"b", "b"})
	if len(d) != 2 || d[0].Name != "b" || d[1].What.Code != "delta.untrust" {
		t.Errorf("%+v", d)
	}
	if d = policy.Compare(shy, open, nil); len(d) != 2 || d[1].What.Code != "delta.trust" {
		t.Errorf("%+v", d)
	}
}

// TestCompareTellsWhateverOpens: if any name at all is on after a change that
// was off before, the comparison says that something opens, though it was told
// of no name.
func TestCompareTellsWhateverOpens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was, now := policy.ReadServer(genEntry().Draw(t, "was")), policy.ReadServer(genEntry().Draw(t, "now"))
		opens, closes := false, false
		for _, d := range policy.Compare(was, now, nil) {
			opens, closes = opens || d.Opens, closes || !d.Opens
		}
		for _, name := range append(pool(), "zzz", "a_file", "x-", "[") {
			if !was.Allows(name) && now.Allows(name) && !opens {
				t.Fatalf("%q opens and nobody says so: %s -> %s", name, was.Row().Text, now.Row().Text)
			}
			if was.Allows(name) && !now.Allows(name) && !closes {
				t.Fatalf("%q closes and nobody says so: %s -> %s", name, was.Row().Text, now.Row().Text)
			}
		}
	})
}
