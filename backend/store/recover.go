package store

import (
	"context"
	"fmt"

	"hermes/backend/message"
)

// Begin takes a session for one turn, settles what an unfinished one left, and
// returns the conversation with the rows that had to be written for that. The
// session is free again after release. ErrBusy: another turn has it.
func (s *Store) Begin(ctx context.Context, session string) (history, recovered []message.Message, release func(), err error) {
	if _, err := s.Session(ctx, session); err != nil {
		return nil, nil, nil, err
	}
	free, err := s.lockSession(session)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if release == nil { // also after a fault of the program
			free()
		}
	}()
	if recovered, err = s.recover(ctx, session); err != nil {
		return nil, nil, nil, err
	}
	if history, err = s.Messages(ctx, session); err != nil {
		return nil, nil, nil, err
	}
	return history, recovered, free, nil
}

// Recover answers the calls an unfinished round of the session left: one that
// was only stored was never sent, one that was started may have taken effect,
// unless it was known to read only. Nothing runs again, and no row is dropped:
// one that was shown stays true, and a vendor's signed blocks stay whole. The written rows are returned in call order; ErrBusy:
// the round is not unfinished, it runs.
func (s *Store) Recover(ctx context.Context, session string) ([]message.Message, error) {
	_, recovered, release, err := s.Begin(ctx, session)
	if err != nil {
		return nil, err
	}
	release()
	return recovered, nil
}

func (s *Store) recover(ctx context.Context, session string) ([]message.Message, error) {
	var written []message.Message
	err := s.write(ctx, func(ctx context.Context, c *conn) error {
		written = nil
		err := c.each(ctx, `SELECT id, name, public, state, read_only FROM calls WHERE session = ? AND state <> 'done' ORDER BY message, idx`, []any{session}, func(scan func(...any) error) error {
			var public, state string
			var readOnly bool
			row := message.Message{Role: message.RoleTool, Status: message.StatusInterrupted, Content: message.CallEnded.Text()}
			if err := scan(&row.ToolCallID, &row.ToolName, &public, &state, &readOnly); err != nil {
				return err
			}
			switch {
			case state == "stored":
			case public == message.ConnectorBatch:
				// What became of each entry is stored with the answer to all alone.
				row.Status, row.Content = message.StatusUnknown, message.CallEndedInBatch.Text()
			case readOnly:
				row.Status, row.Content = message.StatusUnknown, message.CallEndedReading.Text()
			default:
				row.Status, row.Content = message.StatusUnknown, message.CallEndedInRun.Text()
			}
			written = append(written, row)
			return nil
		})
		if err != nil {
			return fmt.Errorf("look for unfinished calls of session %s: %w", session, err)
		}
		for _, row := range written {
			if err := finish(ctx, c, session, row, s.now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return written, nil
}
