package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"hermes/backend/message"
)

// Row is a stored row with what is known of it. The history a model is sent is
// made of the Active ones; the others are those a later Summary stands for.
type Row struct {
	message.Message
	At              time.Time
	Active, Summary bool
}

// Messages is the conversation as a model is sent it, in order: the results of a
// row stand behind it in the order of its calls, whatever finished first. Blocks
// are the bytes that were stored. An unknown session is ErrUnknownSession.
func (s *Store) Messages(ctx context.Context, session string) ([]message.Message, error) {
	rows, err := s.rows(ctx, session, true)
	if err != nil || rows == nil {
		return nil, err
	}
	out := make([]message.Message, len(rows))
	for i := range rows {
		out[i] = rows[i].Message
	}
	return out, nil
}

// Rows is the whole conversation in order, a summary before the first row that
// was kept with it.
func (s *Store) Rows(ctx context.Context, session string) ([]Row, error) {
	return s.rows(ctx, session, false)
}

func (s *Store) rows(ctx context.Context, session string, active bool) ([]Row, error) {
	if _, is := s.Promised(session); is {
		return nil, nil
	}
	var out []Row
	err := s.use(ctx, func(c *conn) error {
		// One reading transaction: the lists belong to one moment.
		return c.transaction(ctx, "BEGIN", func() error {
			if _, err := c.session(ctx, session); err != nil {
				return err
			}
			var err error
			out, err = c.rows(ctx, session, active)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (c *conn) rows(ctx context.Context, session string, active bool) ([]Row, error) {
	var out []Row
	at := map[int64]int{}
	which := []any{session, active}
	err := c.each(ctx, `SELECT id, role, content, tool_call_id, tool_name, status, vendor, created_at, active, summary FROM messages WHERE session = ? AND active >= ? ORDER BY seq, slot`, which, func(scan func(...any) error) error {
		var id, created int64
		var m Row
		if err := scan(&id, &m.Role, &m.Content, &m.ToolCallID, &m.ToolName, &m.Status, &m.Vendor, &created, &m.Active, &m.Summary); err != nil {
			return err
		}
		m.At = time.UnixMilli(created).UTC()
		at[id] = len(out)
		out = append(out, m)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the messages: %w", err)
	}
	err = c.each(ctx, `SELECT c.message, c.id, c.name, c.public, c.server, c.tool, c.read_only, c.arguments FROM calls c JOIN messages m ON m.id = c.message WHERE c.session = ? AND m.active >= ? ORDER BY c.message, c.idx`, which, func(scan func(...any) error) error {
		var id int64
		var c message.ToolCall
		if err := scan(&id, &c.ID, &c.Name, &c.Target.Name, &c.Target.Server, &c.Target.Tool, &c.Target.ReadOnly, &c.Arguments); err != nil {
			return err
		}
		m := &out[at[id]]
		m.ToolCalls = append(m.ToolCalls, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the calls: %w", err)
	}
	err = c.each(ctx, `SELECT b.message, b.raw FROM blocks b JOIN messages m ON m.id = b.message WHERE m.session = ? AND m.active >= ? ORDER BY b.message, b.idx`, which, func(scan func(...any) error) error {
		var id int64
		var raw []byte
		if err := scan(&id, &raw); err != nil {
			return err
		}
		if raw == nil { // how the driver reads an empty BLOB
			raw = []byte{}
		}
		m := &out[at[id]]
		m.Blocks = append(m.Blocks, json.RawMessage(raw))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the blocks: %w", err)
	}
	return out, nil
}

// CallIDs are the ids of all calls of a session, also of those a summary stands
// for: no other call may have one of them.
func (s *Store) CallIDs(ctx context.Context, session string) ([]string, error) {
	var out []string
	err := s.use(ctx, func(c *conn) error {
		return c.each(ctx, `SELECT id FROM calls WHERE session = ? ORDER BY message, idx`, []any{session}, func(scan func(...any) error) error {
			var id string
			err := scan(&id)
			out = append(out, id)
			return err
		})
	})
	return out, err
}
