package policy_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/policy"
)

// TestEditLaws holds random edits of random entries against every law of
// docs/FILTER.md section 5 that can be seen on a tree.
func TestEditLaws(t *testing.T) {
	done := map[policy.Action]int{}
	rapid.Check(t, func(t *rapid.T) {
		entry := genEntry().Draw(t, "entry")
		intent := genIntent().Draw(t, "intent")
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
		if len(ops) == 0 {
			alreadySo(t, before, intent)
			return
		}
		done[intent.Action]++
		changed, err := policy.Apply(entry, ops)
		if err != nil {
			t.Fatalf("the operations do not fit: %v", err)
		}
		after := policy.ReadServer(changed)
		if err := policy.Verify(setWith("demo", entry), setWith("demo", changed), "demo", intent); err != nil {
			t.Fatalf("Verify refuses our own edit: %v", err)
		}
		laws(t, entry, changed, before, after, intent)
		if again, err := policy.Edit(changed, intent); err != nil || len(again) > 0 {
			t.Fatalf("the same edit again: %+v, %v", again, err)
		}
	})
	for _, action := range []policy.Action{policy.ActionOn, policy.ActionOff, policy.ActionLock, policy.ActionOpen} {
		if done[action] == 0 {
			t.Errorf("no random edit got as far as %q", action)
		}
	}
}

func alreadySo(t *rapid.T, before policy.Rules, intent policy.Intent) {
	so := false
	switch intent.Action {
	case policy.ActionOn:
		so = before.Allows(intent.Tool)
	case policy.ActionOff:
		so = !before.Allows(intent.Tool)
	case policy.ActionLock:
		so = before.Locked()
	case policy.ActionOpen:
		so = before.State() == policy.StateOpen
	}
	if !so {
		t.Fatalf("nothing is done, but the file does not say so: %s", before.Row().Text)
	}
}

func laws(t *rapid.T, entry, changed *policy.Node, before, after policy.Rules, intent policy.Intent) {
	tool := intent.Action == policy.ActionOn || intent.Action == policy.ActionOff
	if tool && after.Allows(intent.Tool) != (intent.Action == policy.ActionOn) {
		t.Fatalf("%s %s: %s", intent.Action, intent.Tool, after.Row().Text)
	}
	if tool {
		names := append(pool(), "", "ghost", "another_new_one")
		if intent.Expand {
			names = intent.Known
		}
		for _, name := range names {
			if name != intent.Tool && before.Allows(name) != after.Allows(name) {
				t.Fatalf("%s %s changed %s too: %s -> %s", intent.Action, intent.Tool, name, before.Row().Text, after.Row().Text)
			}
		}
	}
	if before.State() == policy.StateOnly && intent.Action != policy.ActionOpen && after.State() != policy.StateOnly {
		t.Fatalf("%s turned a whitelist into %s", intent.Action, after.State())
	}
	if after.State() == policy.StateInvalid {
		t.Fatalf("%s made the rules invalid", intent.Action)
	}
	if before.State() == policy.StateInvalid && tool {
		t.Fatalf("%s under invalid rules", intent.Action)
	}
	keepsInclude(t, entry, changed, intent, after)
	keepsTheRest(t, entry, changed)
	switch intent.Action {
	case policy.ActionLock:
		if !after.Locked() {
			t.Fatalf("locked is %s", after.Row().Text)
		}
	case policy.ActionOpen:
		if after.State() != policy.StateOpen {
			t.Fatalf("open is %s", after.Row().Text)
		}
	}
	if after.Untrusted() != before.Untrusted() {
		t.Fatal("trust changed")
	}
	if intent.Action != policy.ActionLock && intent.Action != policy.ActionOpen && before.State() != policy.StateInvalid {
		sameSwitches(t, before, after)
	}
}

func sameSwitches(t *rapid.T, before, after policy.Rules) {
	if before.Resources() != after.Resources() || before.Prompts() != after.Prompts() ||
		before.Sampling().Allowed != after.Sampling().Allowed || before.Elicitation().Allowed != after.Elicitation().Allowed {
		t.Fatal("a switch changed")
	}
}

// keepsInclude: no edit of a tool removes the key, and the last tool off leaves
// an empty list.
func keepsInclude(t *rapid.T, entry, changed *policy.Node, intent policy.Intent, after policy.Rules) {
	had := includeOf(entry)
	has := includeOf(changed)
	if intent.Action == policy.ActionOpen {
		if has != nil {
			t.Fatal("open left the key include")
		}
		return
	}
	if had != nil && has == nil {
		t.Fatalf("%s removed the key include", intent.Action)
	}
	if had != nil && intent.Action == policy.ActionOff && len(after.Patterns()) == 0 && (has.Kind != policy.KindSequence || has.Tag != "!!seq") {
		t.Fatalf("the last tool off left %+v", has)
	}
}

func includeOf(entry *policy.Node) *policy.Node {
	tools := childOf(entry, "tools")
	if tools == nil {
		return nil
	}
	return childOf(tools, "include")
}

// keepsTheRest: everything beside tools, and every other key of a tools block
// that stays, is as before.
func keepsTheRest(t *rapid.T, entry, changed *policy.Node) {
	if entry.Kind != policy.KindMapping {
		return
	}
	for i := 0; i+1 < len(entry.Children); i += 2 {
		k := entry.Children[i].Value
		if now := childOf(changed, k); k != "tools" && (now == nil || !sameValue(now, entry.Children[i+1])) {
			t.Fatalf("%s changed", k)
		}
	}
	tools, now := childOf(entry, "tools"), childOf(changed, "tools")
	if tools == nil || now == nil || tools.Kind != policy.KindMapping {
		return
	}
	if colour := childOf(tools, "colour"); colour != nil {
		if c := childOf(now, "colour"); c == nil || !sameValue(c, colour) {
			t.Fatal("an unknown key is gone")
		}
	}
}

// TestEditAndItsInverse: on then off, or off then on, restores every decision.
func TestEditAndItsInverse(t *testing.T) {
	cases, done := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		cases++
		entry := withoutAnchors(genEntry().Draw(t, "entry"))
		intent := genIntent().Draw(t, "intent")
		intent.Expand = false
		inverse := intent
		switch intent.Action {
		case policy.ActionOn:
			inverse.Action = policy.ActionOff
		case policy.ActionOff:
			inverse.Action = policy.ActionOn
		default:
			return
		}
		there := edited(t, entry, intent)
		if there == nil {
			return
		}
		back := edited(t, there, inverse)
		if back == nil {
			t.Fatalf("%s %s cannot be taken back", intent.Action, intent.Tool)
		}
		done++
		before, after := policy.ReadServer(entry), policy.ReadServer(back)
		for _, name := range append(pool(), "", "ghost", "another_new_one", "unseen") {
			if before.Allows(name) != after.Allows(name) {
				t.Fatalf("%s is not restored: %s -> %s", name, before.Row().Text, after.Row().Text)
			}
		}
		if before.State() != after.State() {
			t.Fatalf("%s became %s", before.State(), after.State())
		}
		sameSwitches(t, before, after)
	})
	if done < cases/10 {
		t.Errorf("only %d of %d edits were taken back", done, cases)
	}
}

// withoutAnchors removes what makes taking back a matter of the other places:
// a list that other places share is not emptied.
func withoutAnchors(n *policy.Node) *policy.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Anchor = ""
	c.Children = nil
	for _, child := range n.Children {
		c.Children = append(c.Children, withoutAnchors(child))
	}
	return &c
}

// edited returns the entry after an edit, nil when it is refused or changes
// nothing.
func edited(t *rapid.T, entry *policy.Node, intent policy.Intent) *policy.Node {
	ops, err := policy.Edit(entry, intent)
	if err != nil || len(ops) == 0 {
		return nil
	}
	changed, err := policy.Apply(entry, ops)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// TestSurfacesSayWhatIsEnforced: the words and counts of every surface agree
// with the verdicts on random entries.
func TestSurfacesSayWhatIsEnforced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := policy.ReadServer(genEntry().Draw(t, "entry"))
		live := pool()
		on := 0
		for _, name := range live {
			v := r.Tool(name)
			if v.Allowed != r.Allows(name) {
				t.Fatalf("%s: Tool and Allows differ", name)
			}
			if v.Allowed {
				on++
			}
			if !strings.HasPrefix(v.Reason.Code, "why.") || v.Reason.Text == "" || v.Rule == "" {
				t.Fatalf("%s: no reason: %+v", name, v)
			}
		}
		if c := r.Live(live); c.Allowed != on || c.Total != len(live) {
			t.Fatalf("counts %+v, but %d are on", c, on)
		}
		special := r.Resources() || r.Prompts()
		switch text := r.List().Text; {
		case text == "all" && on != len(live), strings.HasPrefix(text, "0 selected") && on != 0, text == "invalid" && (on != 0 || special):
			t.Fatalf("the list says %q, but %d are on", text, on)
		case strings.Contains(text, "(+") != (special && r.State() == policy.StateOnly):
			t.Fatalf("the list says %q, but helpers are %v", text, special)
		}
		panel := r.Panel(live, true).Text
		if locked := strings.HasPrefix(panel, "Locked"); locked != r.Locked() || locked && (on > 0 || special) {
			t.Fatalf("the panel says %q, locked is %v and %d are on", panel, r.Locked(), on)
		}
		if strings.HasSuffix(panel, "new ones too") && !r.Allows("another_new_one") || strings.Contains(panel, "new ones stay off") && r.Allows("another_new_one") {
			t.Fatalf("the panel says %q, but a new tool is %v", panel, r.Allows("another_new_one"))
		}
		if (r.Row().Text == "[include only: (none)]") != r.Locked() {
			t.Fatalf("the row says %q, locked is %v", r.Row().Text, r.Locked())
		}
	})
}

// TestHeldByMeansRefused: HeldBy names a pattern exactly where switching the
// tool is refused because of one.
func TestHeldByMeansRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := genEntry().Draw(t, "entry")
		name := rapid.SampledFrom(pool()).Draw(t, "tool")
		r := policy.ReadServer(entry)
		action := policy.ActionOn
		if r.Allows(name) {
			action = policy.ActionOff
		}
		_, err := policy.Edit(entry, policy.Intent{Action: action, Tool: name})
		var refusal *policy.Refusal
		if !errors.As(err, &refusal) {
			if held := r.HeldBy(name); held != "" {
				t.Fatalf("%s is held by %s, but %s is not refused", name, held, action)
			}
			return
		}
		if strings.HasPrefix(refusal.Words.Code, "edit.held") != (refusal.Words.Code == "edit.held_on" || refusal.Words.Code == "edit.held_off") {
			t.Fatal(refusal.Words.Code)
		}
		if strings.HasPrefix(refusal.Words.Code, "edit.held") && !slices.Contains(refusal.Words.Params, r.HeldBy(name)) {
			t.Fatalf("%s is refused because of %q, held by %q", name, refusal.Words.Params, r.HeldBy(name))
		}
	})
}

// TestRandomTreesSurviveTheBytes: encoding and decoding restores the tree, and
// the rules read from it are the same.
func TestRandomTreesSurviveTheBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := genEntry().Draw(t, "entry")
		data := policy.EncodeTree(entry)
		back, err := policy.DecodeTree(data)
		if err != nil {
			t.Fatal(err)
		}
		if string(policy.EncodeTree(back)) != string(data) {
			t.Fatal("the bytes differ the second time")
		}
		before, after := policy.ReadServer(entry), policy.ReadServer(back)
		if !before.Equal(after) || before.Row().Text != after.Row().Text {
			t.Fatalf("%s became %s", before.Row().Text, after.Row().Text)
		}
		text, err := before.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var read policy.Rules
		if err := read.UnmarshalText(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, name := range pool() {
			if read.Allows(name) != before.Allows(name) {
				t.Fatalf("%s: %s differs", text, name)
			}
		}
		if read.Locked() != before.Locked() || read.Resources() != before.Resources() || read.List().Text != before.List().Text {
			t.Fatalf("%s: %s became %s", text, before.List().Text, read.List().Text)
		}
	})
}
