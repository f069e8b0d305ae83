package config

import (
	"context"
	"errors"
	"testing"

	"hermes/backend/policy"
)

// TestLockOfUnusualLists: what a lock makes of lists that no item can be taken
// out of; an empty result is a refusal that leaves the file untouched.
func TestLockOfUnusualLists(t *testing.T) {
	const head = "mcp_servers:\n  demo:\n    command: x\n    tools:\n"
	for name, c := range map[string]struct{ before, after string }{
		"anchor without alias": {"      include: &z [a]\n", "      include: []\n"},
		"anchor with alias":    {"      include: &z [a]\n  other: {tools: {include: *z}}\n", ""},
		"alias of an item":     {"      include: [&z a]\n  other: {tools: {include: [*z]}}\n", ""},
		"dash on its own line": {"      include:\n        -\n          a\n        - b\n      prompts: false\n", "      include: []\n      prompts: false\n"},
		"comment among them":   {"      include:\n        -\n          # why\n          a\n", ""},
	} {
		h := home(t, head+c.before)
		_, err := open(t, h).Apply(context.Background(), Edit{Server: "demo", Intent: policy.Intent{Action: policy.ActionLock}})
		want := c.after
		if want == "" {
			want = c.before
			var r *Refused
			if !errors.As(err, &r) || r.Hint == "" || r.Line == 0 {
				t.Errorf("%s: %v", name, err)
			}
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := get(t, h.Config()); got != head+want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
