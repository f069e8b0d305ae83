package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"hermes/backend/message"
)

// Messages is the conversation in order: the results of a row stand behind it
// in the order of its calls, whatever finished first. Blocks are the bytes that
// were stored. An unknown session is ErrUnknownSession.
func (s *Store) Messages(ctx context.Context, session string) ([]message.Message, error) {
	if _, err := s.Session(ctx, session); err != nil {
		return nil, err
	}
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	// One reading transaction: the three lists belong to one moment.
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, s.explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	out, err := messages(ctx, tx, session)
	if err != nil {
		return nil, s.explain(err)
	}
	return out, nil
}

func messages(ctx context.Context, tx *sql.Tx, session string) ([]message.Message, error) {
	var out []message.Message
	at := map[int64]int{}
	err := each(ctx, tx, `SELECT id, role, content, tool_call_id, tool_name, status, vendor FROM messages WHERE session = ? ORDER BY seq, slot`, session, func(rows *sql.Rows) error {
		var id int64
		var m message.Message
		if err := rows.Scan(&id, &m.Role, &m.Content, &m.ToolCallID, &m.ToolName, &m.Status, &m.Vendor); err != nil {
			return err
		}
		at[id] = len(out)
		out = append(out, m)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the messages: %w", err)
	}
	err = each(ctx, tx, `SELECT message, id, name, public, server, tool, arguments FROM calls WHERE session = ? ORDER BY message, idx`, session, func(rows *sql.Rows) error {
		var id int64
		var c message.ToolCall
		if err := rows.Scan(&id, &c.ID, &c.Name, &c.Target.Name, &c.Target.Server, &c.Target.Tool, &c.Arguments); err != nil {
			return err
		}
		m := &out[at[id]]
		m.ToolCalls = append(m.ToolCalls, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the calls: %w", err)
	}
	err = each(ctx, tx, `SELECT b.message, b.raw FROM blocks b JOIN messages m ON m.id = b.message WHERE m.session = ? ORDER BY b.message, b.idx`, session, func(rows *sql.Rows) error {
		var id int64
		var raw []byte
		if err := rows.Scan(&id, &raw); err != nil {
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

func each(ctx context.Context, tx *sql.Tx, query, session string, row func(*sql.Rows) error) error {
	rows, err := tx.QueryContext(ctx, query, session)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
