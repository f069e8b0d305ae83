package approval

import "slices"

// Grant is a yes that a person gave for more than one call: to a tool of a server,
// in one conversation or for good. Identity is that of the server's connection
// and Definition a decision's Binding, so that another program under the same
// name, a tool that says something else and another rule of a hook are not meant.
type Grant struct {
	ID                    int64
	Session, Server, Tool string
	Identity, Definition  string
	Scope                 Scope
	Allow                 bool
}

// Covered gives the grant that answers a decision in a conversation. Nothing
// answers for a call that names files of ours or whose definition is not known;
// after a result of an untrusted server only a yes that was given since then does.
func (d Decision) Covered(session string, f Facts, grants []Grant) (Grant, bool) {
	if d.Outcome != Asks || d.Binding == "" || d.Has(WhyOwnFiles) {
		return Grant{}, false
	}
	want := d.Binding
	if d.Has(WhyTainted) {
		want += tainted
	}
	for _, g := range grants {
		if !g.Allow || g.Server != f.Server || g.Tool != f.Tool || g.Identity != f.Identity || g.Definition != want {
			continue
		}
		switch g.Scope {
		case ScopeAlways:
			return g, true
		case ScopeSession:
			if session != "" && g.Session == session {
				return g, true
			}
		}
	}
	return Grant{}, false
}

// Grants are what a person's yes leaves behind, none for a yes that was for one
// call alone or of a scope that was not offered.
func (d Decision) Grants(session string, f Facts, scope Scope) []Grant {
	if d.Outcome != Asks || d.Binding == "" || d.Has(WhyOwnFiles) || !slices.Contains(d.Scopes, scope) {
		return nil
	}
	grant := Grant{Session: session, Server: f.Server, Tool: f.Tool, Identity: f.Identity, Definition: d.Binding, Scope: scope, Allow: true}
	if d.Has(WhyTainted) {
		grant.Definition += tainted
	}
	if scope == ScopeSession || scope == ScopeAlways {
		return []Grant{grant}
	}
	return nil
}
