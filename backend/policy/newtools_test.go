package policy

import "testing"

func TestNewTools(t *testing.T) {
	for _, c := range []struct {
		name         string
		only, except []string
		words        string
		locked       bool
		allowed      string
		denied       string
	}{
		{name: "nothing known is locked", words: "0 selected", locked: true, denied: "a"},
		{name: "an empty whitelist is locked", only: []string{}, except: []string{"x"}, words: "0 selected", locked: true, denied: "a"},
		{name: "whitelist", only: []string{"a", "true", "a"}, words: "2 selected", allowed: "true", denied: "b"},
		{name: "blacklist", except: []string{"delete_*", "x"}, words: "-2 excluded", allowed: "a", denied: "delete_all"},
		{name: "an empty blacklist is locked", except: []string{}, words: "0 selected", locked: true, denied: "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := ReadServer(mapping(StyleBlock, keyTools, NewTools(c.only, c.except)))
			if got := rules.List().Text; got != c.words {
				t.Errorf("words %q, want %q", got, c.words)
			}
			if rules.Locked() != c.locked {
				t.Errorf("locked = %v", rules.Locked())
			}
			if c.allowed != "" && !rules.Tool(c.allowed).Allowed {
				t.Errorf("%s is denied", c.allowed)
			}
			if rules.Tool(c.denied).Allowed {
				t.Errorf("%s is allowed", c.denied)
			}
			if p := rules.Problems(); len(p) > 0 {
				t.Errorf("problems: %v", p)
			}
		})
	}
}
