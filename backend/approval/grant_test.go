package approval_test

import (
	"fmt"
	"testing"

	"hermes/backend/approval"
)

// TestGrants gives a yes of each scope for one call and asks which of other calls
// it answers.
func TestGrants(t *testing.T) {
	base := approval.Facts{Server: "web", Tool: "send", Identity: "id", Definition: "hash", Untrusted: true}
	but := func(change func(*approval.Facts)) approval.Facts {
		f := base
		change(&f)
		return f
	}
	taint := but(func(f *approval.Facts) { f.Tainted = "other" })
	trustedTaint := but(func(f *approval.Facts) { f.Tainted, f.Untrusted = "other", false })
	hook := but(func(f *approval.Facts) { f.HookAsks, f.HookRule = true, "one" })
	rules := approval.New(approval.Options{})
	for _, test := range []struct {
		name    string
		given   approval.Facts
		scope   approval.Scope
		asked   approval.Facts
		session string
		want    bool
	}{
		{"once is for one call", base, approval.ScopeOnce, base, "s", false},
		{"session", base, approval.ScopeSession, base, "s", true},
		{"session, in another one", base, approval.ScopeSession, base, "t", false},
		{"session, outside of any", base, approval.ScopeSession, base, "", false},
		{"always", base, approval.ScopeAlways, base, "t", true},
		{"always, outside of any", base, approval.ScopeAlways, base, "", true},
		{"another tool", base, approval.ScopeAlways, but(func(f *approval.Facts) { f.Tool = "read" }), "s", false},
		{"another server", base, approval.ScopeAlways, but(func(f *approval.Facts) { f.Server = "w" }), "s", false},
		{"another program", base, approval.ScopeAlways, but(func(f *approval.Facts) { f.Identity = "x" }), "s", false},
		{"another definition", base, approval.ScopeAlways, but(func(f *approval.Facts) { f.Definition = "x" }), "s", false},
		{"a definition nobody knows", base, approval.ScopeAlways, but(func(f *approval.Facts) { f.Definition = "" }), "s", false},
		{"files of ours", base, approval.ScopeAlways, but(func(f *approval.Facts) { f.OwnFiles = ".env" }), "s", false},
		{"always, tainted since", base, approval.ScopeAlways, taint, "s", false},
		{"session, tainted since", base, approval.ScopeSession, taint, "s", false},
		{"session, given when tainted", taint, approval.ScopeSession, taint, "s", true},
		{"always is not offered where a taint is among the reasons", taint, approval.ScopeAlways, taint, "s", false},
		{"always, given when tainted, in another one that is", taint, approval.ScopeAlways, taint, "t", false},
		{"session, given when tainted, in another one", taint, approval.ScopeSession, base, "t", false},
		{"always is not offered for a taint alone", trustedTaint, approval.ScopeAlways, trustedTaint, "s", false},
		{"session for a taint alone", trustedTaint, approval.ScopeSession, trustedTaint, "s", true},
		{"a rule of a hook", hook, approval.ScopeAlways, hook, "s", true},
		{"another rule of a hook", hook, approval.ScopeAlways, but(func(f *approval.Facts) { f.HookAsks, f.HookRule = true, "two" }), "s", false},
		{"a hook asks now", base, approval.ScopeAlways, hook, "s", false},
		{"a scope nobody knows", base, "forever", base, "s", false},
	} {
		grants := rules.Decide(test.given).Grants("s", test.given, test.scope)
		if _, got := rules.Decide(test.asked).Covered(test.session, test.asked, grants); got != test.want {
			t.Errorf("%s: %v, want %v; grants %+v", test.name, got, test.want, grants)
		}
	}
	denied := rules.Decide(base).Grants("s", base, approval.ScopeAlways)
	denied[0].Allow = false
	if _, got := rules.Decide(base).Covered("s", base, denied); got {
		t.Error("a remembered no let a call through")
	}
	if d := (approval.Decision{Binding: "hash"}); fmt.Sprint(d.Grants("s", base, approval.ScopeAlways)) != "[]" {
		t.Error("a decision that asks nobody leaves a grant")
	}
}
