package store

import (
	"context"

	"hermes/backend/message"
)

// Answering are the servers of whose calls a session holds what may be their own
// words: results, errors, and what came of calls whose end is not known. Rows that a
// summary stands for count. An unknown session has none.
func (s *Store) Answering(ctx context.Context, session string) ([]string, error) {
	var out []string
	err := s.use(ctx, func(c *conn) error {
		return c.each(ctx, `SELECT DISTINCT server FROM calls WHERE session = ? AND server <> '' AND state = 'done' AND status IN (?, ?, ?) ORDER BY server`,
			[]any{session, message.StatusOK, message.StatusError, message.StatusUnknown}, func(scan func(...any) error) error {
				var server string
				err := scan(&server)
				out = append(out, server)
				return err
			})
	})
	return out, err
}
