package policy_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/policy"
)

func genSelection() *rapid.Generator[policy.Intent] {
	return rapid.Custom(func(t *rapid.T) policy.Intent {
		names := func(label string, max int) []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(append(pool(), "unseen")), 0, max, rapid.ID[string]).Draw(t, label)
		}
		intent := policy.Intent{
			Action: rapid.SampledFrom([]policy.Action{policy.ActionSelect, policy.ActionOnly}).Draw(t, "action"),
			On:     names("on", 5), Known: names("known", 8),
			Expand: rapid.IntRange(0, 3).Draw(t, "expand") == 0,
		}
		if intent.Action == policy.ActionSelect {
			intent.Off = slices.DeleteFunc(names("off", 5), func(name string) bool { return slices.Contains(intent.On, name) })
		}
		return intent
	})
}

// TestSelectionLaws holds the edits of a picker against the laws of
// docs/FILTER.md section 5: what is asked for, nothing else, and no way from a
// whitelist to an open server.
func TestSelectionLaws(t *testing.T) {
	done := map[policy.Action]int{}
	rapid.Check(t, func(t *rapid.T) {
		entry := genEntry().Draw(t, "entry")
		intent := genSelection().Draw(t, "intent")
		before := policy.ReadServer(entry)
		ops, err := policy.Edit(entry, intent)
		var refusal *policy.Refusal
		if errors.As(err, &refusal) {
			if len(ops) > 0 || refusal.Error() == "" || refusal.Hint == "" {
				t.Fatalf("a refusal with operations or without words: %+v %+v", ops, refusal)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		changed := entry
		if len(ops) > 0 {
			done[intent.Action]++
			if changed, err = policy.Apply(entry, ops); err != nil {
				t.Fatalf("the operations do not fit: %v", err)
			}
			if err := policy.Verify(setWith("demo", entry), setWith("demo", changed), "demo", intent); err != nil {
				t.Fatalf("Verify refuses our own edit: %v", err)
			}
			if again, err := policy.Edit(changed, intent); err != nil || len(again) > 0 {
				t.Fatalf("the same edit again: %+v, %v", again, err)
			}
			keepsInclude(t, entry, changed, intent, policy.ReadServer(changed))
			keepsTheRest(t, entry, changed)
		}
		selectionLaws(t, before, policy.ReadServer(changed), intent)
	})
	for _, action := range []policy.Action{policy.ActionSelect, policy.ActionOnly} {
		if done[action] == 0 {
			t.Errorf("no random edit got as far as %q", action)
		}
	}
}

func selectionLaws(t *rapid.T, before, after policy.Rules, intent policy.Intent) {
	if before.State() == policy.StateOnly && after.State() != policy.StateOnly {
		t.Fatalf("%s turned a whitelist into %s", intent.Action, after.State())
	}
	if after.State() == policy.StateInvalid || after.Untrusted() != before.Untrusted() {
		t.Fatalf("%s left %s, untrusted %v", intent.Action, after.State(), after.Untrusted())
	}
	names := append(pool(), "unseen", "another_new_one")
	if intent.Expand {
		names = append(slices.Clone(intent.Known), slices.Concat(intent.On, intent.Off)...)
	}
	for _, name := range names {
		want := before.Allows(name)
		switch {
		case slices.Contains(intent.On, name):
			want = true
		case slices.Contains(intent.Off, name) || intent.Action == policy.ActionOnly:
			want = false
		}
		if after.Allows(name) != want {
			t.Fatalf("%s +%q -%q: %s is %v: %s -> %s", intent.Action, intent.On, intent.Off, name, !want, before.Row().Text, after.Row().Text)
		}
	}
	if intent.Action == policy.ActionOnly && after.State() != policy.StateOnly {
		t.Fatalf("only left %s", after.State())
	}
	if intent.Action == policy.ActionSelect {
		sameSwitches(t, before, after)
	}
}

func TestSelections(t *testing.T) {
	known := []string{"read_file", "read_dir", "write_file"}
	for _, c := range []struct {
		name, tools string
		intent      policy.Intent
		row         string // "" for a refusal
		refused     string
	}{
		{"untick all", `{include: [a, b], resources: false, x: 1}`, policy.Intent{Action: policy.ActionSelect, Off: []string{"a", "b"}}, "[include only: (none)]", ""},
		{"tick all keeps the whitelist", `{include: [a]}`, policy.Intent{Action: policy.ActionSelect, On: []string{"b", "c"}}, "[include only: a, b, c]", ""},
		{"swap", `{include: [a]}`, policy.Intent{Action: policy.ActionSelect, On: []string{"b"}, Off: []string{"a"}}, "[include only: b]", ""},
		{"open untick", `{}`, policy.Intent{Action: policy.ActionSelect, Off: []string{"a", "b"}}, "[excluded: a, b]", ""},
		{"except swap", `{exclude: [a]}`, policy.Intent{Action: policy.ActionSelect, On: []string{"a"}, Off: []string{"b"}}, "[excluded: b]", ""},
		{"except empty", `{exclude: [a]}`, policy.Intent{Action: policy.ActionSelect, On: []string{"a"}}, "all tools enabled", ""},
		{"held by a glob", `{include: ["read_*"]}`, policy.Intent{Action: policy.ActionSelect, On: []string{"x"}, Off: []string{"read_file"}}, "", "edit.held_on"},
		{"expanded", `{include: ["read_*"]}`, policy.Intent{Action: policy.ActionSelect, Off: []string{"read_file"}, Known: known, Expand: true}, "[include only: read_dir]", ""},
		{"expanded without a look", `{include: ["read_*"]}`, policy.Intent{Action: policy.ActionSelect, Off: []string{"read_file"}, Expand: true}, "", "edit.not_known"},
		{"both", `{}`, policy.Intent{Action: policy.ActionSelect, On: []string{"a"}, Off: []string{"a"}}, "", "edit.both"},
		{"invalid", `[a]`, policy.Intent{Action: policy.ActionSelect, On: []string{"a"}}, "", "edit.invalid"},
		{"lock to a selection", `{}`, policy.Intent{Action: policy.ActionOnly, On: []string{"a", "b"}}, "[include only: a, b]", ""},
		{"lock an except", `{exclude: [x]}`, policy.Intent{Action: policy.ActionOnly, On: []string{"a"}}, "[include only: a]", ""},
		{"lock to nothing", `{exclude: [x]}`, policy.Intent{Action: policy.ActionOnly}, "[include only: (none)]", ""},
		{"replaces a glob", `{include: ["read_*", a]}`, policy.Intent{Action: policy.ActionOnly, On: []string{"a"}}, "[include only: a]", ""},
		{"a pattern is no name", `{}`, policy.Intent{Action: policy.ActionOnly, On: []string{"a*"}}, "", "edit.pattern_name"},
		{"no name", `{}`, policy.Intent{Action: policy.ActionOnly, On: []string{""}}, "", "edit.no_name"},
		{"only on invalid", `[a]`, policy.Intent{Action: policy.ActionOnly}, "", "edit.invalid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := setOf(t, "mcp_servers:\n  demo: {command: x, tools: "+c.tools+"}\n")
			ops, err := policy.Edit(set.Entry("demo"), c.intent)
			var refusal *policy.Refusal
			if errors.As(err, &refusal) {
				if refusal.Words.Code != c.refused {
					t.Fatalf("refused with %s, want %q", refusal.Words.Code, c.refused)
				}
				return
			}
			changed, err := policy.Apply(set.Entry("demo"), ops)
			if err != nil {
				t.Fatal(err)
			}
			rules := policy.ReadServer(changed)
			if got := rules.Row().Text; got != c.row || c.refused != "" {
				t.Errorf("row %q, want %q (%s)", got, c.row, c.refused)
			}
			for _, p := range rules.Problems() {
				t.Errorf("problem left: %s", p.Message)
			}
		})
	}
}

// TestVerifyOfSelections: what the file says after an edit must be the
// selection and nothing else.
func TestVerifyOfSelections(t *testing.T) {
	const demo = "mcp_servers:\n  demo: {tools: {include: [a, \"l*\"], resources: true}}\n"
	pick := policy.Intent{Action: policy.ActionSelect, On: []string{"b"}, Off: []string{"a"}, Known: []string{"a", "b", "c", "ls"}}
	only := policy.Intent{Action: policy.ActionOnly, On: []string{"b"}}
	for _, c := range []struct {
		name, after string
		intent      policy.Intent
		code        string
	}{
		{"as asked", `{include: [b, "l*"], resources: true}`, pick, ""},
		{"not off", `{include: [a, b, "l*"], resources: true}`, pick, "verify.result"},
		{"not on", `{include: ["l*"], resources: true}`, pick, "verify.result"},
		{"opened", `{exclude: [a], resources: true}`, pick, "verify.more"},
		{"more on", `{include: [b, c, "l*"], resources: true}`, pick, "verify.more"},
		{"glob lost", `{include: [b], resources: true}`, pick, "verify.more"},
		{"glob gained", `{include: [b, "l*", "z*"], resources: true}`, pick, "verify.more"},
		{"helper off", `{include: [b, "l*"]}`, pick, "verify.more"},
		{"invalid", `[b]`, pick, "verify.result"},
		{"exactly", `{include: [b], resources: true}`, only, ""},
		{"one more", `{include: [b, c], resources: true}`, only, "verify.more"},
		{"one less", `{include: [], resources: true}`, only, "verify.result"},
		{"not a whitelist", `{exclude: [a], resources: true}`, only, "verify.result"},
		{"an exclude of the names", `{exclude: [b], resources: true}`, only, "verify.result"},
		{"helper lost", `{include: [b]}`, only, "verify.more"},
	} {
		after := setOf(t, "mcp_servers:\n  demo: {tools: "+c.after+"}\n")
		err := policy.Verify(setOf(t, demo), after, "demo", c.intent)
		var refusal *policy.Refusal
		code := ""
		if errors.As(err, &refusal) {
			code = refusal.Words.Code
		}
		if code != c.code {
			t.Errorf("%s: %q, want %q", c.name, code, c.code)
		}
	}
}

// TestSwapKeepsTheList: a list is never emptied only to be filled again, so its
// style and its comments stay.
func TestSwapKeepsTheList(t *testing.T) {
	for tools, intent := range map[string]policy.Intent{
		"{include: [a]}":   {Action: policy.ActionSelect, On: []string{"b"}, Off: []string{"a"}},
		"{exclude: [a]}":   {Action: policy.ActionSelect, On: []string{"a"}, Off: []string{"b"}},
		"{include: [a, ]}": {Action: policy.ActionOnly, On: []string{"b"}},
		// What names no tool is not the edit's to take away.
		"{include: [a, ~]}": {Action: policy.ActionOnly, On: []string{"b"}},
	} {
		ops, err := policy.Edit(setOf(t, "mcp_servers:\n  demo: {tools: "+tools+"}\n").Entry("demo"), intent)
		if err != nil || len(ops) != 2 || ops[0].Kind != policy.OpInsertItem || ops[1].Kind != policy.OpRemoveItem {
			t.Errorf("%s: %+v, %v", tools, ops, err)
		}
	}
}
