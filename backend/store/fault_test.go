package store

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hermes/backend/message"
)

// faulty runs work and wants it to end with a fault of the program.
func faulty(t *testing.T, work func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("there was no fault")
		}
	}()
	work()
}

// TestFaultInATransaction: a fault of the program in the middle of a change undoes the
// change, is told to those who share its commit, and leaves a store that works.
func TestFaultInATransaction(t *testing.T) {
	ctx := context.Background()
	s, err := Open(filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id, err := s.CreateSession(ctx, Session{})
	if err != nil {
		t.Fatal(err)
	}
	row := []message.Message{{Role: message.RoleUser, Content: "q"}}
	half := func(ctx context.Context, c *conn) error {
		if _, err := c.exec(ctx, `DELETE FROM sessions`); err != nil {
			return err
		}
		panic("a fault")
	}
	faulty(t, func() { _ = s.write(ctx, half) })
	if err := s.AppendTurn(ctx, id, row); err != nil {
		t.Fatalf("after a fault nothing is stored: %v", err)
	}

	s.turnstile <- struct{}{} // somebody is writing
	var all sync.WaitGroup
	var shared error
	all.Go(func() { shared = s.AppendTurn(ctx, id, []message.Message{{Role: message.RoleAssistant, Content: "a"}}) })
	awaitQueue(t, s, 1)
	s.mu.Lock()
	batch := append(s.queue, &write{change: half})
	s.queue = nil
	s.mu.Unlock()
	faulty(t, func() { s.settle(ctx, batch) })
	<-s.turnstile
	all.Wait()
	if rows, err := s.Messages(ctx, id); err != nil || len(rows) != 1 || shared == nil {
		t.Errorf("the other change is told %v, and stored are %v, %v", shared, rows, err)
	}
}

// TestFaultFreesTheSession: a fault while a turn begins leaves the session to the next.
func TestFaultFreesTheSession(t *testing.T) {
	ctx := context.Background()
	s, err := Open(filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id, err := s.CreateSession(ctx, Session{})
	if err != nil {
		t.Fatal(err)
	}
	faulty(t, func() { _, _, _, _ = s.Begin(faultyContext{ctx, filepath.Join(filepath.Dir(s.path), "turns")}, id) })
	_, _, release, err := s.Begin(ctx, id)
	if err != nil {
		t.Fatalf("nobody has the session: %v", err)
	}
	release()
}

// faultyContext fails where it is looked at while a session is taken.
type faultyContext struct {
	context.Context
	turns string
}

func (c faultyContext) Done() <-chan struct{} {
	if taken, err := os.ReadDir(c.turns); err == nil && len(taken) > 0 {
		panic("a fault")
	}
	return c.Context.Done()
}
