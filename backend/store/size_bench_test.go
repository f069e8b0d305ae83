package store

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"modernc.org/sqlite"

	"hermes/backend/message"
)

// fourCalls is the durable part of a turn of four calls, one after another:
// question, batch, four starts, four results, answer.
func fourCalls(t testing.TB, s *Store, session string, n int) {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	batch := message.Message{Role: message.RoleAssistant}
	for i := range 4 {
		batch.ToolCalls = append(batch.ToolCalls, message.ToolCall{ID: fmt.Sprint(n, "-", i), Name: "tool_call", Arguments: `{"calls": [{"name": "mcp__files__read_file", "arguments": {"path": "/srv/data/notes.txt"}}]}`})
	}
	check(s.AppendTurn(ctx, session, []message.Message{{Role: message.RoleUser, Content: "Skim these files and file a ticket"}}))
	check(s.AppendTurn(ctx, session, []message.Message{batch}))
	for _, call := range batch.ToolCalls {
		check(s.MarkStarted(ctx, session, call.ID))
		check(s.FinishCall(ctx, session, call.ID, message.Message{Role: message.RoleTool, ToolCallID: call.ID, Status: message.StatusOK, Content: strings.Repeat("a line of the file\n", 20)}))
	}
	check(s.AppendTurn(ctx, session, []message.Message{{Role: message.RoleAssistant, Content: "done"}}))
}

// commits counts the commits of a store's connection from now on; each waits for
// the disk once.
func commits(t testing.TB, s *Store) *int {
	n := new(int)
	err := s.use(context.Background(), func(c *conn) error {
		return c.only.Raw(func(driver any) error {
			driver.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 { *n++; return 0 })
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func sized(t testing.TB, turns int) (s *Store, path, session string) {
	path = filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if session, err = s.CreateSession(context.Background(), Session{}); err != nil {
		t.Fatal(err)
	}
	var rows []message.Message
	for n := range turns { // of four messages each
		id := fmt.Sprint("call", n)
		rows = append(rows, message.Message{Role: message.RoleUser, Content: fmt.Sprint("question ", n)},
			message.Message{Role: message.RoleAssistant, ToolCalls: []message.ToolCall{{ID: id, Name: "t", Arguments: `{"path": "/srv/data"}`}}},
			message.Message{Role: message.RoleTool, ToolCallID: id, ToolName: "t", Status: message.StatusOK, Content: strings.Repeat("a line of the file\n", 20)},
			message.Message{Role: message.RoleAssistant, Content: "An answer of some words."})
	}
	if turns > 0 {
		if err := s.AppendTurn(context.Background(), session, rows); err != nil {
			t.Fatal(err)
		}
	}
	return s, path, session
}

// TestCommitsOfATurn: a turn of four calls that run one after another waits for
// the disk eleven times, however long the conversation is.
func TestCommitsOfATurn(t *testing.T) {
	for _, turns := range []int{0, 100} {
		s, _, session := sized(t, turns)
		n := commits(t, s)
		fourCalls(t, s, session, 1)
		if *n != 11 {
			t.Errorf("after %d turns: %d commits, want 11", turns, *n)
		}
	}
}

// BenchmarkTurnOfFour is a turn of four calls in a new session and behind 5,000
// messages: it must not grow with them.
func BenchmarkTurnOfFour(b *testing.B) {
	for _, turns := range []int{0, 1250} {
		b.Run(fmt.Sprint("behind", 4*turns), func(b *testing.B) {
			s, _, session := sized(b, turns)
			n := commits(b, s)
			for i := 0; b.Loop(); i++ {
				fourCalls(b, s, session, i)
			}
			b.ReportMetric(float64(*n)/float64(b.N), "commits/turn")
		})
	}
}

// Benchmark5000 is what a session of 5,000 messages costs: to open and take for a
// turn, and in memory as long as it is held.
func Benchmark5000(b *testing.B) {
	_, path, session := sized(b, 1250)
	b.ReportAllocs()
	var held uint64
	for b.Loop() {
		s, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		before := heap()
		rows, _, release, err := s.Begin(context.Background(), session)
		if err != nil || len(rows) != 5000 {
			b.Fatal(len(rows), err)
		}
		held = heap() - before
		runtime.KeepAlive(rows)
		release()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(held)/(1<<20), "MB-held")
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// BenchmarkSearch looks for words in 5,000 messages, the first time, when they
// are indexed, and then.
func BenchmarkSearch(b *testing.B) {
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s, _, _ := sized(b, 1250)
			b.StartTimer()
			search(b, s)
		}
	})
	b.Run("then", func(b *testing.B) {
		s, _, _ := sized(b, 1250)
		search(b, s)
		for b.Loop() {
			search(b, s)
		}
	})
}

func search(b *testing.B, s *Store) {
	if found, err := s.Search(context.Background(), "line question", 10); err != nil || len(found) != 0 {
		b.Fatal(found, err)
	}
	if found, err := s.Search(context.Background(), "line file", 10); err != nil || len(found) != 1 {
		b.Fatal(found, err)
	}
}
