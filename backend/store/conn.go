package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// conn is the one connection to the state file, with its compiled statements:
// SQLite writes one at a time anyway, statements of one connection never find
// the file locked by another of ours, and compiling costs more than running.
type conn struct {
	db   *sql.DB
	only *sql.Conn
	kept map[string]*sql.Stmt
	// reading is one of a file that cannot be written now, lacking one that leaves
	// out what stands in the log beside the file.
	reading, lacking bool
}

func (c *conn) close() error {
	var errs []error
	for _, stmt := range c.kept {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, c.only.Close(), c.db.Close())...)
}

func (c *conn) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := c.kept[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := c.only.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.kept[query] = stmt
	return stmt, nil
}

func (c *conn) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := c.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// one reads a single row into the targets; sql.ErrNoRows if there is none.
func (c *conn) one(ctx context.Context, query string, args []any, into ...any) error {
	stmt, err := c.stmt(ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, args...).Scan(into...)
}

// each runs row for every row of a query.
func (c *conn) each(ctx context.Context, query string, args []any, row func(scan func(...any) error) error) error {
	stmt, err := c.stmt(ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// transaction runs work between begin (BEGIN, or BEGIN IMMEDIATE to write) and
// COMMIT; after an error everything is undone.
func (c *conn) transaction(ctx context.Context, begin string, work func() error) error {
	if _, err := c.exec(ctx, begin); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	err := work()
	if err == nil {
		if _, err = c.exec(ctx, "COMMIT"); err == nil {
			return nil
		}
		err = fmt.Errorf("commit: %w", err)
	}
	// The caller may be gone, the transaction must not stay open. SQLite ends
	// it by itself after some faults, so this error says nothing new.
	_, _ = c.exec(context.WithoutCancel(ctx), "ROLLBACK")
	return err
}
