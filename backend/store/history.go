package store

import (
	"context"
	"encoding/json"
	"fmt"

	"hermes/backend/message"
)

// Messages is the conversation in order: the results of a row stand behind it
// in the order of its calls, whatever finished first. Blocks are the bytes that
// were stored. An unknown session is ErrUnknownSession.
func (s *Store) Messages(ctx context.Context, session string) ([]message.Message, error) {
	var out []message.Message
	err := s.use(ctx, func(c *conn) error {
		// One reading transaction: the lists belong to one moment.
		return c.transaction(ctx, "BEGIN", func() error {
			if _, err := c.session(ctx, session); err != nil {
				return err
			}
			var err error
			out, err = messages(ctx, c, session)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func messages(ctx context.Context, c *conn, session string) ([]message.Message, error) {
	var out []message.Message
	at := map[int64]int{}
	err := c.each(ctx, `SELECT id, role, content, tool_call_id, tool_name, status, vendor FROM messages WHERE session = ? ORDER BY seq, slot`, []any{session}, func(scan func(...any) error) error {
		var id int64
		var m message.Message
		if err := scan(&id, &m.Role, &m.Content, &m.ToolCallID, &m.ToolName, &m.Status, &m.Vendor); err != nil {
			return err
		}
		at[id] = len(out)
		out = append(out, m)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the messages: %w", err)
	}
	err = c.each(ctx, `SELECT message, id, name, public, server, tool, arguments FROM calls WHERE session = ? ORDER BY message, idx`, []any{session}, func(scan func(...any) error) error {
		var id int64
		var c message.ToolCall
		if err := scan(&id, &c.ID, &c.Name, &c.Target.Name, &c.Target.Server, &c.Target.Tool, &c.Arguments); err != nil {
			return err
		}
		m := &out[at[id]]
		m.ToolCalls = append(m.ToolCalls, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the calls: %w", err)
	}
	err = c.each(ctx, `SELECT b.message, b.raw FROM blocks b JOIN messages m ON m.id = b.message WHERE m.session = ? ORDER BY b.message, b.idx`, []any{session}, func(scan func(...any) error) error {
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
