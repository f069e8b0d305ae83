package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes/backend/policy"
)

// TestRestrictionParts: each part of a restriction alone is something to hold,
// is told apart, has its key and survives the way to the page.
func TestRestrictionParts(t *testing.T) {
	lost := func(r policy.Restriction) policy.Restriction {
		return policy.Restriction{State: policy.StateOpen, Lost: []policy.Restriction{r}}
	}
	parts := []struct {
		r    policy.Restriction
		any  bool
		keys string
	}{
		{policy.Restriction{State: policy.StateOpen}, false, "[]"},
		{policy.Restriction{State: policy.StateOnly}, true, "[include]"},
		{policy.Restriction{State: policy.StateOnly, Patterns: []string{"a"}}, true, "[include]"},
		{policy.Restriction{State: policy.StateOnly, Patterns: []string{"a", "b"}}, true, "[include]"},
		{policy.Restriction{State: policy.StateExcept, Patterns: []string{"a"}}, true, "[exclude]"},
		{policy.Restriction{State: policy.StateInvalid}, true, "[tools]"},
		{policy.Restriction{State: policy.StateOpen, ResourcesOff: true}, true, "[resources]"},
		{policy.Restriction{State: policy.StateOpen, PromptsOff: true}, true, "[prompts]"},
		{policy.Restriction{State: policy.StateOpen, Untrusted: true}, true, "[trust]"},
		{policy.Restriction{State: policy.StateOpen, ResourcesOff: true, PromptsOff: true, Untrusted: true}, true, "[resources prompts trust]"},
		{policy.Restriction{State: policy.StateExcept, Patterns: []string{"a"}, Untrusted: true, PromptsOff: true}, true, "[exclude prompts trust]"},
		{lost(policy.Restriction{State: policy.StateOnly}), true, "[include]"},
		{lost(policy.Restriction{State: policy.StateOpen, Untrusted: true}), true, "[trust]"},
		{policy.Restriction{State: policy.StateOnly, Untrusted: true, Lost: []policy.Restriction{{State: policy.StateOnly, Patterns: []string{"a"}, ResourcesOff: true}, {State: policy.StateExcept, Patterns: []string{"b"}}}}, true, "[include exclude resources trust]"},
	}
	for i, c := range parts {
		if !c.r.Valid() || c.r.Any() != c.any || fmt.Sprint(c.r.Keys()) != c.keys {
			t.Errorf("%+v: valid %v, any %v, keys %v", c.r, c.r.Valid(), c.r.Any(), c.r.Keys())
		}
		for j, other := range parts {
			if c.r.Equal(other.r) != (i == j) {
				t.Errorf("%+v equals %+v: %v", c.r, other.r, i != j)
			}
		}
		set := policy.ReadFile(dict(policy.StyleBlock, key("mcp_servers"), dict(policy.StyleBlock, key("demo"), dict(policy.StyleFlow))))
		want, _ := set.Hold("demo", heldDay, false, c.r).Rules("demo")
		have, _, err := policy.DecodeServer(set.Hold("demo", heldDay, false, c.r).Encode("demo"))
		if err != nil || want.IsHeld() != c.any || !have.Equal(want) || have.HeldSince() != want.HeldSince() {
			t.Errorf("%+v: %s became %s, %v", c.r, textOf(want), textOf(have), err)
		}
		if !slices.EqualFunc(have.Lost(), want.Lost(), policy.Restriction.Equal) {
			t.Errorf("%+v: %+v became %+v", c.r, want.Lost(), have.Lost())
		}
	}
}

// TestHeldRulesAreEqual only where they hold the same.
func TestHeldRulesAreEqual(t *testing.T) {
	hold := func(was, now string) policy.Rules {
		return policy.Held(policy.ReadServer(entryOf(t, was)).Restriction(), policy.ReadServer(entryOf(t, now)), false)
	}
	all := []policy.Rules{
		hold("{tools: {include: [a]}}", "{}"), hold("{tools: {include: [b]}}", "{}"), hold("{tools: {include: [a, b]}}", "{}"),
		hold("{tools: {include: [a]}}", "{tools: {exclude: [b]}}"), hold("{tools: {include: [a]}, trust: untrusted}", "{}"),
		hold("{tools: {include: [a], resources: false}}", "{}"), policy.ReadServer(entryOf(t, "{tools: {include: [a]}}")),
	}
	for i, a := range all {
		for j, b := range all {
			if a.Equal(b) != (i == j) {
				t.Errorf("%s equals %s: %v", textOf(a), textOf(b), i != j)
			}
		}
	}
}

// TestHeldAnswersAreCopies: nobody can change what is held by changing what was
// returned.
func TestHeldAnswersAreCopies(t *testing.T) {
	memory := policy.Restriction{State: policy.StateOnly, Patterns: []string{"a"}}
	r := policy.Held(memory, policy.ReadServer(dict(policy.StyleFlow)), false)
	r.Lost()[0].Patterns[0] = "x"
	r.Restriction().Lost[0].Patterns[0] = "x"
	memory.Patterns[0] = "x"
	if have := r.Lost(); have[0].Patterns[0] != "a" || !r.Allows("a") || r.Allows("x") {
		t.Errorf("%+v", have)
	}
}

// TestUnknownStatesDeny: a state of a later version denies, also among what is
// held already.
func TestUnknownStatesDeny(t *testing.T) {
	for _, memory := range []policy.Restriction{
		{State: "later"}, {State: policy.StateOpen, Lost: []policy.Restriction{{State: "later"}}}, {State: policy.StateOpen, Lost: []policy.Restriction{{}}},
	} {
		r := policy.Held(memory, policy.ReadServer(dict(policy.StyleFlow)), false)
		if r.State() != policy.StateInvalid || r.Allows("a") || r.Resources() || r.Sampling().Allowed || r.List().Text != "held (invalid)" {
			t.Errorf("%+v: %s", memory, r.List().Text)
		}
	}
	if have := (policy.Restriction{State: "later"}).List().Text; have != "invalid" {
		t.Errorf("the words are %s", have)
	}
}

// TestRestrictionsNobodyWrites are not taken for readable.
func TestRestrictionsNobodyWrites(t *testing.T) {
	only := policy.Restriction{State: policy.StateOnly}
	many := func(n int) policy.Restriction {
		return policy.Restriction{State: policy.StateOpen, Lost: slices.Repeat([]policy.Restriction{only}, n)}
	}
	if !many(16).Valid() || many(17).Valid() {
		t.Error("sixteen lost restrictions are the most")
	}
	for _, r := range []policy.Restriction{
		{}, {State: "later"},
		{State: policy.StateOpen, Patterns: []string{"a"}}, {State: policy.StateInvalid, Patterns: []string{"a"}}, {State: policy.StateExcept},
		{State: policy.StateOpen, Lost: []policy.Restriction{{}}},
		{State: policy.StateOpen, Lost: []policy.Restriction{only, {State: policy.StateOnly, Lost: []policy.Restriction{only}}}},
	} {
		if r.Valid() {
			t.Errorf("%+v is valid", r)
		}
	}
}

// TestSixteenAreToldApart: as many holds as are told apart keep out what they
// name and nothing else; one more denies everything.
func TestSixteenAreToldApart(t *testing.T) {
	hold := func(n int) policy.Rules {
		memory := policy.Restriction{State: policy.StateOpen}
		for i := range n {
			memory.Lost = append(memory.Lost, policy.Restriction{State: policy.StateExcept, Patterns: []string{fmt.Sprint("t", i)}})
		}
		return policy.Held(memory, policy.ReadServer(dict(policy.StyleFlow)), false)
	}
	for i := range 16 {
		if hold(16).Allows(fmt.Sprint("t", i)) {
			t.Errorf("t%d is on", i)
		}
	}
	if !hold(16).Allows("other") || len(hold(16).Lost()) != 16 {
		t.Errorf("sixteen: %s", textOf(hold(16)))
	}
	if hold(17).Allows("other") || hold(17).Allows("t16") || hold(17).State() != policy.StateInvalid || len(hold(17).Lost()) != 16 {
		t.Errorf("seventeen: %s", textOf(hold(17)))
	}
}

// TestRestorePlans: restore writes the keys that are gone and nothing else; a
// lock of a held server writes the missing trust, too, and open writes nothing.
func TestRestorePlans(t *testing.T) {
	restore, lock, open := policy.ActionRestore, policy.ActionLock, policy.ActionOpen
	for _, c := range []struct {
		was, now string
		action   policy.Action
		plan     string
	}{
		{"{tools: {include: [a, b]}}", "{command: x}", restore, "add tools {include: [a, b]}"},
		{"{tools: {include: [a]}}", "{tools: }", restore, "set tools {include: [a]}"},
		{"{tools: {include: [a]}}", "{tools: {}}", restore, "set tools {include: [a]}"},
		{"{tools: {include: [a]}}", "{tools: {resources: false}}", restore, "add tools.include [a]"},
		{"{tools: {exclude: [a]}}", "{tools: {resources: false}}", restore, "add tools.exclude [a]"},
		{"{tools: {include: [a, b], exclude: [x]}}", "{tools: {exclude: [b]}}", restore, "add tools.include [a]"},
		{"{tools: {resources: false, prompts: false}}", "{tools: {resources: , exclude: [a]}}", restore, "set tools.resources false; add tools.prompts false"},
		{"{trust: untrusted}", "{command: x}", restore, "add trust untrusted"},
		{"{trust: untrusted, tools: {include: []}}", "{command: x}", restore, "add tools {include: []}; add trust untrusted"},
		{"{tools: {include: [a]}}", "{args: [&x {}], tools: *x}", restore, "edit.alias"},
		{"{tools: {include: [a]}}", "{tools: &x {}}", restore, "edit.anchor"},
		{"{tools: {resources: false}}", "{tools: {resources: &x }}", restore, "edit.anchor"},
		{"{tools: {include: [a]}}", "{tools: {include: [a]}}", restore, "edit.not_held"},
		{"{tools: {include: [a]}}", "{}", lock, "add tools {include: []}"},
		{"{trust: untrusted}", "{}", lock, "add tools {include: []}; add trust untrusted"},
		{"{trust: untrusted}", "{trust: untrusted}", lock, "add tools {include: []}"},
		{"{tools: {include: []}}", "{trust: untrusted}", lock, "add tools {include: []}"},
		{"{}", "{command: x}", lock, "add tools {include: []}"},
		// Open accepts what the file says, whatever that is.
		{"{tools: {include: [a]}}", "{}", open, ""},
		{"{tools: {include: [a]}}", "{tools: {exclude: [b]}}", open, ""},
		{"{tools: {include: [a, b]}, trust: untrusted}", "{tools: {include: [a]}}", open, ""},
	} {
		entry := entryOf(t, c.now)
		set := policy.ReadFile(dict(policy.StyleBlock, key("mcp_servers"), dict(policy.StyleBlock, key("demo"), entry)))
		rules, _ := set.Hold("demo", heldDay, false, policy.ReadServer(entryOf(t, c.was)).Restriction()).Rules("demo")
		ops, err := policy.EditServer(rules, entry, policy.Intent{Action: c.action})
		have := planOf(ops)
		if refusal, ok := err.(*policy.Refusal); ok {
			have = refusal.Words.Code
		}
		if have != c.plan {
			t.Errorf("%s, then %s, %s: have %s, want %s", c.was, c.now, c.action, have, c.plan)
		}
	}
	block := setOf(t, "mcp_servers:\n  demo:\n    command: x\n").Hold("demo", heldDay, false, policy.Restriction{State: policy.StateOnly})
	rules, _ := block.Rules("demo")
	ops, err := policy.EditServer(rules, block.Entry("demo"), policy.Intent{Action: restore})
	if have := planOf(ops); err != nil || have != "add tools <include: []>" {
		t.Errorf("%s, %v", have, err)
	}
}

// TestHeldSelections: while something is held, what the hold keeps off cannot be
// turned on, and turning off goes as ever.
func TestHeldSelections(t *testing.T) {
	set := setOf(t, "mcp_servers:\n  demo: {command: x}\n").Hold("demo", heldDay, false, policy.Restriction{State: policy.StateOnly, Patterns: []string{"a"}})
	rules, _ := set.Rules("demo")
	for _, c := range []struct {
		action policy.Action
		tool   string
		on     string
		off    string
		held   bool
	}{
		{policy.ActionOn, "b", "", "", true}, {policy.ActionOn, "a", "", "", false}, {policy.ActionOn, "a", "b", "", false},
		{policy.ActionOff, "b", "b", "", false}, {policy.ActionOff, "a", "", "", false}, {policy.ActionLock, "", "b", "", false},
		{policy.ActionSelect, "", "a b", "", true}, {policy.ActionSelect, "", "a", "b", false}, {policy.ActionSelect, "b", "", "a", false},
		{policy.ActionOnly, "", "a", "", false}, {policy.ActionOnly, "", "b", "", true}, {policy.ActionOnly, "", "", "", false},
	} {
		_, err := policy.EditServer(rules, set.Entry("demo"), policy.Intent{Action: c.action, Tool: c.tool, On: strings.Fields(c.on), Off: strings.Fields(c.off)})
		refusal, refused := err.(*policy.Refusal)
		if refused != c.held || refused && (refusal.Words.Code != "edit.held" || refusal.Line != 2 || !strings.Contains(refusal.Hint, "hermes mcp open demo")) {
			t.Errorf("%+v: %+v", c, err)
		}
	}
}

// TestHeldAnswers: a verdict names the ledger where the ledger decides, and the
// file where the file does.
func TestHeldAnswers(t *testing.T) {
	for _, c := range []struct {
		was, now, tool string
		allowed        bool
		rule           string
	}{
		{"{tools: {include: [a]}}", "{}", "a", true, "held_on"},
		{"{tools: {include: [a]}}", "{}", "b", false, "held"},
		{"{tools: {exclude: [a]}}", "{}", "a", false, "held"},
		{"{tools: {exclude: [a]}}", "{}", "b", true, "held_on"},
		{"{tools: {include: [a, b]}}", "{tools: {exclude: [b]}}", "b", false, "excluded"},
		{"{tools: {resources: false}}", "{}", "a", true, "open"},
		{"{trust: untrusted}", "{tools: {exclude: [b]}}", "b", false, "excluded"},
		{"{trust: untrusted}", "{tools: {exclude: [b]}}", "a", true, "not_excluded"},
		{"{tools: {include: [a]}}", "{}", "", false, "no_name"},
		{"lost {tools: {include: [a]}}", "{tools: {include: [b]}}", "b", false, "held_other"},
		{"lost {tools: {include: [a]}}", "{tools: {include: [b]}}", "a", false, "not_included"},
		{"lost {tools: {include: [a]}}", "{tools: {exclude: [c]}}", "b", false, "held"},
		{"lost {tools: {exclude: [a]}}", "{tools: {exclude: [b]}}", "a", false, "held_other"},
		{"lost {tools: {exclude: [a], resources: false}}", "{tools: {resources: true}}", "a", false, "held_other"},
	} {
		set := policy.ReadFile(dict(policy.StyleBlock, key("mcp_servers"), dict(policy.StyleBlock, key("demo"), entryOf(t, c.now))))
		rules, _ := set.Hold("demo", heldDay, false, remembered(t, c.was)).Rules("demo")
		v := rules.Tool(c.tool)
		if v.Allowed != c.allowed || v.Rule != c.rule || strings.HasPrefix(c.rule, "held") != strings.Contains(v.Reason.Text, heldDay) {
			t.Errorf("%s, then %s: %s is %v by %s (%s)", c.was, c.now, c.tool, v.Allowed, v.Rule, v.Reason.Text)
		}
	}
}

// remembered is what the ledger remembers of an entry; after "lost " its keys were
// gone once already, and somebody wrote since.
func remembered(t *testing.T, was string) policy.Restriction {
	t.Helper()
	entry, lost := strings.CutPrefix(was, "lost ")
	out := policy.ReadServer(entryOf(t, entry)).Restriction()
	if lost {
		out = policy.Restriction{State: policy.StateOpen, Lost: []policy.Restriction{out}}
	}
	return out
}

// TestWhatMakesUpForAHold: a hold ends where the file by itself keeps out all
// that is held; what two patterns have in common is not worked out.
func TestWhatMakesUpForAHold(t *testing.T) {
	for was, files := range map[string]map[string]bool{
		`{tools: {include: ["a*"]}}`: {
			`["a*"]`: false, `[ab]`: false, `["a*", ab, ""]`: false, `["a*", b]`: true, `["a*b"]`: true, `["b*"]`: true, `["*"]`: true, `[]`: false,
		},
		`{tools: {include: [a, "b*"]}}`:    {`["b*", bc, a]`: false, `[a]`: false, `["a*"]`: true, `[c]`: true},
		`{tools: {include: [a, b]}}`:       {`[a]`: false, `[b]`: false, `[b, a]`: false, `[c]`: true, `["[ab]"]`: true},
		`{tools: {include: []}}`:           {`[]`: false, `[""]`: false, `[a]`: true},
		`{tools: {exclude: [x]}}`:          {`["z*"]`: false, `[a]`: false, `[x]`: true, `["x*"]`: true, `["*"]`: true, `[a, x]`: true},
		`{tools: {exclude: [x, "y*"]}}`:    {`[a]`: false, `[x]`: true, `[yy]`: true, `["z*"]`: true},
		`{tools: {exclude: ["y*", x, w]}}`: {`[a, b]`: false, `[w]`: true},
		`{tools: {include: 42}}`:           {`[]`: false, `[""]`: true, `[a]`: true, `[], resources: true`: true},
	} {
		for include, held := range files {
			checkMadeUp(t, was, "{tools: {include: "+include+"}}", held)
		}
		checkMadeUp(t, was, "{}", true)
		checkMadeUp(t, was, "{tools: {exclude: [other]}}", true)
	}
	for was, files := range map[string]map[string]bool{
		`{tools: {exclude: ["x*"]}}`:   {`["x*"]`: false, `["x*", y]`: false, `[y, "x*"]`: false, `[xa]`: true, `["*"]`: true},
		`{tools: {exclude: ["x*y"]}}`:  {`["x*"]`: true, `["x*y"]`: false},
		`{tools: {exclude: [xa]}}`:     {`["x*"]`: false, `[xa]`: false, `[b, xa]`: false, `[xb]`: true},
		`{tools: {exclude: [a, b]}}`:   {`[b, a]`: false, `[a]`: true, `[b]`: true, `["*"]`: false},
		`{tools: {exclude: ["", xa]}}`: {`[xa]`: false, `[""]`: true},
	} {
		for exclude, held := range files {
			checkMadeUp(t, was, "{tools: {exclude: "+exclude+"}}", held)
		}
	}
}

func checkMadeUp(t *testing.T, was, now string, held bool) {
	t.Helper()
	lost := policy.ReadServer(entryOf(t, was)).Restriction()
	r := policy.Held(policy.Restriction{State: policy.StateOpen, Lost: []policy.Restriction{lost}}, policy.ReadServer(entryOf(t, now)), false)
	if r.IsHeld() != held {
		t.Errorf("%s, then %s: held is %v, %s", was, now, r.IsHeld(), textOf(r))
	}
}
