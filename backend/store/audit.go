package store

import (
	"context"
	"fmt"
	"time"
)

// AuditEntry is one decision or deed worth keeping: what happened to which tool
// and why. Texts must hold no secrets.
type AuditEntry struct {
	At                            time.Time
	Session, Call                 string
	Event, Server, Tool, Decision string
	Reason                        string
}

// Audit stores an entry; a zero time is now.
func (s *Store) Audit(ctx context.Context, entry AuditEntry) error {
	if entry.At.IsZero() {
		entry.At = s.now()
	}
	return s.write(ctx, func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, `INSERT INTO audit (at, session, call, event, server, tool, decision, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			entry.At.UnixMilli(), entry.Session, entry.Call, entry.Event, entry.Server, entry.Tool, entry.Decision, entry.Reason)
		if err != nil {
			return fmt.Errorf("store an audit entry: %w", err)
		}
		return nil
	})
}

// AuditEntries lists the newest entries, newest first.
func (s *Store) AuditEntries(ctx context.Context, limit int) ([]AuditEntry, error) {
	var out []AuditEntry
	err := s.use(ctx, func(c *conn) error {
		return c.each(ctx, `SELECT at, session, call, event, server, tool, decision, reason FROM audit ORDER BY id DESC LIMIT ?`, []any{limit}, func(scan func(...any) error) error {
			var entry AuditEntry
			var at int64
			if err := scan(&at, &entry.Session, &entry.Call, &entry.Event, &entry.Server, &entry.Tool, &entry.Decision, &entry.Reason); err != nil {
				return err
			}
			entry.At = time.UnixMilli(at).UTC()
			out = append(out, entry)
			return nil
		})
	})
	return out, err
}
