package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"hermes/backend/message"
)

// AppendTurn stores rows in one transaction: all of them or none. The calls of
// an assistant row enter as stored. A tool row is the result of a call of this
// session that has none yet, and takes its place behind the assistant row it
// answers; any other row is refused while calls are unanswered, so that a
// stored history is one every vendor accepts.
func (s *Store) AppendTurn(ctx context.Context, session string, rows []message.Message) error {
	promised, isPromised := s.Promised(session)
	err := s.write(ctx, func(ctx context.Context, c *conn) error {
		now := s.now()
		if isPromised {
			if err := c.insertSession(ctx, promised); err != nil {
				return err
			}
		}
		if err := touch(ctx, c, session, now, rows); err != nil {
			return err
		}
		for _, row := range rows {
			var err error
			if row.Role == message.RoleTool {
				err = finish(ctx, c, session, row, now.UnixMilli())
			} else {
				err = appendRow(ctx, c, session, row, now.UnixMilli())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && isPromised {
		s.kept(session)
	}
	return err
}

func appendRow(ctx context.Context, c *conn, session string, row message.Message, now int64) error {
	if err := noOpenCall(ctx, c, session, string(row.Role)); err != nil {
		return err
	}
	var seq int64
	if err := c.one(ctx, `SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE session = ?`, []any{session}, &seq); err != nil {
		return fmt.Errorf("find the next row: %w", err)
	}
	id, err := insertMessage(ctx, c, session, seq, 0, row, now)
	if err != nil {
		return err
	}
	for i, call := range row.ToolCalls {
		if call.ID == "" {
			return fmt.Errorf("store a call of %s: it has no id", call.Name)
		}
		_, err := c.exec(ctx, `INSERT INTO calls (session, id, message, idx, name, public, server, tool, arguments, read_only, state, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'stored', '')`,
			session, call.ID, id, i, call.Name, call.Target.Name, call.Target.Server, call.Target.Tool, call.Arguments, call.Target.ReadOnly)
		if err != nil {
			return fmt.Errorf("store call %s: %w", call.ID, err)
		}
	}
	return nil
}

// noOpenCall refuses a row of that kind while a call has no result.
func noOpenCall(ctx context.Context, c *conn, session, kind string) error {
	var open string
	err := c.one(ctx, `SELECT id FROM calls WHERE session = ? AND state <> 'done' LIMIT 1`, []any{session}, &open)
	switch {
	case err == nil:
		return fmt.Errorf("store a %s row in session %s: call %s has no result yet", kind, session, open)
	case !errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("look for open calls: %w", err)
	}
	return nil
}

func insertMessage(ctx context.Context, c *conn, session string, seq, slot int64, row message.Message, now int64) (int64, error) {
	done, err := c.exec(ctx, `INSERT INTO messages (session, seq, slot, role, content, tool_call_id, tool_name, status, vendor, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		session, seq, slot, row.Role, row.Content, row.ToolCallID, row.ToolName, row.Status, row.Vendor, now)
	if err != nil {
		return 0, fmt.Errorf("store a %s row: %w", row.Role, err)
	}
	id, err := done.LastInsertId()
	if err != nil {
		return 0, fmt.Errorf("store a %s row: %w", row.Role, err)
	}
	for i, block := range row.Blocks {
		// An empty block is not a NULL one.
		if _, err := c.exec(ctx, `INSERT INTO blocks (message, idx, raw) VALUES (?, ?, ?)`, id, i, append([]byte{}, block...)); err != nil {
			return 0, fmt.Errorf("store block %d of a %s row: %w", i, row.Role, err)
		}
	}
	return id, nil
}

// MarkStarted records that a call is about to be sent. It fails for a call that
// was started or answered before: nothing is sent twice.
func (s *Store) MarkStarted(ctx context.Context, session, callID string) error {
	return s.write(ctx, func(ctx context.Context, c *conn) error {
		done, err := c.exec(ctx, `UPDATE calls SET state = 'started', started_at = ? WHERE session = ? AND id = ? AND state = 'stored'`, s.now().UnixMilli(), session, callID)
		if err != nil {
			return fmt.Errorf("mark call %s as started: %w", callID, err)
		}
		if n, err := done.RowsAffected(); err != nil || n != 1 {
			return fmt.Errorf("mark call %s as started: it is not a call that waits in session %s", callID, session)
		}
		return nil
	})
}

// FinishCall stores the one result row of a call. A second one is refused.
func (s *Store) FinishCall(ctx context.Context, session, callID string, row message.Message) error {
	if row.Role != message.RoleTool || row.ToolCallID != callID {
		return fmt.Errorf("finish call %s: the row answers %q as %s", callID, row.ToolCallID, row.Role)
	}
	return s.write(ctx, func(ctx context.Context, c *conn) error {
		return finish(ctx, c, session, row, s.now().UnixMilli())
	})
}

func finish(ctx context.Context, c *conn, session string, row message.Message, now int64) error {
	var seq, idx int64
	err := c.one(ctx, `SELECT m.seq, c.idx FROM calls c JOIN messages m ON m.id = c.message WHERE c.session = ? AND c.id = ? AND c.state <> 'done'`, []any{session, row.ToolCallID}, &seq, &idx)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("store the result of call %s: no call of that id waits in session %s", row.ToolCallID, session)
	}
	if err != nil {
		return fmt.Errorf("find call %s: %w", row.ToolCallID, err)
	}
	id, err := insertMessage(ctx, c, session, seq, idx+1, row, now)
	if err != nil {
		return err
	}
	if _, err := c.exec(ctx, `UPDATE calls SET state = 'done', status = ?, result = ?, done_at = ? WHERE session = ? AND id = ?`, row.Status, id, now, session, row.ToolCallID); err != nil {
		return fmt.Errorf("close call %s: %w", row.ToolCallID, err)
	}
	return nil
}
