package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// lockPause is the pause between two tries for a lock that SQLite itself does not
// wait for.
const lockPause = 5 * time.Millisecond

// schema1 is the first layout. A result row has the seq of the assistant row it
// answers and slot 1 + the index of its call, so the order of a conversation is
// a key, not the order of writing, and a second result of one call cannot be
// stored. Blocks are the vendor's bytes. Times are Unix milliseconds.
const schema1 = `
CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
INSERT INTO schema_version VALUES (1);

CREATE TABLE sessions (
	id         TEXT PRIMARY KEY,
	title      TEXT NOT NULL,
	source     TEXT NOT NULL,
	model      TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE messages (
	id           INTEGER PRIMARY KEY,
	session      TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
	seq          INTEGER NOT NULL,
	slot         INTEGER NOT NULL,
	role         TEXT NOT NULL,
	content      TEXT NOT NULL,
	tool_call_id TEXT NOT NULL,
	tool_name    TEXT NOT NULL,
	status       TEXT NOT NULL,
	vendor       TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	UNIQUE (session, seq, slot)
) STRICT;

CREATE TABLE blocks (
	message INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
	idx     INTEGER NOT NULL,
	raw     BLOB NOT NULL,
	PRIMARY KEY (message, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE calls (
	session    TEXT NOT NULL,
	id         TEXT NOT NULL,
	message    INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
	idx        INTEGER NOT NULL,
	name       TEXT NOT NULL,
	public     TEXT NOT NULL,
	server     TEXT NOT NULL,
	tool       TEXT NOT NULL,
	arguments  TEXT NOT NULL,
	state      TEXT NOT NULL CHECK (state IN ('stored', 'started', 'done')),
	status     TEXT NOT NULL,
	result     INTEGER REFERENCES messages(id),
	started_at INTEGER,
	done_at    INTEGER,
	PRIMARY KEY (session, id),
	UNIQUE (message, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_unfinished ON calls(session) WHERE state <> 'done';
CREATE INDEX calls_result ON calls(result);

CREATE TABLE approvals (
	id              INTEGER PRIMARY KEY,
	session         TEXT NOT NULL,
	server          TEXT NOT NULL,
	tool            TEXT NOT NULL,
	definition_hash TEXT NOT NULL,
	decision        TEXT NOT NULL CHECK (decision IN ('allow', 'deny')),
	scope           TEXT NOT NULL CHECK (scope IN ('once', 'session', 'always')),
	reason          TEXT NOT NULL,
	created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX approvals_tool ON approvals(server, tool);

CREATE TABLE audit (
	id       INTEGER PRIMARY KEY,
	at       INTEGER NOT NULL,
	session  TEXT NOT NULL,
	call     TEXT NOT NULL,
	event    TEXT NOT NULL,
	server   TEXT NOT NULL,
	tool     TEXT NOT NULL,
	decision TEXT NOT NULL,
	reason   TEXT NOT NULL
) STRICT;
`

// migrations are the steps from an empty file to the newest schema; step i
// leads from version i to version i+1 and is never changed once released.
func migrations() []string { return []string{schema1, schema2, schema3} }

// migrate brings the file to the newest schema under the write lock, so that
// two programs that start together do it once.
func migrate(ctx context.Context, c *conn) error {
	steps := migrations()
	version, err := schemaVersion(ctx, c)
	if err != nil || version == len(steps) {
		return err
	}
	if version == 0 {
		// A new file holds nothing to lose yet: it is laid out without waiting
		// for the disk at each step, and made durable once at the end. The
		// write-ahead log stays the file's mode for good.
		if err := beginLog(ctx, c); err != nil {
			return fmt.Errorf("lay out a new file: %w", err)
		}
	}
	if err := c.transaction(ctx, "BEGIN IMMEDIATE", func() error { return runSteps(ctx, c, steps) }); err != nil {
		return err
	}
	if _, err := c.only.ExecContext(ctx, `PRAGMA synchronous = FULL; PRAGMA wal_checkpoint`); err != nil {
		return fmt.Errorf("make the layout durable: %w", err)
	}
	return nil
}

// beginLog turns to the write-ahead log. SQLite does not wait for a lock there
// where several programs turn at once, so the waiting is done here.
func beginLog(ctx context.Context, c *conn) error {
	for late := time.Now().Add(lockWait); ; {
		_, err := c.only.ExecContext(ctx, `PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL`)
		var fault *sqlite.Error
		if !errors.As(err, &fault) || fault.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(late) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

func runSteps(ctx context.Context, c *conn, steps []string) error {
	version, err := schemaVersion(ctx, c)
	if err != nil {
		return err
	}
	if version > len(steps) {
		return fmt.Errorf("it was written by a newer Hermes (schema %d, this one knows %d): update Hermes, or use another home", version, len(steps))
	}
	for ; version < len(steps); version++ {
		if _, err := c.only.ExecContext(ctx, steps[version]); err != nil {
			return fmt.Errorf("bring the schema from version %d to %d: %w", version, version+1, err)
		}
	}
	return nil
}

// schemaVersion is 0 for an empty file.
func schemaVersion(ctx context.Context, c *conn) (int, error) {
	var tables, version int
	if err := c.one(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'`, nil, &tables); err != nil {
		return 0, fmt.Errorf("read its schema: %w", err)
	}
	if tables == 0 {
		return 0, nil
	}
	err := c.one(ctx, `SELECT version FROM schema_version`, nil, &version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, errors.New("its schema_version is empty: it is damaged or was not written by Hermes")
	}
	if err != nil {
		return 0, fmt.Errorf("read its schema version: %w", err)
	}
	return version, nil
}
