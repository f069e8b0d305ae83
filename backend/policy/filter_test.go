package policy_test

import (
	"encoding/base64"
	"slices"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// TestFilter runs every row natively, twice: through the YAML text and through
// the tree that the page gets.
func TestFilter(t *testing.T) {
	for _, r := range sharedRows(t) {
		t.Run(r.Name, func(t *testing.T) {
			var set policy.Set
			root, err := config.Tree([]byte(r.YAML))
			if r.Unreadable != (err != nil) {
				t.Fatalf("parsing gave %v", err)
			}
			if err == nil {
				set = policy.ReadFile(root)
				checkProblems(t, set.Problems(), r.FileProblems)
			}
			rules, known := set.Rules(r.Server)
			if known == (r.Unknown || r.Unreadable) {
				t.Errorf("known is %v", known)
			}
			checkRow(t, r, rules)
			if r.Unreadable {
				return
			}
			data, err := base64.StdEncoding.DecodeString(r.Tree)
			if err != nil {
				t.Fatal(err)
			}
			handed, _, err := policy.DecodeServer(data)
			if err != nil {
				t.Fatal(err)
			}
			checkRow(t, r, handed)
			if rules.Line() != handed.Line() || rules.Column() != handed.Column() {
				t.Errorf("the page's place is %d:%d, the file's %d:%d", handed.Line(), handed.Column(), rules.Line(), rules.Column())
			}
		})
	}
}

func checkRow(t *testing.T, r row, rules policy.Rules) {
	t.Helper()
	equal := func(what string, have, want any) {
		t.Helper()
		if have != want {
			t.Errorf("%s: have %v, want %v", what, have, want)
		}
	}
	equal("state", string(rules.State()), r.State)
	equal("list", rules.List().Text, r.List)
	equal("row", rules.Row().Text, r.Row)
	equal("panel", rules.Panel(r.Live, true).Text, r.Panel)
	if r.PanelUnknown != "" {
		equal("panel without live tools", rules.Panel(nil, false).Text, r.PanelUnknown)
	}
	equal("locked", rules.Locked(), r.Locked)
	equal("broken", rules.Broken(), r.Broken)
	equal("untrusted", rules.Untrusted(), r.Untrusted)
	if have := rules.Patterns(); !slices.Equal(have, r.Patterns) {
		t.Errorf("patterns: have %q, want %q", have, r.Patterns)
	}
	checkVerdicts(t, r, rules)
	if have := rules.Live(r.Live).Unmatched; !slices.Equal(have, r.Unmatched) {
		t.Errorf("unmatched: have %q, want %q", have, r.Unmatched)
	}
	for _, h := range policy.Helpers() {
		want := r.Resources
		if h == policy.HelperListPrompts || h == policy.HelperGetPrompt {
			want = r.Prompts
		}
		equal(string(h), rules.Helper(h).Allowed, want)
	}
	equal("resources", rules.Resources(), r.Resources)
	equal("prompts", rules.Prompts(), r.Prompts)
	equal("sampling", rules.Sampling().Allowed, r.Sampling)
	equal("elicitation", rules.Elicitation().Allowed, r.Elicitation)
	checkProblems(t, rules.Problems(), r.Problems)
}

func checkVerdicts(t *testing.T, r row, rules policy.Rules) {
	t.Helper()
	allowed := 0
	for _, name := range sortedNames(r.Verdicts) {
		v := rules.Tool(name)
		if v.Allowed != r.Verdicts[name] {
			t.Errorf("%q: allowed is %v, want %v (%s)", name, v.Allowed, r.Verdicts[name], v.Reason.Text)
		}
		if rules.Allows(name) != v.Allowed {
			t.Errorf("%q: Allows and Tool differ", name)
		}
		if v.Rule == "" || v.Reason.Code == "" || v.Reason.Text == "" {
			t.Errorf("%q: the verdict gives no reason: %+v", name, v)
		}
		if slices.Contains(r.Live, name) && v.Allowed {
			allowed++
		}
	}
	if c := rules.Live(r.Live); c.Allowed != allowed || c.Total != len(r.Live) {
		t.Errorf("counts %d of %d, want %d of %d", c.Allowed, c.Total, allowed, len(r.Live))
	}
	if rules.Tool("").Allowed {
		t.Error("a tool without a name is allowed")
	}
}

func checkProblems(t *testing.T, have []policy.Problem, want []problemRow) {
	t.Helper()
	var rows []problemRow
	for _, p := range have {
		rows = append(rows, problemRow{p.Severity, p.Code, p.Line, p.Column})
		if p.Message == "" || p.Hint == "" {
			t.Errorf("problem %s has no words: %+v", p.Code, p)
		}
	}
	if !slices.Equal(rows, want) {
		t.Errorf("problems: have %v, want %v", rows, want)
	}
}
