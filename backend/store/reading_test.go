package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"hermes/backend/message"
)

// TestReading: a file that cannot be written is listed, read and searched; without
// its log it says what it lacks, and a write goes the usual way.
func TestReading(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id, err := s.CreateSession(ctx, Session{Source: "cli"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AppendTurn(ctx, id, []message.Message{{Role: message.RoleUser, Content: "where is it"}}); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Search(ctx, "where", 5); err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	cause := errors.New("the disk is full")
	c, err := openReading(ctx, path, cause)
	if err != nil {
		t.Fatal(err)
	}
	if !c.reading || c.lacking {
		t.Errorf("reading %v, lacking %v", c.reading, c.lacking)
	}
	reader := New(path)
	reader.conn = c
	defer reader.Close()
	if list, err := reader.Sessions(ctx); err != nil || len(list) != 1 {
		t.Errorf("listed %v, %v", list, err)
	}
	if found, err := reader.Search(ctx, "where", 5); err != nil || len(found) != 1 {
		t.Errorf("found %v, %v", found, err)
	}
	if _, err := c.exec(ctx, `DELETE FROM sessions`); err == nil {
		t.Error("it can be written")
	}
	if err := reader.AppendTurn(ctx, id, []message.Message{{Role: message.RoleAssistant, Content: "there"}}); err != nil || reader.conn.reading {
		t.Errorf("a write after reading: %v", err)
	}
	if _, err := openReading(ctx, path+"x", cause); !errors.Is(err, cause) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.Symlink(path, path+"-link"); err != nil {
		t.Fatal(err)
	}
	if _, err := openReading(ctx, path+"-link", cause); !errors.Is(err, cause) {
		t.Errorf("a link: %v", err)
	}
	if bars(foreignFile{}) || bars(cause) || !bars(&fs.PathError{Err: fs.ErrPermission}) {
		t.Error("what bars writing is not told from what does not")
	}
}
