package policy

import (
	"slices"
	"testing"
)

// TestNames: a surface shows the plain names of the list that decides beside
// the tools it has seen; patterns and the empty name are no tools.
func TestNames(t *testing.T) {
	for text, want := range map[string][]string{
		`open`:                    {},
		`only`:                    {},
		`only "b" "a"`:            {"b", "a"},
		`only "b" "w*" "" "a"`:    {"b", "a"},
		`only "*" "?" "[ab]"`:     {},
		`except "x" "y*" "a.b/c"`: {"x", "a.b/c"},
		`invalid`:                 {},
	} {
		if have := parsed(t, text).Names(); have == nil || !slices.Equal(have, want) {
			t.Errorf("%s: %q", text, have)
		}
	}
}

// TestLiveCountsOnce: a name that a server offers twice counts once.
func TestLiveCountsOnce(t *testing.T) {
	c := parsed(t, `only "a" "z" "b*"`).Live([]string{"a", "a", "c", "a", "c"})
	if c.Allowed != 1 || c.Total != 2 || !slices.Equal(c.Unmatched, []string{"z", "b*"}) {
		t.Errorf("%+v", c)
	}
	var zero Rules
	if c := zero.Live([]string{"a", "a"}); c.Allowed != 0 || c.Total != 1 || c.Unmatched != nil {
		t.Errorf("without rules: %+v", c)
	}
}

// TestEqualToNothing: rules that deny are not the zero value, though both deny,
// and asking does not panic.
func TestEqualToNothing(t *testing.T) {
	var zero Rules
	invalid := ReadServer(pairsNode(textNode(keyTools), textNode("x"), textNode(keyTrust), textNode("untrusted")))
	if invalid.State() != StateInvalid || !invalid.Untrusted() || invalid.Broken() {
		t.Fatal(invalid.Row().Text)
	}
	if zero.Equal(invalid) || invalid.Equal(zero) || !zero.Equal(zero) || !invalid.Equal(invalid) {
		t.Error("Equal")
	}
}

// TestWrittenLetters: every letter, digit and the four marks may stand in a
// plain word; an empty name needs quotes.
func TestWrittenLetters(t *testing.T) {
	for name, want := range map[string]Style{
		"a": StylePlain, "z": StylePlain, "A": StylePlain, "Z": StylePlain, "_": StylePlain,
		"x0": StylePlain, "x9": StylePlain, "x-": StylePlain, "x.": StylePlain, "x/y": StylePlain, "az": StylePlain, "AZ": StylePlain,
		"":  StyleDoubleQuoted,
		"`": StyleDoubleQuoted, "{": StyleDoubleQuoted, "@": StyleDoubleQuoted, "[": StyleDoubleQuoted,
		"x:": StyleDoubleQuoted, "0x": StyleDoubleQuoted, "9x": StyleDoubleQuoted, "-": StyleDoubleQuoted, ".x": StyleDoubleQuoted,
	} {
		list := NewTools([]string{name}, nil).Children[1]
		if item := list.Children[0]; item.Value != name || item.Style != want {
			t.Errorf("%q is written in style %d", name, item.Style)
		}
	}
}
