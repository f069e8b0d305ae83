package desk

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes/backend/message"
	"hermes/backend/view"
)

// Grants lists what people said yes to for more than one call, oldest first.
func (d *Desk) Grants() (view.Grants, error) {
	h := d.current()
	out := view.Grants{Grants: []view.Grant{}}
	grants, err := h.Grants(d.ctx)
	for _, g := range grants {
		if !g.Allow {
			continue
		}
		shown := view.Grant{ID: g.ID, Server: g.Server, Tool: g.Tool, Scope: g.Scope, Session: g.Session, Why: []string{},
			Given: g.At.UTC().Format(time.RFC3339), Void: h.GrantVoid(g)}
		shown.Said = saidViews(message.Recognise(shown.Void))
		if g.Reason != "" {
			shown.Why = strings.Split(g.Reason, ",")
		}
		out.Grants = append(out.Grants, shown)
	}
	return out, err
}

// RevokeGrant takes a yes back and gives what is left: the next call asks again.
// An id that is not there is an error, and then nothing is revoked. A program that
// one of the servers started may not.
func (d *Desk) RevokeGrant(ids []int64) (view.Grants, error) {
	if err := d.ours(); err != nil {
		return view.Grants{}, err
	}
	known, err := d.Grants()
	if err != nil {
		return view.Grants{}, err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(known.Grants, func(g view.Grant) bool { return g.ID == id }) {
			return view.Grants{}, Fail(view.Error{Code: "usage", Message: fmt.Sprintf("there is no grant %d", id), Hint: "`hermes mcp grants` lists them"}, nil)
		}
	}
	if err := d.current().RevokeGrants(d.ctx, ids...); err != nil {
		return view.Grants{}, err
	}
	return d.Grants()
}
