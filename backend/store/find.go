package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// LastWord names the session that was used last, where a person names one.
const LastWord = "last"

// Find gives the session a person means: its id, the beginning of the id of no
// other, or LastWord. ErrUnknownSession: there is none, or there are several.
func (s *Store) Find(ctx context.Context, word string) (Session, error) {
	if promised, is := s.Promised(word); is {
		return promised, nil
	}
	var out Session
	err := s.use(ctx, func(c *conn) error {
		id, err := c.find(ctx, word)
		if err != nil {
			return err
		}
		out, err = c.session(ctx, id)
		return err
	})
	return out, err
}

func (c *conn) find(ctx context.Context, word string) (string, error) {
	var id string
	if word == LastWord {
		err := c.one(ctx, `SELECT id FROM sessions ORDER BY updated_at DESC, id DESC LIMIT 1`, nil, &id)
		if errors.Is(err, sql.ErrNoRows) {
			return "", fmt.Errorf("%w %q: no session was stored yet", ErrUnknownSession, word)
		}
		return id, err
	}
	var ids []string
	err := c.each(ctx, `SELECT id FROM sessions WHERE ? <> '' AND substr(id, 1, length(?)) = ? ORDER BY id = ? DESC, id DESC LIMIT 4`, []any{word, word, word, word}, func(scan func(...any) error) error {
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", unknown(word)
	case len(ids) == 1 || ids[0] == word:
		return ids[0], nil
	}
	return "", fmt.Errorf("%w %q: several begin so (%s): give more of the id", ErrUnknownSession, word, strings.Join(ids, ", "))
}
