package store

import (
	"context"
	"errors"
	"fmt"

	"hermes/backend/message"
)

// ErrNothingToCompact is the cause where a session has no rows a summary could
// stand for.
var ErrNothingToCompact = errors.New("nothing to compact")

// Compact lets a summary stand for the older rows of a session: from now on its
// history is the summary and at least the last keep rows. More are kept where
// the cut would part a call from its result, or put two rows of one speaker side
// by side. The older rows stay stored, searchable and exported; no kept row is
// touched. Whoever compacts has taken the session (Begin), and no call of it may
// be open.
func (s *Store) Compact(ctx context.Context, session string, summary message.Message, keep int) error {
	if summary.Role != message.RoleUser && summary.Role != message.RoleAssistant || len(summary.ToolCalls) > 0 {
		return fmt.Errorf("compact session %s: a summary is a plain row of user or assistant", session)
	}
	return s.write(ctx, func(ctx context.Context, c *conn) error {
		now := s.now()
		if err := touch(ctx, c, session, now, nil); err != nil {
			return err
		}
		if err := noOpenCall(ctx, c, session, "summary"); err != nil {
			return err
		}
		seq, err := cutAt(ctx, c, session, summary.Role, max(keep, 1))
		if err != nil {
			return err
		}
		if _, err := c.exec(ctx, `UPDATE messages SET active = 0 WHERE session = ? AND active = 1 AND seq < ?`, session, seq); err != nil {
			return fmt.Errorf("compact session %s: %w", session, err)
		}
		id, err := insertMessage(ctx, c, session, seq, -1, summary, now.UnixMilli())
		if err != nil {
			return err
		}
		if _, err := c.exec(ctx, `UPDATE messages SET summary = 1 WHERE id = ?`, id); err != nil {
			return fmt.Errorf("compact session %s: %w", session, err)
		}
		return nil
	})
}

// cutAt is the seq of the first row that is kept.
func cutAt(ctx context.Context, c *conn, session string, summary message.Role, keep int) (int64, error) {
	type row struct {
		seq     int64
		role    message.Role
		summary bool
	}
	var rows []row
	err := c.each(ctx, `SELECT seq, role, summary FROM messages WHERE session = ? AND active = 1 ORDER BY seq, slot`, []any{session}, func(scan func(...any) error) error {
		var r row
		err := scan(&r.seq, &r.role, &r.summary)
		rows = append(rows, r)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("read the rows of session %s: %w", session, err)
	}
	at := len(rows) - keep
	for at > 0 && (rows[at].role == message.RoleTool || rows[at].role == summary) {
		at--
	}
	if at < 1 || at == 1 && rows[0].summary {
		return 0, fmt.Errorf("%w in session %s: it has %d rows and %d are to be kept", ErrNothingToCompact, session, len(rows), keep)
	}
	return rows[at].seq, nil
}
