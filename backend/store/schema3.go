package store

// schema3 lets the index be made anew by the next search: since then its texts are
// folded.
const schema3 = `
INSERT INTO texts (texts) VALUES ('delete-all');
INSERT OR IGNORE INTO unindexed SELECT id FROM messages;

UPDATE schema_version SET version = 3;
`
