package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// write is one change waiting to be committed.
type write struct {
	change func(context.Context, *sql.Tx) error
	done   bool // under Store.turnstile
	err    error
}

// write commits a change, together with those that came in while another
// commit was on its way: calls that start or end at the same time share one
// wait for the disk. Changes do not see each other's failure. It returns when
// the change is durable or has failed for good.
func (s *Store) write(ctx context.Context, change func(context.Context, *sql.Tx) error) error {
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
	err := s.commit(context.WithoutCancel(ctx), batch)
	for _, w := range batch {
		w.done = true
		if w.err == nil {
			w.err = err
		}
	}
	return w.err
}

// commit runs a batch in one transaction. A change that fails is undone alone.
func (s *Store) commit(ctx context.Context, batch []*write) error {
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return s.explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	for _, w := range batch {
		if len(batch) == 1 {
			if w.err = s.explained(w.change(ctx, tx)); w.err != nil {
				return nil
			}
			break
		}
		if err := s.guarded(ctx, tx, w); err != nil {
			return s.explain(err)
		}
	}
	if err := tx.Commit(); err != nil {
		return s.explain(err)
	}
	return nil
}

// guarded runs one change of several; the error is one that ends the batch.
func (s *Store) guarded(ctx context.Context, tx *sql.Tx, w *write) error {
	if _, err := tx.ExecContext(ctx, `SAVEPOINT change`); err != nil {
		return err
	}
	if w.err = s.explained(w.change(ctx, tx)); w.err != nil {
		if _, err := tx.ExecContext(ctx, `ROLLBACK TO change`); err != nil {
			return fmt.Errorf("undo a failed change: %w", err)
		}
	}
	_, err := tx.ExecContext(ctx, `RELEASE change`)
	return err
}

// explained names the file where the fault is SQLite's and not the caller's.
func (s *Store) explained(err error) error {
	var fault *sqlite.Error
	if errors.As(err, &fault) {
		return s.explain(err)
	}
	return err
}
