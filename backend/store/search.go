package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes/backend/message"
)

const (
	// maxQuery bounds what is looked for, in characters.
	maxQuery = 2048
	// indexAtOnce is how many rows are indexed in one transaction, so that a
	// running turn does not wait long.
	indexAtOnce = 500
	// snippetWords is how much is shown around what was found.
	snippetWords = 16
	// maskedSnippet is how much is shown where what was found is not, in characters.
	maskedSnippet = 120
)

// Found is a session in which something was found: the best row, and a piece of
// its text on one line.
type Found struct {
	Session Session
	Role    message.Role
	At      time.Time
	Snippet string
}

// Search looks for words in all stored sessions, also in rows that a summary
// stands for, and gives at most limit sessions, the best first. Words are parted
// and compared as Unicode has it, without case and accents; all of them have to
// be in one row, each at least as the beginning of a word, and what stands in
// quotes exactly. No text is an error; where there is nothing to look for,
// nothing is found.
func (s *Store) Search(ctx context.Context, query string, limit int) ([]Found, error) {
	return s.SearchShown(ctx, query, limit, nil)
}

// SearchShown is Search whose pieces are of texts as mask leaves them, nil as they
// are stored.
func (s *Store) SearchShown(ctx context.Context, query string, limit int, mask func(string) string) ([]Found, error) {
	match := matching(query)
	if match == "" || limit < 1 {
		return nil, nil
	}
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	var out []Found
	err := s.use(ctx, func(c *conn) error {
		return c.transaction(ctx, "BEGIN", func() error {
			ids, err := c.best(ctx, match, limit)
			if err != nil {
				return fmt.Errorf("search the sessions: %w", err)
			}
			for _, id := range ids {
				found, err := c.show(ctx, id, match, mask)
				if err != nil {
					return fmt.Errorf("show what was found: %w", err)
				}
				out = append(out, found)
			}
			return nil
		})
	})
	return out, err
}

// best gives the best row of each session, the best first.
func (c *conn) best(ctx context.Context, match string, limit int) ([]int64, error) {
	enough := errors.New("enough")
	var ids []int64
	seen := map[string]bool{}
	err := c.each(ctx, `SELECT m.id, m.session FROM texts JOIN messages m ON m.id = texts.rowid WHERE texts MATCH ? ORDER BY rank, m.id DESC`, []any{match}, func(scan func(...any) error) error {
		var id int64
		var session string
		if err := scan(&id, &session); err != nil {
			return err
		}
		if !seen[session] {
			seen[session] = true
			ids = append(ids, id)
		}
		if len(ids) == limit {
			return enough
		}
		return nil
	})
	if errors.Is(err, enough) {
		err = nil
	}
	return ids, err
}

// show reads a row that was found. The index holds no text, so the piece is cut
// by an index of this row alone, in memory.
func (c *conn) show(ctx context.Context, id int64, match string, mask func(string) string) (Found, error) {
	row, session, err := c.row(ctx, id)
	if err != nil {
		return Found{}, err
	}
	row = row.masked(mask)
	found := Found{Role: row.Role, At: row.At}
	if found.Session, err = c.session(ctx, session); err != nil {
		return Found{}, err
	}
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`CREATE VIRTUAL TABLE IF NOT EXISTS temp.shown USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')`, nil},
		{`DELETE FROM temp.shown`, nil},
		{`INSERT INTO temp.shown (text) VALUES (?)`, []any{searchText(row)}},
	} {
		if _, err := c.exec(ctx, step.query, step.args...); err != nil {
			return Found{}, err
		}
	}
	err = c.one(ctx, `SELECT snippet(shown, 0, '', '', '…', ?) FROM temp.shown WHERE shown MATCH ?`, []any{snippetWords, match}, &found.Snippet)
	if errors.Is(err, sql.ErrNoRows) {
		// What was found is masked.
		found.Snippet, err = firstRunes(searchText(row), maskedSnippet), nil
	}
	piece := strings.ReplaceAll(found.Snippet, string(joint), "")
	found.Snippet = strings.Join(strings.Fields(unfolded(piece, plainText(row))), " ")
	return found, err
}

// row reads one row without its blocks.
func (c *conn) row(ctx context.Context, id int64) (row Row, session string, err error) {
	var created int64
	err = c.one(ctx, `SELECT session, role, content, status, created_at, active, summary FROM messages WHERE id = ?`, []any{id},
		&session, &row.Role, &row.Content, &row.Status, &created, &row.Active, &row.Summary)
	if err != nil {
		return row, "", err
	}
	err = c.each(ctx, `SELECT name, public, arguments FROM calls WHERE message = ? ORDER BY idx`, []any{id}, func(scan func(...any) error) error {
		var call message.ToolCall
		err := scan(&call.Name, &call.Target.Name, &call.Arguments)
		row.ToolCalls = append(row.ToolCalls, call)
		return err
	})
	row.At = time.UnixMilli(created).UTC()
	return row, session, err
}

// catchUp indexes the rows that were stored since the last search.
func (s *Store) catchUp(ctx context.Context) error {
	for {
		some := false
		err := s.use(ctx, func(c *conn) error {
			if c.reading {
				return nil // what is not indexed yet is not found
			}
			return c.one(ctx, `SELECT EXISTS (SELECT 1 FROM unindexed)`, nil, &some)
		})
		if err != nil || !some {
			return err
		}
		if err := s.write(ctx, indexSome); err != nil {
			return fmt.Errorf("index what was stored: %w", err)
		}
	}
}

func indexSome(ctx context.Context, c *conn) error {
	var ids []int64
	err := c.each(ctx, `SELECT id FROM unindexed ORDER BY id LIMIT ?`, []any{indexAtOnce}, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		row, _, err := c.row(ctx, id)
		if err != nil {
			return err
		}
		if text := searchText(row); text != "" {
			if _, err := c.exec(ctx, `INSERT INTO texts (rowid, text) VALUES (?, ?)`, id, text); err != nil {
				return err
			}
		}
		if _, err := c.exec(ctx, `DELETE FROM unindexed WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}
