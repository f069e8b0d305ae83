package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"hermes/backend/native"
)

// bars tells that a file could not be opened because nothing can be written: the
// home is read-only, or the disk is full, so that SQLite cannot make what it needs
// beside the file.
func bars(err error) bool {
	var path *fs.PathError
	if errors.As(err, &path) {
		return !errors.Is(err, fs.ErrNotExist)
	}
	var fault *sqlite.Error
	if !errors.As(err, &fault) {
		return false
	}
	switch fault.Code() & 0xff {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL:
		return true
	}
	return false
}

// openReading opens a file that cannot be written, as far as SQLite allows: whole,
// else as it stands without the log beside it. cause is why it could not be opened
// otherwise, and the error where this does not work either.
func openReading(ctx context.Context, path string, cause error) (*conn, error) {
	if native.Check(filepath.Dir(path)) != nil {
		return nil, cause
	}
	for _, place := range []string{path, path + "-wal", path + "-shm", path + "-journal"} {
		info, err := os.Lstat(place)
		if err == nil && !info.Mode().IsRegular() || err != nil && (place == path || !errors.Is(err, fs.ErrNotExist)) {
			return nil, cause
		}
	}
	for _, query := range []url.Values{{"mode": {"ro"}}, {"mode": {"ro"}, "immutable": {"1"}}} {
		c, err := connect(ctx, path, query)
		if err != nil {
			continue
		}
		version, err := schemaVersion(ctx, c)
		if err == nil && version != len(migrations()) {
			cause = fmt.Errorf("its layout is of another Hermes, and it cannot be brought up to date: %w", cause)
		}
		if err == nil && version == len(migrations()) {
			log, _ := os.Stat(path + "-wal")
			c.reading, c.lacking = true, query.Has("immutable") && log != nil && log.Size() > 0
			return c, nil
		}
		_ = c.close() // nothing was read with it
	}
	return nil, cause
}

// Lacking tells whether the file is one that cannot be written and could only be
// read without what was stored last.
func (s *Store) Lacking(ctx context.Context) bool {
	lacking := false
	_ = s.use(ctx, func(c *conn) error { lacking = c.lacking; return nil })
	return lacking
}
