PRAGMA journal_mode = WAL;
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

INSERT INTO sessions VALUES ('20261101-120000-0123abcd', 'Where is the pomegranate?', 'cli', 'm', 1793534400000, 1793534460000);
INSERT INTO messages (id, session, seq, slot, role, content, tool_call_id, tool_name, status, vendor, created_at) VALUES
	(1, '20261101-120000-0123abcd', 1, 0, 'user', 'Where is the pomegranate?', '', '', '', '', 1793534400000),
	(2, '20261101-120000-0123abcd', 2, 0, 'assistant', '', '', '', '', 'anthropic', 1793534400001),
	(3, '20261101-120000-0123abcd', 2, 1, 'tool', 'on the shelf', 'a', 'tool_call', 'ok', '', 1793534400002),
	(4, '20261101-120000-0123abcd', 3, 0, 'assistant', 'It is there.', '', '', '', 'anthropic', 1793534400003),
	(5, '20261101-120000-0123abcd', 4, 0, 'user', 'Eat it.', '', '', '', '', 1793534460000),
	(6, '20261101-120000-0123abcd', 5, 0, 'assistant', '', '', '', '', 'anthropic', 1793534460001);
INSERT INTO blocks VALUES (2, 0, CAST('{ "type":"thinking",  "signature" : "<\u003c>" }' AS BLOB));
INSERT INTO calls (session, id, message, idx, name, public, server, tool, arguments, state, status, result, started_at, done_at) VALUES
	('20261101-120000-0123abcd', 'a', 2, 0, 'tool_call', 'mcp__f__r', 'f', 'r', '{}', 'done', 'ok', 3, 1793534400001, 1793534400002),
	('20261101-120000-0123abcd', 'b', 6, 0, 'tool_call', 'mcp__f__w', 'f', 'w', '{}', 'started', '', NULL, 1793534460001, NULL),
	('20261101-120000-0123abcd', 'c', 6, 1, 'tool_call', 'mcp__f__w', 'f', 'w', '{}', 'stored', '', NULL, NULL, NULL);
INSERT INTO approvals VALUES (1, '', 'f', 'w', 'hash', 'allow', 'always', '', 1793534460001);
