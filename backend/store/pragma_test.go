package store

import (
	"context"
	"path/filepath"
	"testing"
)

// TestFileModes looks at the settings that only a power cut would show, on a
// file just made and on one that was there.
func TestFileModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	for _, name := range []string{"new", "existing"} {
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000"} {
			var got string
			err := s.use(context.Background(), func(c *conn) error { return c.one(context.Background(), "PRAGMA "+pragma, nil, &got) })
			if err != nil || got != want {
				t.Errorf("%s file: %s is %s, %v; want %s", name, pragma, got, err, want)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
