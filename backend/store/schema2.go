package store

// schema2 adds what the approvals, the search and the compaction need. A new row
// is only noted as not yet indexed, by a trigger, so that a turn does not wait for
// the index and the rows of an older Hermes that is still running are found too:
// Search does the indexing when it is asked. The index holds no text, only where
// words are, and a trigger tells it of deleted rows. A summary has the seq of the first row that was kept and the slot -1:
// no stored row moves. A call is read-only only where that was known, for sure,
// when it was stored.
const schema2 = `
ALTER TABLE calls ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0;

ALTER TABLE messages ADD COLUMN active INTEGER NOT NULL DEFAULT 1;
ALTER TABLE messages ADD COLUMN summary INTEGER NOT NULL DEFAULT 0;

ALTER TABLE approvals ADD COLUMN identity TEXT NOT NULL DEFAULT '';

CREATE TABLE usage (
	session     TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
	model       TEXT NOT NULL,
	input       INTEGER NOT NULL,
	output      INTEGER NOT NULL,
	cache_read  INTEGER NOT NULL,
	cache_write INTEGER NOT NULL,
	cost        REAL NOT NULL,
	priced      INTEGER NOT NULL,
	PRIMARY KEY (session, model)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE texts USING fts5(text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE unindexed (id INTEGER PRIMARY KEY) STRICT;
INSERT INTO unindexed SELECT id FROM messages;
CREATE TRIGGER messages_new AFTER INSERT ON messages BEGIN
	INSERT INTO unindexed VALUES (new.id);
END;
CREATE TRIGGER messages_gone AFTER DELETE ON messages BEGIN
	DELETE FROM texts WHERE rowid = old.id;
	DELETE FROM unindexed WHERE id = old.id;
END;

UPDATE schema_version SET version = 2;
`
