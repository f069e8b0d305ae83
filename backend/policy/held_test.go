package policy_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// entryOf reads an entry written in flow style.
func entryOf(t testing.TB, text string) *policy.Node {
	t.Helper()
	root, err := config.Tree([]byte("mcp_servers: {demo: " + text + "}\n"))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return policy.ReadFile(root).Entry("demo")
}

func textOf(r policy.Rules) string {
	text, err := r.MarshalText()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestHeld goes through what can happen to each key. force is what is in force
// afterwards, empty where nothing is held and the file decides.
func TestHeld(t *testing.T) {
	for _, c := range []struct{ name, was, now, force string }{
		{"include gone", "{tools: {include: [a]}}", "{}", `only "a" resources=off prompts=off sampling=off elicitation=off`},
		{"empty include gone", "{tools: {include: []}}", "{tools: {}}", "only resources=off prompts=off sampling=off elicitation=off"},
		{"include gone, helper written on", "{tools: {include: []}}", "{tools: {resources: true}, sampling: true}", "only resources=on prompts=off sampling=on elicitation=off"},
		{"include says everything", "{tools: {include: []}}", `{tools: {include: ["*"]}}`, ""},
		{"include without a value", "{tools: {include: [a]}}", "{tools: {include: }}", ""},
		{"include became exclude", "{tools: {include: [a, b]}}", "{tools: {exclude: [b]}}", `only "a" resources=off prompts=off sampling=off elicitation=off and-except "b"`},
		{"include became an empty exclude", "{tools: {include: [a]}}", "{tools: {exclude: []}}", `only "a" resources=off prompts=off sampling=off elicitation=off`},
		{"include gone, exclude beside it was ignored", "{tools: {include: [a], exclude: [x]}}", "{tools: {exclude: [x]}}", `only "a" resources=off prompts=off sampling=off elicitation=off and-except "x"`},
		{"an ignored exclude gone", "{tools: {include: [a], exclude: [a]}}", "{tools: {include: [a]}}", ""},
		{"exclude gone", "{tools: {exclude: [x]}}", "{}", `except "x" resources=on prompts=on sampling=on elicitation=on`},
		{"exclude emptied", "{tools: {exclude: [x]}}", "{tools: {exclude: []}}", ""},
		{"exclude without a value", "{tools: {exclude: [x]}}", "{tools: {exclude: }}", ""},
		{"exclude says less", "{tools: {exclude: [x, y]}}", "{tools: {exclude: [y]}}", ""},
		{"exclude became a whitelist without it", "{tools: {exclude: [x]}}", "{tools: {include: [a]}}", ""},
		{"exclude became a whitelist with it", "{tools: {exclude: [x]}}", "{tools: {include: [a, x]}}", `only "a" resources=off prompts=off sampling=off elicitation=off and-except "x"`},
		{"exclude became include all", "{tools: {exclude: [x]}}", `{tools: {include: ["*"]}}`, `only "*" resources=off prompts=off sampling=off elicitation=off and-except "x"`},
		{"exclude stays beside include all", "{tools: {exclude: [x]}}", `{tools: {include: ["*"], exclude: [x]}}`, ""},
		{"exclude with a pattern became a whitelist", `{tools: {exclude: ["x*"]}}`, "{tools: {include: [a]}}", ""},
		{"exclude with a pattern became a pattern", `{tools: {exclude: ["x*"]}}`, `{tools: {include: ["a*"]}}`, `only "a*" resources=off prompts=off sampling=off elicitation=off and-except "x*"`},
		{"resources gone", "{tools: {resources: false}}", "{}", "open resources=off prompts=on sampling=on elicitation=on"},
		{"resources without a value", "{tools: {resources: false}}", "{tools: {resources: }}", "open resources=off prompts=on sampling=on elicitation=on"},
		{"resources on", "{tools: {resources: false}}", "{tools: {resources: true}}", ""},
		{"resources gone under a whitelist", "{tools: {include: [a], resources: false}}", "{tools: {include: [a]}}", ""},
		{"prompts gone under a blacklist", "{tools: {exclude: [x], prompts: false}}", "{tools: {exclude: [x]}}", `except "x" resources=on prompts=off sampling=on elicitation=on`},
		{"trust gone", "{trust: untrusted}", "{}", "open resources=on prompts=on sampling=on elicitation=on untrusted"},
		{"trust full", "{trust: untrusted}", "{trust: full}", ""},
		{"all gone", "{trust: untrusted, tools: {exclude: [x], prompts: false}}", "{}", `except "x" resources=on prompts=off sampling=on elicitation=on untrusted`},
		{"tools cannot be read any more", "{tools: {include: [a]}}", "{tools: [a]}", ""},
		{"the entry is broken", "{tools: {include: [a]}}", "[a]", ""},
		{"what could not be read is gone", "{tools: {include: 42}}", "{}", "invalid resources=off prompts=off sampling=off elicitation=off"},
		{"what could not be read is mended", "{tools: [a]}", "{tools: {include: [a]}}", ""},
		{"a list that could not be read is emptied", "{tools: {exclude: 42}}", "{tools: {exclude: []}}", ""},
		{"nothing was restricted", "{}", "{}", ""},
		{"more was written", "{}", "{tools: {include: []}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			was, now := policy.ReadServer(entryOf(t, c.was)), policy.ReadServer(entryOf(t, c.now))
			got := policy.Held(was.Restriction(), now, false)
			if got.IsHeld() != (c.force != "") {
				t.Fatalf("held is %v: %s", got.IsHeld(), textOf(got))
			}
			if c.force != "" && textOf(got) != c.force {
				t.Errorf("in force: %s\nwanted:   %s", textOf(got), c.force)
			}
			if c.force == "" && !got.Equal(now) {
				t.Errorf("not what the file says: %s", textOf(got))
			}
			if open := policy.Held(was.Restriction(), now, true); open.IsHeld() || !open.Equal(now) {
				t.Error("granted, and held all the same")
			}
			if got.File().IsHeld() || !got.File().Equal(now) {
				t.Error("File is not what the file says")
			}
			var back policy.Rules
			if err := back.UnmarshalText([]byte(textOf(got))); err != nil || textOf(back) != textOf(got) && got.State() != policy.StateInvalid {
				t.Errorf("as text: %v, %s", err, textOf(back))
			}
		})
	}
}

// TestHoldEnds: what is held stays held under whatever the file says, until the
// file keeps out as much by itself or a person accepts it.
func TestHoldEnds(t *testing.T) {
	was := policy.ReadServer(entryOf(t, "{tools: {include: [a, b], resources: false}, trust: untrusted}")).Restriction()
	memory := policy.Remember(was, policy.Held(was, policy.ReadServer(entryOf(t, "{}")), false))
	for now, held := range map[string]bool{
		"{}": true,
		`{tools: {include: ["*"]}, trust: untrusted}`:                       true,
		"{tools: {include: [a, c]}, trust: untrusted}":                      true,
		"{tools: {include: [a, b], resources: true}, trust: untrusted}":     true,
		"{tools: {include: [a, b], resources: false}, trust: full}":         true,
		"{tools: {include: [a, b], resources: false}}":                      true,
		"{tools: {include: [a, b], resources: false}, trust: untrusted}":    false,
		"{tools: {include: [b], resources: false}, trust: untrusted}":       false,
		"{tools: {include: []}, trust: untrusted}":                          false,
		"{tools: {exclude: [c], resources: false}, trust: untrusted}":       true,
		"{tools: {include: [a, b, c], resources: false}, trust: untrusted}": true,
	} {
		got := policy.Held(memory, policy.ReadServer(entryOf(t, now)), false)
		if got.IsHeld() != held {
			t.Errorf("%s: held is %v", now, got.IsHeld())
		}
		if got.Allows("c") || got.Resources() && !strings.Contains(now, "resources: true") || !got.Untrusted() {
			t.Errorf("%s: opens %s", now, textOf(got))
		}
		if policy.Held(memory, policy.ReadServer(entryOf(t, now)), true).IsHeld() {
			t.Errorf("%s: granted and held", now)
		}
	}
}

// TestRememberKeepsWhatCannotBeRead: a value that cannot be read forgets nothing.
func TestRememberKeepsWhatCannotBeRead(t *testing.T) {
	open := policy.Restriction{State: policy.StateOpen}
	read := func(text string) policy.Rules { return policy.ReadServer(entryOf(t, text)) }
	was := policy.Remember(open, read("{tools: {include: []}}"))
	for _, odd := range []string{"{tools: [a]}", "[a]", "{tools: {include: {a: b}}}", "{a: 1, a: 2}"} {
		if now := policy.Remember(was, policy.Held(was, read(odd), false)); !now.Equal(was) {
			t.Errorf("%s: %+v", odd, now)
		}
	}
	if now := policy.Remember(open, read("[a]")); now.Any() {
		t.Errorf("an entry without a filter is remembered: %+v", now)
	}
	if now := policy.Remember(open, read("{a: 1, a: 2}")); now.Any() {
		t.Errorf("an entry without a filter is remembered: %+v", now)
	}
	for _, odd := range []string{"{tools: 42}", "{a: 1, a: 2, tools: {include: []}}"} {
		if now := policy.Remember(open, read(odd)); now.State != policy.StateInvalid {
			t.Errorf("%s: %+v", odd, now)
		}
	}
	if now := policy.Remember(was, read(`{tools: {include: ["*"]}}`)); len(now.Patterns) != 1 {
		t.Errorf("a present key is not remembered: %+v", now)
	}
}

func TestHeldZeroValuesDeny(t *testing.T) {
	if r := policy.Held(policy.Restriction{}, policy.Rules{}, true); r.Allows("a") || r.IsHeld() {
		t.Error("no rules allow something")
	}
	if r := policy.Held(policy.Restriction{}, policy.ReadServer(entryOf(t, "{}")), false); r.Allows("a") || !r.IsHeld() {
		t.Error("a restriction that says nothing opens the server")
	}
	if r := policy.Held(policy.Restriction{State: "later"}, policy.ReadServer(entryOf(t, "{}")), false); r.Allows("a") {
		t.Error("an unknown restriction opens the server")
	}
	var s policy.Set
	if r, ok := s.Hold("demo", "", false, policy.Restriction{}).Rules("demo"); ok || r.Allows("a") {
		t.Error("the zero set allows something")
	}
	for name, bad := range map[string]policy.Restriction{
		"no state": {}, "unknown": {State: "x"}, "open with names": {State: policy.StateOpen, Patterns: []string{"a"}},
		"except without": {State: policy.StateExcept}, "lost in lost": {State: policy.StateOpen, Lost: []policy.Restriction{{State: policy.StateOnly, Lost: []policy.Restriction{{State: policy.StateOnly}}}}},
	} {
		if bad.Valid() {
			t.Errorf("%s: valid", name)
		}
	}
}

// TestManyLostAreDenied: more holds than anybody tells apart deny everything.
func TestManyLostAreDenied(t *testing.T) {
	memory := policy.Restriction{State: policy.StateOpen}
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		memory.Lost = append(memory.Lost, policy.Restriction{State: policy.StateExcept, Patterns: []string{name}})
	}
	r := policy.Held(memory, policy.ReadServer(entryOf(t, "{}")), false)
	if r.Allows("z") || r.Allows("1") || !r.Restriction().Valid() {
		t.Errorf("%s", textOf(r))
	}
}

func namesOf(t *rapid.T) []string {
	return append(pool(), "ghost", "zz", rapid.StringMatching(`[a-z_]{1,6}`).Draw(t, "name"))
}

func specials(r policy.Rules) []bool {
	return []bool{r.Resources(), r.Prompts(), r.Sampling().Allowed, r.Elicitation().Allowed}
}

// TestHeldProperty compares the rule with what FILTER section 6 says in words, by
// an own look at the keys of both entries.
func TestHeldProperty(t *testing.T) {
	cases, heldOnce := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		cases++
		before, after := genEntry().Draw(t, "before"), genEntry().Draw(t, "after")
		if rapid.IntRange(0, 2).Draw(t, "cleaned") == 0 {
			after = dict(policy.StyleBlock, key("command"), key("x"))
		}
		was, now := policy.ReadServer(before), policy.ReadServer(after)
		got := policy.Held(was.Restriction(), now, false)
		if got.IsHeld() {
			heldOnce++
		}
		tools := valueOf(after, "tools")
		gone := func(k string) bool { return !writes(tools, k) }
		for _, name := range namesOf(t) {
			want := now.Allows(name)
			switch was.State() {
			case policy.StateOnly:
				want = want && (!gone("include") || was.Allows(name))
			case policy.StateExcept:
				want = want && (!gone("exclude") || was.Allows(name))
			case policy.StateInvalid:
				want = want && !(gone("include") && gone("exclude"))
			}
			if got.Allows(name) != want || got.Tool(name).Allowed != want {
				t.Fatalf("%q: %v, wanted %v; was %s, now %s", name, got.Allows(name), want, textOf(was), textOf(now))
			}
		}
		for i, on := range specials(got) {
			if on && !specials(now)[i] {
				t.Fatalf("special %d is on and the file says off", i)
			}
		}
		if now.Untrusted() && !got.Untrusted() || was.Untrusted() && !writes(after, "trust") && now.State() != policy.StateInvalid && !got.Untrusted() {
			t.Fatal("trusted")
		}
		if again := policy.Held(policy.Remember(was.Restriction(), got), now, false); !again.Equal(got) {
			t.Fatalf("not the same the second time: %s, %s", textOf(got), textOf(again))
		}
		if same := policy.Held(was.Restriction(), was, false); same.IsHeld() {
			t.Fatalf("held although nothing changed: %s", textOf(was))
		}
	})
	if heldOnce < cases/20 {
		t.Errorf("only %d of %d cases were held", heldOnce, cases)
	}
}

// writes tells whether a mapping has a key.
func writes(n *policy.Node, name string) bool {
	if n == nil || n.Kind != policy.KindMapping {
		return false
	}
	for i := 0; i+1 < len(n.Children); i += 2 {
		if k := n.Children[i]; k != nil && k.Kind == policy.KindScalar && k.Value == name {
			return true
		}
	}
	return false
}

func valueOf(n *policy.Node, name string) *policy.Node {
	for i := 0; writes(n, name) && i+1 < len(n.Children); i += 2 {
		if k := n.Children[i]; k != nil && k.Value == name {
			return n.Children[i+1]
		}
	}
	return nil
}

// TestHeldChain: through any number of changes nothing opens that a hold keeps
// out, and the page decides alike.
func TestHeldChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memory := policy.Restriction{State: policy.StateOpen}
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			entry := genEntry().Draw(t, "entry")
			root := dict(policy.StyleBlock, key("mcp_servers"), dict(policy.StyleBlock, key("demo"), entry))
			set := policy.ReadFile(root).Hold("demo", "2026-01-02", false, memory)
			rules, _ := set.Rules("demo")
			for _, lost := range memory.Lost {
				single := policy.Held(policy.Restriction{State: policy.StateOpen, Lost: []policy.Restriction{lost}}, rules.File(), false)
				for _, name := range namesOf(t) {
					if rules.Allows(name) && !single.Allows(name) {
						t.Fatalf("%q is open although %+v is held", name, lost)
					}
				}
			}
			page, _, err := policy.DecodeServer(set.Encode("demo"))
			if err != nil || !page.Equal(rules) || page.IsHeld() != rules.IsHeld() || page.HeldSince() != rules.HeldSince() {
				t.Fatalf("the page: %v, %s and %s", err, textOf(rules), textOf(page))
			}
			for _, name := range pool() {
				if have, want := page.Tool(name), rules.Tool(name); have.Allowed != want.Allowed || have.Reason.Text != want.Reason.Text {
					t.Fatalf("the page says %+v, the host %+v", have, want)
				}
			}
			memory = policy.Remember(memory, rules)
			if !memory.Valid() {
				t.Fatalf("not a restriction: %+v", memory)
			}
		}
	})
}

// TestRestoreEdit writes back what is gone, and then nothing is held.
func TestRestoreEdit(t *testing.T) {
	for _, c := range []struct{ was, now, want string }{
		{"{tools: {include: [a, 'b*']}}", "{command: x}", `only "a" "b*"`},
		{"{tools: {include: []}, trust: untrusted}", "{tools: {}}", "only untrusted"},
		{"{tools: {include: [a, b]}}", "{tools: {exclude: [b]}}", `only "a"`},
		{"{tools: {exclude: [x], resources: false, prompts: off}}", "{tools: {colour: blue}}", `except "x" resources=off prompts=off`},
		{"{tools: {exclude: [x]}}", "{tools: }", `except "x"`},
		{"{tools: {resources: false}}", "{tools: {exclude: [a], resources: }}", `except "a" resources=off`},
		{"{tools: {exclude: [x]}}", "{tools: {include: [a, x]}}", "edit.restore_short"},
		{"{tools: 42}", "{}", "edit.restore_unreadable"},
		{"{}", "{}", "edit.not_held"},
	} {
		entry := entryOf(t, c.now)
		set := policy.ReadFile(dict(policy.StyleBlock, key("mcp_servers"), dict(policy.StyleBlock, key("demo"), entry)))
		set = set.Hold("demo", "2026-01-02", false, policy.ReadServer(entryOf(t, c.was)).Restriction())
		rules, _ := set.Rules("demo")
		ops, err := policy.EditServer(rules, entry, policy.Intent{Action: policy.ActionRestore})
		if err != nil {
			if r, ok := err.(*policy.Refusal); !ok || r.Words.Code != c.want || r.Hint == "" {
				t.Errorf("%s, %s: %v", c.was, c.now, err)
			}
			continue
		}
		after, err := policy.Apply(entry, ops)
		if err != nil {
			t.Fatal(err)
		}
		now := policy.ReadServer(after)
		if textOf(now) != c.want || policy.Held(rules.Restriction(), now, false).IsHeld() {
			t.Errorf("%s, %s: %s", c.was, c.now, textOf(now))
		}
	}
}

func TestEditsOfAHeldServer(t *testing.T) {
	entry := entryOf(t, "{command: x}")
	set := policy.ReadFile(dict(policy.StyleBlock, key("mcp_servers"), dict(policy.StyleBlock, key("demo"), entry)))
	rules, _ := set.Hold("demo", "2026-01-02", false, policy.Restriction{State: policy.StateOnly, Patterns: []string{"a"}}).Rules("demo")
	for _, c := range []struct {
		intent policy.Intent
		code   string
		ops    int
	}{
		{policy.Intent{Action: policy.ActionOn, Tool: "b"}, "edit.held", 0},
		{policy.Intent{Action: policy.ActionOn, Tool: "a"}, "", 0},
		{policy.Intent{Action: policy.ActionOff, Tool: "a"}, "", 1},
		{policy.Intent{Action: policy.ActionLock}, "", 1},
		{policy.Intent{Action: policy.ActionOpen}, "", 0},
		{policy.Intent{Action: policy.ActionSelect, On: []string{"b"}}, "edit.held", 0},
	} {
		ops, err := policy.EditServer(rules, entry, c.intent)
		refusal, _ := err.(*policy.Refusal)
		if (refusal != nil) != (c.code != "") || refusal != nil && refusal.Words.Code != c.code || len(ops) != c.ops {
			t.Errorf("%+v: %v, %v", c.intent, ops, err)
		}
	}
	if got := rules.Restriction().Keys(); !slices.Equal(got, []string{"include"}) {
		t.Errorf("keys: %v", got)
	}
}
