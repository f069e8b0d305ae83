package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"hermes/backend/message"
	"hermes/backend/store"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("HERMES_TEST_STORE"); path != "" {
		child(path)
	}
	goleak.VerifyTestMain(m)
}

func openStore(t testing.TB) (*store.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "home", "native", "state.db")
	return reopen(t, path), path
}

func reopen(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newSession(t testing.TB, s *store.Store) string {
	t.Helper()
	id, err := s.CreateSession(context.Background(), store.Session{Source: "test", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

type fataler interface {
	Helper()
	Fatal(...any)
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func user(text string) message.Message {
	return message.Message{Role: message.RoleUser, Content: text}
}

func calls(ids ...string) message.Message {
	row := message.Message{Role: message.RoleAssistant}
	for _, id := range ids {
		row.ToolCalls = append(row.ToolCalls, message.ToolCall{ID: id, Name: "t", Arguments: "{}"})
	}
	return row
}

func result(id, content string) message.Message {
	return message.Message{Role: message.RoleTool, ToolCallID: id, ToolName: "t", Status: message.StatusOK, Content: content}
}

func contents(rows []message.Message) string {
	var out []string
	for _, row := range rows {
		word := string(row.Role)
		if row.Role == message.RoleTool {
			word += " " + row.ToolCallID + " " + string(row.Status)
		}
		out = append(out, word)
	}
	return strings.Join(out, "; ")
}

func TestFilesArePrivate(t *testing.T) {
	s, path := openStore(t)
	newSession(t, s)
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v; want 0600", name, info.Mode(), err)
		}
	}
	for _, name := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v, %v; want 0700", name, info.Mode(), err)
		}
	}
	must(t, s.Close())
	must(t, os.Chmod(path, 0o644))
	reopen(t, path)
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("a file others can read stayed so: %v", info.Mode())
	}
}

func TestNewTouchesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "native", "state.db")
	s := store.New(path)
	must(t, s.Close())
	if _, err := os.Stat(filepath.Dir(filepath.Dir(path))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("naming a store made its home: %v", err)
	}
	if _, err := s.Sessions(context.Background()); err == nil {
		t.Error("a closed store answers")
	}
}

func TestResultsStandInCallOrder(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	must(t, s.AppendTurn(ctx, id, []message.Message{user("q")}))
	must(t, s.AppendTurn(ctx, id, []message.Message{calls("a", "b", "c"), result("b", "at once")}))
	for _, call := range []string{"c", "a"} {
		must(t, s.MarkStarted(ctx, id, call))
		must(t, s.FinishCall(ctx, id, call, result(call, "later")))
	}
	must(t, s.AppendTurn(ctx, id, []message.Message{{Role: message.RoleAssistant, Content: "done"}}))
	rows, err := s.Messages(ctx, id)
	must(t, err)
	want := "user; assistant; tool a ok; tool b ok; tool c ok; assistant"
	if got := contents(rows); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		name string
		do   func(s *store.Store, id string) error
		want string
	}{
		{"a second result", func(s *store.Store, id string) error {
			return errors.Join(s.FinishCall(ctx, id, "a", result("a", "1")), s.FinishCall(ctx, id, "a", result("a", "2")))
		}, "no call of that id waits"},
		{"a second start", func(s *store.Store, id string) error {
			return errors.Join(s.MarkStarted(ctx, id, "a"), s.MarkStarted(ctx, id, "a"))
		}, "not a call that waits"},
		{"a start after the result", func(s *store.Store, id string) error {
			return errors.Join(s.FinishCall(ctx, id, "a", result("a", "1")), s.MarkStarted(ctx, id, "a"))
		}, "not a call that waits"},
		{"a call nobody made", func(s *store.Store, id string) error { return s.MarkStarted(ctx, id, "z") }, "not a call that waits"},
		{"a result of a call nobody made", func(s *store.Store, id string) error {
			return s.AppendTurn(ctx, id, []message.Message{result("z", "")})
		}, "no call of that id waits"},
		{"the row of another call", func(s *store.Store, id string) error { return s.FinishCall(ctx, id, "a", result("b", "")) }, `answers "b"`},
		{"a row that is no result", func(s *store.Store, id string) error { return s.FinishCall(ctx, id, "a", user("x")) }, "as user"},
		{"a row while calls are open", func(s *store.Store, id string) error {
			return s.AppendTurn(ctx, id, []message.Message{user("next")})
		}, "has no result yet"},
		{"an id of an earlier turn", func(s *store.Store, id string) error {
			return s.AppendTurn(ctx, id, []message.Message{result("a", ""), result("b", ""), calls("a")})
		}, "store call a"},
		{"a call without an id", func(s *store.Store, id string) error {
			return s.AppendTurn(ctx, id, []message.Message{result("a", ""), result("b", ""), calls("")})
		}, "no id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := openStore(t)
			id := newSession(t, s)
			must(t, s.AppendTurn(ctx, id, []message.Message{user("q"), calls("a", "b")}))
			if err := test.do(s, id); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestAppendIsAllOrNothing(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	if err := s.AppendTurn(ctx, id, []message.Message{user("q"), calls("a", "a")}); err == nil {
		t.Fatal("two calls of one id were stored")
	}
	rows, err := s.Messages(ctx, id)
	if err != nil || len(rows) != 0 {
		t.Errorf("half a turn was stored: %s, %v", contents(rows), err)
	}
}

func TestUnknownSession(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	_, _, _, beginErr := s.Begin(ctx, "../../x")
	_, messagesErr := s.Messages(ctx, "x")
	_, exportErr := s.Export(ctx, "x")
	for _, err := range []error{beginErr, messagesErr, exportErr, s.AppendTurn(ctx, "x", []message.Message{user("q")}), s.DeleteSession(ctx, "x")} {
		if !errors.Is(err, store.ErrUnknownSession) {
			t.Errorf("got %v, want ErrUnknownSession", err)
		}
	}
}

func TestUnusableFiles(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	must(t, os.WriteFile(plain, []byte("not a folder"), 0o600))
	garbage := filepath.Join(dir, "state.db")
	must(t, os.WriteFile(garbage, bytes.Repeat([]byte("garbage "), 200), 0o600))
	for _, test := range []struct{ path, want string }{
		{filepath.Join(plain, "native", "state.db"), "sessions need a home that can be written"},
		{garbage, "move it away"},
		{dir, "is a folder, not a file of ours"},
	} {
		_, err := store.Open(test.path)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.path) {
			t.Errorf("Open(%s) = %v, want the path and %q", test.path, err, test.want)
		}
		s := store.New(test.path)
		id, err := s.PromiseSession(store.Session{})
		must(t, err)
		if _, _, release, err := s.Begin(context.Background(), id); err == nil || release != nil {
			t.Errorf("a turn began on %s: %v", test.path, err)
		}
	}
}

// drawHistory makes a valid conversation with odd bytes in every text.
func drawHistory(t *rapid.T) []message.Message {
	text := func(name string) string {
		return rapid.OneOf(rapid.StringN(0, 40, -1), rapid.SampledFrom([]string{"", "\x00a\x00", "ü\u2028😀", "'; DROP TABLE calls; --", "\r\n"})).Draw(t, name)
	}
	var rows []message.Message
	id := 0
	for range rapid.IntRange(1, 4).Draw(t, "turns") {
		rows = append(rows, user(text("question")))
		row := message.Message{Role: message.RoleAssistant, Content: text("answer"), Vendor: text("vendor")}
		for range rapid.IntRange(0, 3).Draw(t, "blocks") {
			row.Blocks = append(row.Blocks, json.RawMessage(rapid.OneOf(
				rapid.SliceOfN(rapid.Byte(), 0, 30),
				rapid.SampledFrom([][]byte{{}, []byte(`{ "type":"thinking",  "signature" : "<\u003c>" }`)}),
			).Draw(t, "block")))
		}
		n := rapid.IntRange(0, 4).Draw(t, "calls")
		for range n {
			id++
			row.ToolCalls = append(row.ToolCalls, message.ToolCall{
				ID: text("id") + string(rune('a'+id)), Name: text("name"), Arguments: text("arguments"),
				Target: message.Target{Name: text("public"), Server: text("server"), Tool: text("tool")},
			})
		}
		rows = append(rows, row)
		for _, call := range row.ToolCalls {
			rows = append(rows, message.Message{Role: message.RoleTool, ToolCallID: call.ID, ToolName: call.Name, Content: text("result"),
				Status: rapid.SampledFrom([]message.Status{message.StatusOK, message.StatusDenied, message.StatusUnknown}).Draw(t, "status")})
		}
	}
	return rows
}

// TestLoadIsAppend is the property load(append(x)) = x, also after a restart
// and whatever the order in which the results came.
func TestLoadIsAppend(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	other := reopen(t, path)
	rapid.Check(t, func(rt *rapid.T) {
		want := drawHistory(rt)
		id := newSession(t, s)
		var results []message.Message
		flush := func() {
			for _, i := range rapid.Permutation(results).Draw(rt, "order") {
				if rapid.Bool().Draw(rt, "started") {
					must(t, s.MarkStarted(ctx, id, i.ToolCallID))
				}
				must(t, s.FinishCall(ctx, id, i.ToolCallID, i))
			}
			results = nil
		}
		for _, row := range want {
			if row.Role == message.RoleTool {
				results = append(results, row)
				continue
			}
			flush()
			must(t, s.AppendTurn(ctx, id, []message.Message{row}))
		}
		flush()
		for _, reader := range []*store.Store{s, other} {
			got, err := reader.Messages(ctx, id)
			must(t, err)
			if len(got) != len(want) {
				rt.Fatalf("%d rows came back of %d", len(got), len(want))
			}
			for i := range want {
				if !reflect.DeepEqual(got[i], want[i]) {
					rt.Fatalf("row %d: got %#v, want %#v", i, got[i], want[i])
				}
			}
		}
	})
}

func TestSessionsAndTitles(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	first, second := newSession(t, s), newSession(t, s)
	must(t, s.AppendTurn(ctx, second, []message.Message{user("second")}))
	must(t, s.AppendTurn(ctx, first, []message.Message{user("\n " + strings.Repeat("ü", 100) + "\nmore"), {Role: message.RoleAssistant, Content: "x"}}))
	must(t, s.AppendTurn(ctx, first, []message.Message{user("another question")}))
	list, err := s.Sessions(ctx)
	must(t, err)
	if len(list) != 2 {
		t.Fatalf("%d sessions, want 2", len(list))
	}
	one, err := s.Session(ctx, first)
	must(t, err)
	if want := strings.Repeat("ü", 79) + "…"; one.Title != want || one.Messages != 3 || one.Source != "test" || one.Model != "m" {
		t.Errorf("got %+v, want the title %s and 3 messages", one, want)
	}
	must(t, s.DeleteSession(ctx, first))
	if _, err := s.Messages(ctx, first); !errors.Is(err, store.ErrUnknownSession) {
		t.Errorf("a deleted session answers: %v", err)
	}
	if rows, err := s.Messages(ctx, second); err != nil || len(rows) != 1 {
		t.Errorf("the other session: %d rows, %v", len(rows), err)
	}
}

func TestExportKeepsBlocks(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	block := `{ "type" : "thinking", "n":1.10, "signature":"a<b\u003c" }`
	row := message.Message{Role: message.RoleAssistant, Content: "<hi>", Vendor: "anthropic", Blocks: []json.RawMessage{json.RawMessage(block), json.RawMessage("not json")},
		ToolCalls: []message.ToolCall{{ID: "a", Name: "tool_call", Arguments: `{"x": 1}`, Target: message.Target{Name: "mcp__f__r", Server: "f", Tool: "r"}}}}
	must(t, s.AppendTurn(ctx, id, []message.Message{user("q"), row, result("a", "out")}))
	out, err := s.Export(ctx, id)
	must(t, err)
	if !json.Valid(out) {
		t.Fatalf("not JSON: %s", out)
	}
	for _, want := range []string{
		`"blocks":[` + block + `,"not json"]`,
		`{"role":"user","content":"q","at":"`,
		`"content":"<hi>","at":"`, `Z","tool_calls":[{"id":"a","type":"function","function":{"name":"tool_call","arguments":"{\"x\": 1}"},"target":{"name":"mcp__f__r","server":"f","tool":"r"}}],"vendor":"anthropic"`,
		`{"role":"tool","content":"out","at":"`, `Z","tool_call_id":"a","name":"t","status":"ok"}`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the export lacks %s:\n%s", want, out)
		}
	}
}

func TestAudit(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	for _, reason := range []string{"one", "two", "three"} {
		must(t, s.Audit(ctx, store.AuditEntry{Session: "s", Call: "c", Event: "refused", Server: "f", Tool: "w", Decision: "deny", Reason: reason}))
	}
	got, err := s.AuditEntries(ctx, 2)
	must(t, err)
	if len(got) != 2 || got[0].Reason != "three" || got[1].Reason != "two" || got[0].At.IsZero() || got[0].Tool != "w" {
		t.Errorf("got %+v", got)
	}
}
