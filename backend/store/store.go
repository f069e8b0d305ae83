package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// lockWait is how long a write waits for another program on the same home.
const lockWait = 10 * time.Second

// ErrUnknownSession is the cause where a session id is not in the store.
var ErrUnknownSession = errors.New("unknown session")

// ErrBusy is the cause where another turn runs on the session, in this program
// or in another one on the same home.
var ErrBusy = errors.New("the session is in use")

// Store is one state file. It is opened by the first method that needs it, so
// that a command without a conversation pays nothing. All methods may be called
// from any goroutine. Several programs may use one file.
type Store struct {
	path string
	now  func() time.Time

	mu       sync.Mutex
	queue    []*write
	promises map[string]Session

	// turnstile holds a token while the connection is in use; what follows
	// belongs to whoever put it there.
	turnstile chan struct{}
	conn      *conn
	closed    bool
}

// New names a state file without touching it.
func New(path string) *Store {
	return &Store{path: path, now: time.Now, turnstile: make(chan struct{}, 1)}
}

// Open is New for a caller who wants to know now whether the file can be used.
func Open(path string) (*Store, error) {
	s := New(path)
	s.turnstile <- struct{}{}
	defer func() { <-s.turnstile }()
	if err := s.useHeld(context.Background(), false, func(*conn) error { return nil }); err != nil {
		return nil, err
	}
	return s, nil
}

// Close waits for the work in progress and closes the file.
func (s *Store) Close() error {
	s.turnstile <- struct{}{}
	defer func() { <-s.turnstile }()
	s.closed = true
	if s.conn == nil {
		return nil
	}
	err := s.conn.close()
	s.conn = nil
	return err
}

// use runs work with the connection, alone. The file is opened the first time;
// a failure is not remembered: what was mended works at the next call.
func (s *Store) use(ctx context.Context, work func(*conn) error) error {
	select {
	case s.turnstile <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.turnstile }()
	return s.useHeld(ctx, true, work)
}

// useHeld is use for whoever holds the turnstile. Where the file cannot be opened
// to be written, reads takes one that can only be read. Faults of SQLite's own are
// told with the file and what to do.
func (s *Store) useHeld(ctx context.Context, reads bool, work func(*conn) error) error {
	if s.closed {
		return errors.New("the session store is closed")
	}
	if s.conn != nil && s.conn.reading && !reads {
		_ = s.conn.close() // nothing was written with it
		s.conn = nil
	}
	if s.conn == nil {
		opened, err := openFile(ctx, s.path)
		if err != nil && reads && bars(err) {
			opened, err = openReading(ctx, s.path, err)
		}
		if err != nil {
			return s.explain(err)
		}
		s.conn = opened
	}
	broken := true // also by a fault of the program, which leaves a transaction open
	defer func() {
		if broken {
			_ = s.conn.close() // the next use opens the file anew
			s.conn = nil
		}
	}()
	err := work(s.conn)
	broken = errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn)
	return s.explained(err)
}

// explain says which file it is about and what to do.
func (s *Store) explain(err error) error {
	var told *fileError
	if errors.As(err, &told) {
		return err
	}
	hint := ""
	var pathErr *fs.PathError
	var sqlErr *sqlite.Error
	code := 0
	if errors.As(err, &sqlErr) {
		code = sqlErr.Code() & 0xff
	}
	switch {
	case errors.As(err, &pathErr), code == sqlite3.SQLITE_READONLY, code == sqlite3.SQLITE_PERM, code == sqlite3.SQLITE_CANTOPEN:
		hint = ": sessions need a home that can be written; make it writable, or choose another one with HERMES_HOME or --profile"
	case code == sqlite3.SQLITE_NOTADB, code == sqlite3.SQLITE_CORRUPT:
		hint = ": the file is damaged or is not ours; move it away and Hermes starts a new one"
	case code == sqlite3.SQLITE_BUSY:
		hint = ": another program held the file too long; try again when it has finished"
	case code == sqlite3.SQLITE_FULL:
		hint = ": the disk is full; free some space"
	case code == sqlite3.SQLITE_IOERR:
		hint = ": the disk may be full, or it fails; free some space and try again"
	}
	return &fileError{path: s.path, hint: hint, cause: err}
}

// explained is explain for faults that are SQLite's and not the caller's.
func (s *Store) explained(err error) error {
	var fault *sqlite.Error
	if errors.As(err, &fault) {
		return s.explain(err)
	}
	return err
}

// fileError names the state file and what to do about its fault.
type fileError struct {
	path, hint string
	cause      error
}

func (e *fileError) Error() string {
	return fmt.Sprintf("session store %s: %v%s", e.path, e.cause, e.hint)
}

func (e *fileError) Unwrap() error { return e.cause }

func openFile(ctx context.Context, path string) (*conn, error) {
	if err := prepare(path); err != nil {
		return nil, err
	}
	c, err := connect(ctx, path, url.Values{})
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, c); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// connect opens the one connection, with further parameters of SQLite's.
func connect(ctx context.Context, path string, query url.Values) (*conn, error) {
	query["_pragma"] = []string{
		fmt.Sprintf("busy_timeout(%d)", lockWait.Milliseconds()),
		// FULL: a row that was announced survives a power cut, not only a crash.
		"synchronous(FULL)",
		"foreign_keys(ON)",
		// What a person deleted is overwritten, and no copy of it is put into a
		// folder for temporary files.
		"secure_delete(ON)",
		"temp_store(MEMORY)",
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}
	c := &conn{db: db, kept: map[string]*sql.Stmt{}}
	if c.only, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return c, nil
}
