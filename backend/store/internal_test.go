package store

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hermes/backend/message"
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

// TestFailedChangeOfABatchIsUndoneAlone makes three changes share one commit,
// the middle one failing half-way.
func TestFailedChangeOfABatchIsUndoneAlone(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	var ids [3]string
	for i := range ids {
		if ids[i], err = s.CreateSession(ctx, Session{}); err != nil {
			t.Fatal(err)
		}
	}
	s.turnstile <- struct{}{} // somebody is writing
	var all sync.WaitGroup
	var errs [3]error
	for i := range ids {
		rows := []message.Message{{Role: message.RoleUser, Content: "q"}}
		if i == 1 {
			rows = append(rows, message.Message{Role: message.RoleTool, ToolCallID: "nobody's"})
		}
		all.Go(func() { errs[i] = s.AppendTurn(ctx, ids[i], rows) })
		awaitQueue(t, s, i+1)
	}
	<-s.turnstile
	all.Wait()
	if errs[0] != nil || errs[1] == nil || errs[2] != nil {
		t.Errorf("got %v, %v, %v; want only the second to fail", errs[0], errs[1], errs[2])
	}
	for i, want := range []int{1, 0, 1} {
		if rows, err := s.Messages(ctx, ids[i]); err != nil || len(rows) != want {
			t.Errorf("session %d has %d rows, %v; want %d", i, len(rows), err, want)
		}
	}
}

// awaitQueue returns when n changes wait.
func awaitQueue(t *testing.T, s *Store, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		s.mu.Lock()
		waiting := len(s.queue)
		s.mu.Unlock()
		if waiting >= n {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%d of %d changes wait", waiting, n)
		}
	}
}

// TestBrokenConnectionIsReplaced: the connection is lost, the file is not.
func TestBrokenConnectionIsReplaced(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	if err := s.conn.only.Close(); err != nil {
		t.Fatal(err)
	}
	_, first := s.CreateSession(ctx, Session{})
	_, second := s.CreateSession(ctx, Session{})
	if first == nil || second != nil {
		t.Errorf("got %v, then %v; want one error and then none", first, second)
	}
	if list, err := s.Sessions(ctx); err != nil || len(list) != 1 {
		t.Errorf("%d sessions, %v", len(list), err)
	}
}

// TestGivingUp: whoever waits for a read may stop waiting.
func TestGivingUp(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.turnstile <- struct{}{}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Sessions(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-s.turnstile
}

// TestStoppedDeleteWaitsAgain: a connection that did not wait while it emptied the
// log waits for other programs again, also where whoever asked has gone.
func TestStoppedDeleteWaitsAgain(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		_ = s.use(t.Context(), func(c *conn) error { return c.scrub(ctx) }) // it may be stopped anywhere
		wait := 0
		err := s.use(t.Context(), func(c *conn) error { return c.one(t.Context(), "PRAGMA busy_timeout", nil, &wait) })
		if err != nil || wait != int(lockWait.Milliseconds()) {
			t.Fatalf("it waits %d ms, %v", wait, err)
		}
	}
}
