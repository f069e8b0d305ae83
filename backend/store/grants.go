package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Grant is what a person answered about a tool and wanted remembered. Scope is
// "session", for the conversation Session alone, or "always"; Definition is the
// hash of the tool's definition and Identity that of the server's connection, so
// that another tool of the same name is not the one that was allowed. A grant
// never permits what the policy forbids: whoever uses one asks the policy.
type Grant struct {
	ID                    int64
	Session, Server, Tool string
	Definition, Identity  string
	Allow                 bool
	Scope, Reason         string
	At                    time.Time
}

// Grants lists what is remembered, oldest first.
func (s *Store) Grants(ctx context.Context) ([]Grant, error) {
	var out []Grant
	err := s.use(ctx, func(c *conn) error {
		return c.each(ctx, `SELECT id, session, server, tool, definition_hash, identity, decision = 'allow', scope, reason, created_at FROM approvals WHERE scope <> 'once' ORDER BY id`, nil, func(scan func(...any) error) error {
			var g Grant
			var at int64
			if err := scan(&g.ID, &g.Session, &g.Server, &g.Tool, &g.Definition, &g.Identity, &g.Allow, &g.Scope, &g.Reason, &at); err != nil {
				return err
			}
			g.At = time.UnixMilli(at).UTC()
			out = append(out, g)
			return nil
		})
	})
	return out, err
}

// AddGrant remembers an answer in the place of an earlier one about the same
// tool of the same definition and connection in the same scope; ID is given by
// the store, and a zero At is now. An answer that counts once is nothing to
// remember, and one that does not say what it is bound to is refused too.
func (s *Store) AddGrant(ctx context.Context, grant Grant) error {
	switch {
	case grant.Scope != "session" && grant.Scope != "always":
		return fmt.Errorf("remember an answer: the scope %q is not one that is kept", grant.Scope)
	case grant.Server == "" || grant.Tool == "" || grant.Definition == "":
		return errors.New("remember an answer: it names no server, tool or definition")
	case grant.Scope == "session" && grant.Session == "":
		return errors.New("remember an answer: it names no session")
	}
	if grant.At.IsZero() {
		grant.At = s.now()
	}
	decision, bound := "deny", ""
	if grant.Allow {
		decision = "allow"
	}
	if grant.Scope == "session" {
		bound = grant.Session
	}
	return s.write(ctx, func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, `DELETE FROM approvals WHERE server = ? AND tool = ? AND definition_hash = ? AND identity = ? AND scope = ? AND (scope = 'always' OR session = ?)`,
			grant.Server, grant.Tool, grant.Definition, grant.Identity, grant.Scope, bound)
		if err != nil {
			return fmt.Errorf("replace an answer: %w", err)
		}
		_, err = c.exec(ctx, `INSERT INTO approvals (session, server, tool, definition_hash, identity, decision, scope, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			grant.Session, grant.Server, grant.Tool, grant.Definition, grant.Identity, decision, grant.Scope, grant.Reason, grant.At.UnixMilli())
		if err != nil {
			return fmt.Errorf("remember an answer: %w", err)
		}
		return nil
	})
}

// RevokeGrants forgets answers; ids that are not there are nothing to do.
func (s *Store) RevokeGrants(ctx context.Context, ids ...int64) error {
	if len(ids) == 0 {
		return nil
	}
	return s.write(ctx, func(ctx context.Context, c *conn) error {
		for _, id := range ids {
			if _, err := c.exec(ctx, `DELETE FROM approvals WHERE id = ?`, id); err != nil {
				return fmt.Errorf("forget an answer: %w", err)
			}
		}
		return nil
	})
}
