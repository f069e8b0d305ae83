package store

import (
	"context"
	"errors"
	"fmt"
)

// DeleteSession removes a session with its messages, calls, usage and the grants
// that counted for it alone; the audit stays. What was deleted is overwritten in
// the file and leaves the index of the search. ErrBusy: a turn of it runs.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	if _, err := s.Session(ctx, id); err != nil {
		return err
	}
	release, err := s.lockSession(id)
	if err != nil {
		return err
	}
	defer release()
	err = s.write(ctx, func(ctx context.Context, c *conn) error {
		for _, query := range []string{`DELETE FROM sessions WHERE id = ?`, `DELETE FROM approvals WHERE scope = 'session' AND session = ?`} {
			if _, err := c.exec(ctx, query, id); err != nil {
				return fmt.Errorf("delete session %s: %w", id, err)
			}
		}
		// The index forgets a row by a note beside its words; this takes both away.
		if _, err := c.exec(ctx, `INSERT INTO texts (texts) VALUES ('optimize')`); err != nil {
			return fmt.Errorf("take session %s out of the index: %w", id, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.use(ctx, func(c *conn) error { return c.scrub(ctx) })
}

// scrub takes what was deleted out of the log too. A program that reads the file
// at this moment may still need the log: then the next one that empties it does
// so, and nobody waits.
func (c *conn) scrub(ctx context.Context) error {
	// Whoever asked may be gone: the connection has to wait for others again.
	ctx = context.WithoutCancel(ctx)
	_, err := c.only.ExecContext(ctx, `PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)`)
	_, again := c.only.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, lockWait.Milliseconds()))
	return errors.Join(err, again)
}
