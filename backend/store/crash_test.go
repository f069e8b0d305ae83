package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"hermes/backend/message"
	"hermes/backend/store"
)

// child is another program on the same home: it does what the parent asks and
// is killed by it.
func child(path string) {
	ctx := context.Background()
	fail := func(err error) {
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
	s, err := store.Open(path)
	fail(err)
	session := os.Getenv("HERMES_TEST_SESSION")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		word, id, _ := strings.Cut(in.Text(), " ")
		switch word {
		case "begin":
			_, _, _, err = s.Begin(ctx, session)
		case "append":
			err = s.AppendTurn(ctx, session, []message.Message{user("q"), calls("a", "b", "c", "d")})
		case "start":
			err = s.MarkStarted(ctx, session, id)
		case "finish":
			err = s.FinishCall(ctx, session, id, result(id, "real"))
		case "list":
			_, err = s.Sessions(ctx)
		case "many":
			for i := range 50 {
				fail(s.AppendTurn(ctx, session, []message.Message{user(fmt.Sprintf("%s %d", id, i))}))
			}
		}
		fail(err)
		fmt.Println("ok")
	}
	os.Exit(0)
}

type program struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Scanner
}

func startProgram(t *testing.T, path, session string) *program {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HERMES_TEST_STORE="+path, "HERMES_TEST_SESSION="+session)
	read, write, err := os.Pipe()
	must(t, err)
	cmd.Stdin = read
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	must(t, read.Close())
	p := &program{t, cmd, write, bufio.NewScanner(out)}
	t.Cleanup(p.kill)
	return p
}

func (p *program) send(line string) {
	p.t.Helper()
	_, err := fmt.Fprintln(p.in, line)
	must(p.t, err)
}

func (p *program) wait() {
	p.t.Helper()
	if !p.out.Scan() || p.out.Text() != "ok" {
		p.t.Fatalf("the other program said %q, %v", p.out.Text(), p.out.Err())
	}
}

func (p *program) do(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		p.send(line)
		p.wait()
	}
}

// kill is SIGKILL: nothing of the program's own runs any more.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	_ = p.in.Close()
}

func TestRecoverAfterKill(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		name      string
		steps     string
		recovered string
	}{
		{"before the turn", "begin", ""},
		{"between append and run", "begin|append", "tool a interrupted; tool b interrupted; tool c interrupted; tool d interrupted"},
		{"while calls run", "begin|append|start a|start c|finish c", "tool a unknown; tool b interrupted; tool d interrupted"},
		{"after the last result", "begin|append|start a|finish a|finish b|finish c|start d|finish d", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, path := openStore(t)
			id := newSession(t, s)
			other := startProgram(t, path, id)
			other.do(strings.Split(test.steps, "|")...)
			if _, err := s.Recover(ctx, id); !errors.Is(err, store.ErrBusy) {
				t.Fatalf("the turn runs, and Recover said %v, want ErrBusy", err)
			}
			other.kill()
			history, recovered, release, err := s.Begin(ctx, id)
			must(t, err)
			release()
			if got := contents(recovered); got != test.recovered {
				t.Errorf("recovered %s, want %s", got, test.recovered)
			}
			if strings.Contains(test.steps, "append") {
				rows := 0
				for _, row := range history {
					if row.Role == message.RoleTool {
						rows++
					}
				}
				if rows != 4 {
					t.Errorf("%d result rows for 4 calls", rows)
				}
				must(t, s.AppendTurn(ctx, id, []message.Message{user("next")}))
			}
			if again, err := s.Recover(ctx, id); err != nil || len(again) != 0 {
				t.Errorf("a second recovery wrote %s, %v", contents(again), err)
			}
			if err := s.MarkStarted(ctx, id, "b"); err == nil {
				t.Error("a recovered call can be started again")
			}
		})
	}
}

func TestOneTurnPerSession(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	id, other := newSession(t, s), newSession(t, s)
	_, _, release, err := s.Begin(ctx, id)
	must(t, err)
	if _, _, _, err := s.Begin(ctx, id); !errors.Is(err, store.ErrBusy) {
		t.Errorf("two turns on one session: %v, want ErrBusy", err)
	}
	_, _, releaseOther, err := s.Begin(ctx, other)
	must(t, err)
	releaseOther()
	release()
	_, _, release, err = s.Begin(ctx, id)
	must(t, err)
	release()
}

func TestTwoPrograms(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	programs := []*program{startProgram(t, path, id), startProgram(t, path, id)}
	for i, p := range programs {
		p.send(fmt.Sprintf("many p%d", i))
	}
	for i := range 50 {
		must(t, s.AppendTurn(ctx, id, []message.Message{user(fmt.Sprintf("p2 %d", i))}))
	}
	for _, p := range programs {
		p.wait()
	}
	rows, err := s.Messages(ctx, id)
	must(t, err)
	if len(rows) != 150 {
		t.Fatalf("%d rows of 150", len(rows))
	}
	next := map[string]int{}
	for _, row := range rows {
		who, n, _ := strings.Cut(row.Content, " ")
		if want := fmt.Sprint(next[who]); n != want {
			t.Fatalf("%s wrote %s, want %s: the order of one writer was lost", who, n, want)
		}
		next[who]++
	}
}

// TestProgramsStartTogether opens one new file from many at the same moment.
func TestProgramsStartTogether(t *testing.T) {
	for range 5 {
		path := t.TempDir() + "/native/state.db"
		var all sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			all.Go(func() {
				s, err := store.Open(path)
				if err != nil {
					errs[i] = err
					return
				}
				_, createErr := s.CreateSession(context.Background(), store.Session{})
				errs[i] = errors.Join(createErr, s.Close())
			})
		}
		all.Wait()
		must(t, errors.Join(errs...))
		s := reopen(t, path)
		if list, err := s.Sessions(context.Background()); err != nil || len(list) != len(errs) {
			t.Errorf("%d sessions of %d, %v", len(list), len(errs), err)
		}
	}
}

// TestConcurrentWritesShareCommits sends many changes at once, one of them bad.
func TestConcurrentWritesShareCommits(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	ids := strings.Split("abcdefghijklmnopqrst", "")
	must(t, s.AppendTurn(ctx, id, []message.Message{user("q"), calls(ids...)}))
	var all sync.WaitGroup
	for _, call := range ids {
		all.Go(func() {
			if err := s.MarkStarted(ctx, id, call); err != nil {
				t.Error(err)
			}
			if err := s.MarkStarted(ctx, id, call); err == nil {
				t.Errorf("call %s was started twice", call)
			}
			if err := s.FinishCall(ctx, id, call, result(call, call)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	rows, err := s.Messages(ctx, id)
	must(t, err)
	if len(rows) != 2+len(ids) {
		t.Errorf("%d rows, want %d", len(rows), 2+len(ids))
	}
	for i, call := range ids {
		if rows[2+i].Content != call {
			t.Errorf("row %d is the result of %s, want %s", 2+i, rows[2+i].Content, call)
		}
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	s, path := openStore(t)
	id := newSession(t, s)
	must(t, s.Close())
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec(`UPDATE schema_version SET version = version + 97`)
	must(t, errors.Join(err, db.Close()))
	if _, err := store.Open(path); err == nil || !strings.Contains(err.Error(), "newer Hermes (schema 100") {
		t.Errorf("got %v, want the word that a newer Hermes wrote it", err)
	}
	db, err = sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec(`UPDATE schema_version SET version = version - 97`)
	must(t, errors.Join(err, db.Close()))
	if _, err := reopen(t, path).Session(context.Background(), id); err != nil {
		t.Error(err)
	}
}
