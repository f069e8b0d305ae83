package store_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"hermes/backend/message"
	"hermes/backend/store"
)

// TestPromise: a session that was only named is there for its turn and stands in
// no file and no list until its first row does.
func TestPromise(t *testing.T) {
	path := t.TempDir() + "/state.db"
	s := store.New(path)
	ctx := context.Background()
	id, err := s.PromiseSession(store.Session{Source: "cli", Model: "m"})
	must(t, err)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("naming a session made a file: %v", err)
	}
	for name, find := range map[string]func() (store.Session, error){
		"Session": func() (store.Session, error) { return s.Session(ctx, id) },
		"Find":    func() (store.Session, error) { return s.Find(ctx, id) },
	} {
		if found, err := find(); err != nil || found.ID != id || found.Model != "m" || found.Created.IsZero() {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
	if rows, err := s.Rows(ctx, id); err != nil || len(rows) != 0 {
		t.Errorf("rows %v, %v", rows, err)
	}
	_, _, release, err := s.Begin(ctx, id)
	must(t, err)
	release()
	if list, err := s.Sessions(ctx); err != nil || len(list) != 0 {
		t.Errorf("an empty session is listed: %v, %v", list, err)
	}
	// A row that is refused keeps nothing of it.
	if err := s.AppendTurn(ctx, id, []message.Message{{Role: message.RoleTool, ToolCallID: "none"}}); err == nil {
		t.Error("a result without a call was stored")
	}
	if list, err := s.Sessions(ctx); err != nil || len(list) != 0 {
		t.Errorf("an empty session is listed: %v, %v", list, err)
	}
	must(t, s.AppendTurn(ctx, id, []message.Message{user("first")}))
	must(t, s.AppendTurn(ctx, id, []message.Message{{Role: message.RoleAssistant, Content: "second"}}))
	list, err := s.Sessions(ctx)
	must(t, err)
	if len(list) != 1 || list[0].ID != id || list[0].Title != "first" || list[0].Messages != 2 || list[0].Source != "cli" {
		t.Errorf("listed %+v", list)
	}
	must(t, s.DeleteSession(ctx, id))
	if err := s.AppendTurn(ctx, id, []message.Message{user("again")}); !errors.Is(err, store.ErrUnknownSession) {
		t.Errorf("a deleted session came back: %v", err)
	}
	must(t, s.Close())
}
