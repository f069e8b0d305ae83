package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"hermes/backend/message"
	"hermes/backend/store"
)

// Deleting asks, says what it is about, and takes nothing for a no.
func TestDeleteSessionInATerminal(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	writeFile(t, filepath.Join(home, "config.yaml"), "model: gpt\n")
	s := store.New(filepath.Join(home, "native", "state.db"))
	ctx := context.Background()
	id, err := s.CreateSession(ctx, store.Session{})
	err = errors.Join(err, s.AppendTurn(ctx, id, []message.Message{{Role: message.RoleUser, Content: "Where is the \x1b[31mlamp?"}}))
	if err != nil {
		t.Fatal(err)
	}
	left := func() int {
		list, err := s.Sessions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	for _, answer := range []string{"n\r", "\r"} {
		p := sit(t, home, "sessions", "delete", "last")
		p.reads("Delete session " + id + " (Where is the \\x1b[31mlamp?, 1 messages) for good?").types(answer).reads("Not deleted.")
		p.leaves(1)
	}
	if n := left(); n != 1 {
		t.Fatalf("%d sessions are left after a no", n)
	}
	p := sit(t, home, "sessions", "delete", id[:12])
	p.reads("for good?").types("y\r").reads("Deleted " + id)
	p.leaves(0)
	if n := left(); n != 0 {
		t.Errorf("%d sessions are left after a yes", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
