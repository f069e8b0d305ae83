package store

import (
	"context"
	"fmt"

	"hermes/backend/message"
)

// AddUsage counts what a model took for a session, in tokens and, where its
// prices are known (priced), in US dollars; the model becomes the session's last
// one. A sum is priced only where all of it is.
func (s *Store) AddUsage(ctx context.Context, session, model string, u message.Usage, cost float64, priced bool) error {
	if !priced {
		cost = 0
	}
	return s.write(ctx, func(ctx context.Context, c *conn) error {
		done, err := c.exec(ctx, `UPDATE sessions SET model = ? WHERE id = ?`, model, session)
		if err != nil {
			return fmt.Errorf("count the usage of session %s: %w", session, err)
		}
		if n, err := done.RowsAffected(); err == nil && n == 0 {
			return unknown(session)
		}
		_, err = c.exec(ctx, `INSERT INTO usage (session, model, input, output, cache_read, cache_write, cost, priced) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (session, model) DO UPDATE SET input = input + excluded.input, output = output + excluded.output,
				cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
				cost = cost + excluded.cost, priced = priced AND excluded.priced`,
			session, model, u.InputTokens, u.OutputTokens, u.CacheRead, u.CacheWrite, cost, priced)
		if err != nil {
			return fmt.Errorf("count the usage of session %s: %w", session, err)
		}
		return nil
	})
}

// ModelUsage is what one model took for a session.
type ModelUsage struct {
	Model  string
	Usage  message.Usage
	Cost   float64
	Priced bool
}

// Usage lists what each model took for a session, by name.
func (s *Store) Usage(ctx context.Context, session string) ([]ModelUsage, error) {
	var out []ModelUsage
	err := s.use(ctx, func(c *conn) error {
		return c.each(ctx, `SELECT model, input, output, cache_read, cache_write, cost, priced FROM usage WHERE session = ? ORDER BY model`, []any{session}, func(scan func(...any) error) error {
			var m ModelUsage
			err := scan(&m.Model, &m.Usage.InputTokens, &m.Usage.OutputTokens, &m.Usage.CacheRead, &m.Usage.CacheWrite, &m.Cost, &m.Priced)
			out = append(out, m)
			return err
		})
	})
	return out, err
}
