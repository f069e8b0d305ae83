package policy

import (
	"errors"
	"slices"
	"testing"
)

// heldDocument is what Set.Encode writes for a server whose entry is empty, with
// the lost restrictions written by the test.
func heldDocument(lost func(b []byte) []byte) []byte {
	b := append([]byte(treeMagic), treeDocument)
	b = appendString(appendString(b, "demo"), "2026-01-02")
	return encode(lost(b), pairsNode(textNode(keyServers), pairsNode(textNode("demo"), pairsNode())))
}

func lostNode(b []byte, state string, flags int, patterns ...string) []byte {
	b = appendNumber(appendString(b, state), flags)
	b = appendNumber(b, len(patterns))
	for _, p := range patterns {
		b = appendString(b, p)
	}
	return b
}

// TestHoldInTheBytes: what is held crosses to the page flag by flag, and bytes
// that hold nothing this package writes are no tree, which denies.
func TestHoldInTheBytes(t *testing.T) {
	for flags := range 8 {
		rules, _, err := DecodeServer(heldDocument(func(b []byte) []byte {
			return lostNode(appendNumber(b, 1), "except", flags, "a", "b")
		}))
		if err != nil || len(rules.Lost()) != 1 {
			t.Fatalf("%d: %+v, %v", flags, rules.Lost(), err)
		}
		want := Restriction{State: StateExcept, Patterns: []string{"a", "b"}, ResourcesOff: flags&1 != 0, PromptsOff: flags&2 != 0, Untrusted: flags&4 != 0}
		if have := rules.Lost()[0]; !have.Equal(want) || rules.HeldSince() != "2026-01-02" {
			t.Errorf("%d: %+v", flags, have)
		}
		if rules.Allows("a") || rules.Allows("b") || !rules.Allows("c") || rules.Resources() == want.ResourcesOff || rules.Untrusted() != want.Untrusted {
			t.Errorf("%d: %s", flags, rules.Row().Text)
		}
	}
	many := func(n int) func([]byte) []byte {
		return func(b []byte) []byte {
			b = appendNumber(b, n)
			for i := range n {
				b = lostNode(b, "except", 0, string(rune('a'+i)))
			}
			return b
		}
	}
	if rules, _, err := DecodeServer(heldDocument(many(maxLost))); err != nil || len(rules.Lost()) != maxLost {
		t.Errorf("the most: %d, %v", len(rules.Lost()), err)
	}
	for name, lost := range map[string]func([]byte) []byte{
		"one too many":        many(maxLost + 1),
		"an unknown flag":     func(b []byte) []byte { return lostNode(appendNumber(b, 1), "only", 64) },
		"an unknown state":    func(b []byte) []byte { return lostNode(appendNumber(b, 1), "later", 0) },
		"nothing to hold":     func(b []byte) []byte { return lostNode(appendNumber(b, 1), "open", 0) },
		"open with a name":    func(b []byte) []byte { return lostNode(appendNumber(b, 1), "open", 1, "a") },
		"a blacklist of none": func(b []byte) []byte { return lostNode(appendNumber(b, 1), "except", 0) },
		"one of two":          func(b []byte) []byte { return lostNode(appendNumber(b, 2), "only", 0) },
		"the second is none":  func(b []byte) []byte { return lostNode(lostNode(appendNumber(b, 2), "only", 0), "open", 0) },
	} {
		if rules, _, err := DecodeServer(heldDocument(lost)); !errors.Is(err, ErrTree) || rules.Allows("c") || rules.IsHeld() {
			t.Errorf("%s: %s, %v", name, rules.Row().Text, err)
		}
	}
	whole := heldDocument(many(2))
	for i := range whole {
		if rules, _, err := DecodeServer(whole[:i]); err == nil || rules.Allows("c") {
			t.Errorf("cut after %d bytes: %v", i, err)
		}
	}
}

// TestHoldLeavesTheSetAlone: a set under a hold is another one; the servers
// beside stay as they are.
func TestHoldLeavesTheSetAlone(t *testing.T) {
	set := ReadFile(pairsNode(textNode(keyServers), pairsNode(textNode("demo"), pairsNode(), textNode("other"), pairsNode())))
	only := Restriction{State: StateOnly, Patterns: []string{"a"}}
	held := set.Hold("demo", "2026-01-02", false, only)
	read := func(s Set, name string) Rules {
		r, _ := s.Rules(name)
		return r
	}
	if !read(held, "demo").IsHeld() || read(set, "demo").IsHeld() || !read(held, "other").Allows("a") || !slices.Equal(held.Names(), set.Names()) {
		t.Error("the wrong server is held")
	}
	for name, s := range map[string]Set{
		"granted":      set.Hold("demo", "", true, only),
		"unknown":      set.Hold("ghost", "", false, only),
		"nothing lost": set.Hold("demo", "", false, Restriction{State: StateOpen}),
		"nothing":      set.Hold("demo", "", false),
	} {
		if read(s, "demo").IsHeld() || !read(s, "demo").Equal(read(set, "demo")) {
			t.Errorf("%s: held", name)
		}
	}
	// A second look without the loss ends the hold; a grant leaves the set as it is.
	if r := read(held.Hold("demo", "", false, Restriction{State: StateOpen}), "demo"); r.IsHeld() {
		t.Errorf("still held: %s", r.Row().Text)
	}
	if r := read(held, "demo"); !r.Over(read(set, "demo")).IsHeld() || read(set, "demo").Over(r).IsHeld() {
		t.Error("Over")
	}
	over := read(held, "demo").Over(read(set, "other"))
	if over.HeldSince() != "2026-01-02" || over.Allows("b") || !over.Allows("a") {
		t.Errorf("over another file: %s", over.Row().Text)
	}
	if covered := read(held, "demo").Over(ReadServer(pairsNode(textNode(keyTools), pairsNode(textNode(keyInclude), listNode(textNode("a")))))); covered.IsHeld() {
		t.Error("held although the key is back")
	}
}
