package store

import (
	"context"
	"errors"
	"fmt"
)

// write is one change waiting to be committed.
type write struct {
	change func(context.Context, *conn) error
	done   bool // under Store.turnstile
	err    error
}

// write commits a change, together with those that came in while another
// commit was on its way: calls that start or end at the same time share one
// wait for the disk. Changes do not see each other's failure. It returns when
// the change is durable or has failed for good.
func (s *Store) write(ctx context.Context, change func(context.Context, *conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &write{change: change}
	s.mu.Lock()
	s.queue = append(s.queue, w)
	s.mu.Unlock()

	s.turnstile <- struct{}{}
	defer func() { <-s.turnstile }()
	if w.done {
		return w.err
	}
	s.mu.Lock()
	batch := s.queue
	s.queue = nil
	s.mu.Unlock()
	// What was asked for is written even if the one who asked goes away: the
	// others in the batch are still there.
	s.settle(context.WithoutCancel(ctx), batch)
	return w.err
}

// settle commits a batch and tells each of it how it went. After a fault of the
// program nothing of it is stored, and the others hear so.
func (s *Store) settle(ctx context.Context, batch []*write) {
	err := errors.New("the store failed inside the program")
	defer func() {
		for _, w := range batch {
			w.done = true
			if w.err == nil {
				w.err = err
			}
		}
	}()
	err = s.useHeld(ctx, false, func(c *conn) error { return s.commit(ctx, c, batch) })
}

// commit runs a batch in one transaction. A change that fails is undone alone.
func (s *Store) commit(ctx context.Context, c *conn, batch []*write) error {
	if len(batch) == 1 {
		return c.transaction(ctx, "BEGIN IMMEDIATE", func() error { return batch[0].change(ctx, c) })
	}
	return c.transaction(ctx, "BEGIN IMMEDIATE", func() error {
		for _, w := range batch {
			if _, err := c.exec(ctx, "SAVEPOINT change"); err != nil {
				return err
			}
			if w.err = s.explained(w.change(ctx, c)); w.err != nil {
				if _, err := c.exec(ctx, "ROLLBACK TO change"); err != nil {
					return fmt.Errorf("undo a failed change: %w", err)
				}
			}
			if _, err := c.exec(ctx, "RELEASE change"); err != nil {
				return err
			}
		}
		return nil
	})
}
