package policy_test

import (
	"strings"
	"testing"

	"hermes/backend/policy"
)

// heldSet is a server whose restriction was lost once, and what its file says by
// now.
func heldSet(t *testing.T, was, now string) policy.Set {
	t.Helper()
	set := setOf(t, "mcp_servers:\n  demo: "+now+"\n")
	return set.Hold("demo", heldDay, false, remembered(t, "lost "+was))
}

// TestRestoreWritesOverNothing: what somebody wrote in the place of a key that was
// gone stays, and the refusal names it, its place and the three ways.
func TestRestoreWritesOverNothing(t *testing.T) {
	for _, c := range []struct{ was, now, there string }{
		{"{tools: {include: [read_file]}}", "{tools: {include: [echo]}}", "include: [echo]"},
		{"{tools: {include: []}}", "{tools: {include: ['*']}}", "include: [*]"},
		{"{tools: {exclude: [x]}}", "{tools: {exclude: [y]}}", "exclude: [y]"},
		{"{tools: {exclude: [x]}}", "{tools: {exclude: []}}", "exclude: []"},
		{"{tools: {exclude: [x]}}", "{tools: {exclude: , resources: true}}", "exclude: []"},
		{"{tools: {resources: false}}", "{tools: {resources: true}}", "resources: true"},
		{"{trust: untrusted}", "{trust: full}", "trust: full"},
		{"{tools: {include: [a], resources: false}}", "{tools: {include: [echo], resources: true}}", "include: [echo], resources: true"},
		{"{tools: {include: [a], prompts: false}, trust: untrusted}", "{tools: {include: [echo]}}", "include: [echo]"},
		{"{tools: {exclude: [x]}}", "{tools: {include: [x], exclude: [y]}}", "exclude"},
		{"{tools: 42}", "{tools: {exclude: [x]}}", ""},
	} {
		set := heldSet(t, c.was, c.now)
		rules, _ := set.Rules("demo")
		ops, err := policy.EditServer(rules, set.Entry("demo"), policy.Intent{Action: policy.ActionRestore})
		refusal, _ := err.(*policy.Refusal)
		if !rules.IsHeld() || refusal == nil || ops != nil {
			t.Errorf("%s, then %s: %v, %v", c.was, c.now, planOf(ops), err)
			continue
		}
		if c.there == "" {
			continue // what could not be read is refused for that
		}
		if refusal.Words.Code != "edit.restore_present" || refusal.Words.Params[0] != c.there || refusal.Line != 2 || refusal.Column == 0 {
			t.Errorf("%s, then %s: %+v", c.was, c.now, refusal)
		}
		for _, way := range []string{"hermes mcp open demo", "hermes mcp lock demo", "hermes mcp restore demo", c.there} {
			if !strings.Contains(refusal.Hint, way) {
				t.Errorf("%s, then %s: %q does not name %q", c.was, c.now, refusal.Hint, way)
			}
		}
	}
}

// TestWhatWaitsIsSaidSo: what is off only because a change waits is not said to be
// held, also in the page, and nothing is written back.
func TestWhatWaitsIsSaidSo(t *testing.T) {
	was := policy.ReadServer(entryOf(t, "{tools: {include: [a]}}"))
	set := setOf(t, "mcp_servers:\n  demo: {tools: {include: [a, b], resources: true}}\n").Under("demo", was, heldDay)
	rules, _ := set.Rules("demo")
	page, _, err := policy.DecodeServer(set.Encode("demo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []policy.Rules{rules, page} {
		if v := r.Tool("b"); v.Allowed || v.Rule != "waits" || !strings.Contains(v.Reason.Text, "hermes mcp reload") || strings.Contains(v.Reason.Text, "restore") || v.Line != 2 {
			t.Errorf("%+v", v)
		}
		if v := r.Tool("a"); !v.Allowed || v.Rule != "include" {
			t.Errorf("%+v", v)
		}
		if v := r.Tool("c"); v.Allowed || v.Rule != "not_included" {
			t.Errorf("%+v", v)
		}
		if v := r.Helper(policy.HelperReadResource); v.Allowed || v.Rule != "waits" {
			t.Errorf("%+v", v)
		}
		if p := r.Panel([]string{"a", "b"}, true); p.Code != "panel.waits" || !strings.HasPrefix(p.Text, "Waits - 1 of 2 on") {
			t.Errorf("%+v", p)
		}
		if p := r.Panel(nil, false); p.Code != "panel.waits_unknown" {
			t.Errorf("%+v", p)
		}
	}
	for _, c := range []struct {
		action policy.Action
		code   string
	}{{policy.ActionRestore, "edit.restore_waits"}, {policy.ActionOn, "edit.waits"}} {
		_, err := policy.EditServer(rules, set.Entry("demo"), policy.Intent{Action: c.action, Tool: "b"})
		if refusal, _ := err.(*policy.Refusal); refusal == nil || refusal.Words.Code != c.code || !strings.Contains(refusal.Hint, "hermes mcp reload") || !strings.Contains(refusal.Hint, "hermes mcp open demo") {
			t.Errorf("%s: %+v", c.action, err)
		}
	}
	// Held and waiting at once: each name is told by what keeps it off.
	both := heldSet(t, "{tools: {exclude: [x]}}", "{}").Under("demo", policy.Held(remembered(t, "lost {tools: {exclude: [x]}}"), policy.ReadServer(entryOf(t, "{tools: {exclude: [y]}}")), false), heldDay)
	rules, _ = both.Rules("demo")
	for name, rule := range map[string]string{"x": "held", "y": "waits"} {
		if v := rules.Tool(name); v.Allowed || v.Rule != rule {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestHeldAgainstANewFilter: the words of a held server whose file says something
// else do not say that a key is gone.
func TestHeldAgainstANewFilter(t *testing.T) {
	set := heldSet(t, "{tools: {include: [a]}}", "{tools: {include: [b]}}")
	rules, _ := set.Rules("demo")
	if p := rules.Panel([]string{"a", "b"}, true); p.Code != "panel.held_other" || !strings.Contains(p.Text, heldDay) {
		t.Errorf("%+v", p)
	}
	_, err := policy.EditServer(rules, set.Entry("demo"), policy.Intent{Action: policy.ActionOn, Tool: "b"})
	if refusal, _ := err.(*policy.Refusal); refusal == nil || refusal.Words.Code != "edit.held_other" || strings.Contains(refusal.Hint, "restore") {
		t.Errorf("%+v", err)
	}
	many := "[a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2]"
	texts := remembered(t, "{tools: {include: "+many+", prompts: false}, trust: untrusted}").Texts()
	if want := "include: [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, …] | prompts: false | trust: untrusted"; strings.Join(texts, " | ") != want {
		t.Errorf("%q", texts)
	}
}
