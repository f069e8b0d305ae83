package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"hermes/backend/message"
)

// maxTitle bounds a title taken from the first question, in characters.
const maxTitle = 80

// Session describes one stored conversation. Source is the face it began in,
// Model the last one that was asked. Messages counts all rows, also those a
// summary stands for, and no summary. Usage and Cost, in US dollars, are sums
// over its models; the cost is known only where it is Priced.
type Session struct {
	ID       string
	Title    string
	Source   string
	Model    string
	Created  time.Time
	Updated  time.Time
	Messages int
	Usage    message.Usage
	Cost     float64
	Priced   bool
}

// CreateSession stores a new session and returns its id; of the description
// only Title, Source and Model are used. Without a title the first question
// becomes it.
func (s *Store) CreateSession(ctx context.Context, describe Session) (string, error) {
	now := s.now()
	id, err := newID(now)
	if err != nil {
		return "", err
	}
	describe.ID, describe.Created = id, now
	return id, s.write(ctx, func(ctx context.Context, c *conn) error { return c.insertSession(ctx, describe) })
}

func (c *conn) insertSession(ctx context.Context, s Session) error {
	_, err := c.exec(ctx, `INSERT INTO sessions (id, title, source, model, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)`,
		s.ID, s.Title, s.Source, s.Model, s.Created.UnixMilli(), s.Created.UnixMilli())
	if err != nil {
		return fmt.Errorf("store a new session: %w", err)
	}
	return nil
}

// newID sorts by time and is safe as a file name.
func newID(now time.Time) (string, error) {
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("make a session id: %w", err)
	}
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(random[:]), nil
}

const sessionColumns = `s.id, s.title, s.source, s.model, s.created_at, s.updated_at,
	(SELECT count(*) FROM messages m WHERE m.session = s.id AND m.slot >= 0),
	coalesce(u.input, 0), coalesce(u.output, 0), coalesce(u.cache_read, 0), coalesce(u.cache_write, 0), coalesce(u.cost, 0), coalesce(u.priced, 0)
	FROM sessions s LEFT JOIN (SELECT session, sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write,
		sum(cost) AS cost, min(priced) AS priced FROM usage GROUP BY session) u ON u.session = s.id`

func scanSession(scan func(...any) error) (Session, error) {
	var out Session
	var created, updated int64
	if err := scan(&out.ID, &out.Title, &out.Source, &out.Model, &created, &updated, &out.Messages,
		&out.Usage.InputTokens, &out.Usage.OutputTokens, &out.Usage.CacheRead, &out.Usage.CacheWrite, &out.Cost, &out.Priced); err != nil {
		return Session{}, err
	}
	out.Created, out.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	return out, nil
}

// Sessions lists all sessions, the one used last first.
func (s *Store) Sessions(ctx context.Context) ([]Session, error) {
	var out []Session
	err := s.use(ctx, func(c *conn) error {
		return c.each(ctx, `SELECT `+sessionColumns+` ORDER BY s.updated_at DESC, s.id DESC`, nil, func(scan func(...any) error) error {
			session, err := scanSession(scan)
			out = append(out, session)
			return err
		})
	})
	return out, err
}

// Session describes one session; ErrUnknownSession if there is none of that id.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	if promised, is := s.Promised(id); is {
		return promised, nil
	}
	var out Session
	err := s.use(ctx, func(c *conn) error {
		var err error
		out, err = c.session(ctx, id)
		return err
	})
	return out, err
}

func (c *conn) session(ctx context.Context, id string) (Session, error) {
	session, err := scanSession(func(into ...any) error {
		return c.one(ctx, `SELECT `+sessionColumns+` WHERE s.id = ?`, []any{id}, into...)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, unknown(id)
	}
	return session, err
}

func unknown(id string) error {
	return fmt.Errorf("%w %q: 'hermes sessions list' shows those there are", ErrUnknownSession, id)
}

// touch marks a session as used and gives it a title if it has none.
func touch(ctx context.Context, c *conn, session string, now time.Time, rows []message.Message) error {
	title := ""
	for _, row := range rows {
		if row.Role == message.RoleUser {
			title = firstLine(row.Content)
			break
		}
	}
	done, err := c.exec(ctx, `UPDATE sessions SET updated_at = ?, title = CASE title WHEN '' THEN ? ELSE title END WHERE id = ?`, now.UnixMilli(), title, session)
	if err != nil {
		return fmt.Errorf("touch session %s: %w", session, err)
	}
	if n, err := done.RowsAffected(); err == nil && n == 0 {
		return unknown(session)
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) > maxTitle {
		line = string([]rune(line)[:maxTitle-1]) + "…"
	}
	return line
}
