package policy

import (
	"errors"
	"slices"
	"testing"
)

func parsed(t *testing.T, text string) Rules {
	t.Helper()
	var r Rules
	if err := r.UnmarshalText([]byte(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if back, err := r.MarshalText(); err != nil || string(back) != text {
		t.Errorf("%s is written as %s, %v", text, back, err)
	}
	return r
}

// TestTextDecides: rules that were written as text and read back say the same
// about every name, and why.
func TestTextDecides(t *testing.T) {
	for _, c := range []struct {
		text, name string
		allowed    bool
		reason     string
	}{
		{`open`, "a", true, "no filter is written, so every tool is on"},
		{`only`, "a", false, "include names no tool, so every tool is off"},
		{`only "a" "b"`, "a", true, "include lists a"},
		{`only "a" "b"`, "c", false, "include lists 2 tools and c is not among them"},
		{`only "a*"`, "ab", true, "include has the pattern a* and it matches ab"},
		{`only "a*" "b"`, "c", false, "include has 2 patterns and none matches c"},
		{`except "a"`, "a", false, "exclude lists a"},
		{`except "a" "b"`, "c", true, "exclude lists 2 tools and c is not among them"},
		{`except "a*"`, "ab", false, "exclude has the pattern a* and it matches ab"},
		{`invalid`, "a", false, "no rules were read for this server, so everything is denied"},
	} {
		if v := parsed(t, c.text).Tool(c.name); v.Allowed != c.allowed || v.Reason.Text != c.reason {
			t.Errorf("%s, %s: %v, %q", c.text, c.name, v.Allowed, v.Reason.Text)
		}
	}
}

// TestTextOfSeveralLists: the lists after "and-" have to let a name through as
// well.
func TestTextOfSeveralLists(t *testing.T) {
	for text, on := range map[string][]string{
		`only "a" "b"`:                               {"a", "b"},
		`only "a" "b" and-only "b" "c"`:              {"b"},
		`only "a" "b" and-except "b"`:                {"a"},
		`only "a" "b" and-only "b" and-except "b"`:   nil,
		`only "*" and-only "b*" and-only "bc" "b"`:   {"b"},
		`except "a" and-except "b"`:                  {"c"},
		`except "a" resources=off untrusted`:         {"b", "c"},
		`only "a" resources=off untrusted and-only`:  nil,
		`except "a" and-only "a" "c" and-except "b"`: {"c"},
	} {
		r := parsed(t, text)
		for _, name := range []string{"a", "b", "c"} {
			if r.Allows(name) != slices.Contains(on, name) {
				t.Errorf("%s: %s is %v", text, name, r.Allows(name))
			}
		}
	}
	for _, text := range []string{
		`only "a" and-open`, `only "a" and-invalid`, `only "a" and-`, `only "a" and-only b`, `open and-only "a"`, `open and-except "a"`, `and-only "a"`,
		`only "a" "b`, `except resources=on`,
	} {
		r := parsed(t, "open")
		if err := r.UnmarshalText([]byte(text)); !errors.Is(err, ErrText) || r.Allows("a") {
			t.Errorf("%s: %v, %s", text, err, r.State())
		}
	}
}

// TestTextKnowsItsKeys: what is lost against rules that came as text is told by
// the keys that the text says are there.
func TestTextKnowsItsKeys(t *testing.T) {
	only, except := Restriction{State: StateOnly, Patterns: []string{"a"}}, Restriction{State: StateExcept, Patterns: []string{"a"}}
	for _, c := range []struct {
		was  Restriction
		now  string
		held bool
	}{
		{only, `open`, true}, {only, `except "x"`, true}, {only, `only "b"`, false},
		{except, `open`, true}, {except, `except "b"`, false}, {except, `only "a"`, true}, {except, `only "b"`, false},
	} {
		if r := Held(c.was, parsed(t, c.now), false); r.IsHeld() != c.held {
			t.Errorf("%s, then %s: held is %v", c.was.State, c.now, r.IsHeld())
		}
	}
}
