package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"hermes/backend/message"
	"hermes/backend/store"
)

// TestDeleteOfARunningSession: it stays as long as a program has it.
func TestDeleteOfARunningSession(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	other := startProgram(t, path, id)
	other.do("begin", "append", "start a")
	if err := s.DeleteSession(ctx, id); !errors.Is(err, store.ErrBusy) {
		t.Fatalf("got %v, want ErrBusy", err)
	}
	other.do("finish a")
	other.kill()
	must(t, s.DeleteSession(ctx, id))
	if _, err := s.Session(ctx, id); !errors.Is(err, store.ErrUnknownSession) {
		t.Errorf("got %v", err)
	}
}

// TestDeletedUnderATurn: a program that lost its session records nothing more
// and makes no half of one.
func TestDeletedUnderATurn(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	must(t, s.AppendTurn(ctx, id, []message.Message{user("q"), calls("a")}))
	db, err := sql.Open("sqlite", path+"?_pragma=foreign_keys(1)")
	must(t, err)
	_, err = db.Exec(`DELETE FROM sessions WHERE id = ?`, id)
	must(t, errors.Join(err, db.Close()))
	if err := s.MarkStarted(ctx, id, "a"); err == nil {
		t.Error("a call of a session that is gone was started")
	}
	if err := s.FinishCall(ctx, id, "a", result("a", "x")); err == nil {
		t.Error("a result of a session that is gone was stored")
	}
	if err := s.AppendTurn(ctx, id, []message.Message{user("x")}); !errors.Is(err, store.ErrUnknownSession) {
		t.Errorf("got %v", err)
	}
	if got := searched(t, s, "q"); got != "" {
		t.Errorf("found %q", got)
	}
}

// TestLongReader: somebody reads for as long as a whole conversation is written,
// searched and deleted. Nobody waits, and what is read stays of one moment.
func TestLongReader(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	must(t, s.AppendTurn(ctx, id, []message.Message{user("before"), said("x")}))
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	reader, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	must(t, err)
	count := func() (n int) {
		must(t, reader.QueryRow(`SELECT count(*) FROM messages`).Scan(&n))
		return n
	}
	if n := count(); n != 2 {
		t.Fatalf("%d rows", n)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // a wait for the reader would never end
	defer cancel()
	text := strings.Repeat("words of a long answer ", 400)
	for i := range 300 { // more than a checkpoint's worth
		must(t, s.AppendTurn(ctx, id, []message.Message{user(fmt.Sprint("question ", i)), said(text)}))
	}
	if got := searched(t, s, "question 299"); got != "before" {
		t.Errorf("found %q", got)
	}
	must(t, s.DeleteSession(ctx, id))
	if n := count(); n != 2 {
		t.Errorf("the reader sees %d rows", n)
	}
	must(t, reader.Rollback())
	if list, err := s.Sessions(ctx); err != nil || len(list) != 0 {
		t.Errorf("%d sessions, %v", len(list), err)
	}
}

// TestKilledWhileWriting kills programs in the middle of their writing; the
// others go on at once, and the file stays whole.
func TestKilledWhileWriting(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	for n := range 6 {
		other := startProgram(t, path, id)
		other.send(fmt.Sprintf("many p%d", n))
		// The moment is drawn, nothing is expected of it.
		kill := time.AfterFunc(rand.N(40*time.Millisecond), func() { _ = other.cmd.Process.Kill() })
		for i := range 10 {
			must(t, s.AppendTurn(ctx, id, []message.Message{user(fmt.Sprint("mine ", n, i))}))
		}
		kill.Stop()
		other.kill()
	}
	rows, err := s.Messages(ctx, id)
	must(t, err)
	mine := 0
	next := map[string]int{}
	for _, row := range rows {
		who, what, _ := strings.Cut(row.Content, " ")
		if who == "mine" {
			mine++
			continue
		}
		if what != fmt.Sprint(next[who]) {
			t.Errorf("%s wrote %s, want %d: a row in the middle is missing", who, what, next[who])
		}
		next[who]++
	}
	if mine != 60 {
		t.Errorf("%d rows of 60 of the one that lived", mine)
	}
	if got := searched(t, s, "mine"); got == "" {
		t.Error("nothing is found")
	}
	must(t, s.Close())
	checkWhole(t, path)
}

// checkWhole lets SQLite look at the file and at the index.
func checkWhole(t testing.TB, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	var said string
	must(t, db.QueryRow(`PRAGMA integrity_check`).Scan(&said))
	if said != "ok" {
		t.Errorf("the file is damaged: %s", said)
	}
	if rows, err := db.Query(`PRAGMA foreign_key_check`); err != nil || rows.Next() || rows.Close() != nil {
		t.Errorf("a row points nowhere, %v", err)
	}
	if _, err := db.Exec(`INSERT INTO texts (texts) VALUES ('integrity-check')`); err != nil {
		t.Errorf("the index is damaged: %v", err)
	}
}

func TestFind(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	if _, err := s.Find(ctx, "last"); !errors.Is(err, store.ErrUnknownSession) {
		t.Errorf("last of none: %v", err)
	}
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec(`INSERT INTO sessions VALUES ('aa1', '', '', '', 0, 3), ('aa12', '', '', '', 0, 9), ('ab_', '', '', '', 0, 1), ('abc', '', '', '', 0, 2)`)
	must(t, errors.Join(err, db.Close()))
	for word, want := range map[string]string{"last": "aa12", "aa1": "aa1", "aa12": "aa12", "ab_": "ab_", "abc": "abc", "aa": "!aa12, aa1", "a": "!several", "": "!'hermes sessions list' shows", "%": "!'hermes sessions list' shows", "ab%": "!'hermes sessions list' shows", "b": "!'hermes sessions list' shows", "AA1": "!'hermes sessions list' shows"} {
		found, err := s.Find(ctx, word)
		if refused, no := strings.CutPrefix(want, "!"); no {
			if !errors.Is(err, store.ErrUnknownSession) || !strings.Contains(err.Error(), refused) {
				t.Errorf("%q: %v, want %s", word, err, refused)
			}
			continue
		}
		if err != nil || found.ID != want {
			t.Errorf("%q is %s, %v; want %s", word, found.ID, err, want)
		}
	}
}
