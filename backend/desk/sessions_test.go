package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/mcp"
	"hermes/backend/message"
	"hermes/backend/store"
	"hermes/backend/view"
)

// said puts a session into a home: two turns, the older one summarised.
func said(t *testing.T, d *Desk) string {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(filepath.Join(filepath.Dir(d.Paths().Config), "native", "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id, err := s.CreateSession(ctx, store.Session{Source: "cli", Model: "small"})
	call := message.Message{Role: message.RoleAssistant, Vendor: "anthropic", Blocks: []json.RawMessage{json.RawMessage(`{ "type":"thinking", "signature":"<\u003c>" }`), json.RawMessage("no json")},
		ToolCalls: []message.ToolCall{{ID: "c1", Name: "tool_call", Arguments: `{"calls": []}`, Target: message.Target{Name: "mcp__f__r", Server: "f", Tool: "r", ReadOnly: true}}}}
	err = errors.Join(err, s.AppendTurn(ctx, id, []message.Message{{Role: message.RoleUser, Content: "Where is the lamp?"}, call,
		{Role: message.RoleTool, ToolCallID: "c1", ToolName: "tool_call", Status: message.StatusOK, Content: message.Fence("f", "in the hall")}, {Role: message.RoleAssistant, Content: "In the hall."},
		{Role: message.RoleUser, Content: "Thanks"}, {Role: message.RoleAssistant, Content: "Gladly."}}),
		s.Compact(ctx, id, message.SummaryRow("They looked for a lamp.", ""), 2),
		s.AddUsage(ctx, id, "big", message.Usage{InputTokens: 7, OutputTokens: 3, CacheRead: 2, CacheWrite: 1}, 0.25, true))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestStoredSessions(t *testing.T) {
	d := openHome(t, "mcp_servers: {}\n", Options{})
	if rows, err := d.Sessions(); err != nil || rows == nil || len(rows) != 0 {
		t.Errorf("%+v, %v", rows, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(d.Paths().Config), "native")); err == nil {
		t.Error("looking for sessions made a folder")
	}
	id := said(t, d)
	rows, err := d.Sessions()
	if err != nil || len(rows) != 1 {
		t.Fatalf("%+v, %v", rows, err)
	}
	row := rows[0]
	if row.Session != id || row.Title != "Where is the lamp?" || row.Messages != 6 || row.Source != "cli" || row.Model != "big" || row.Updated == "" || row.Match != "" {
		t.Errorf("got %+v", row)
	}
	if u := row.Usage; u == nil || u.InputTokens != 7 || u.OutputTokens != 3 || u.CacheRead != 2 || u.CacheWrite != 1 || u.Cost == nil || *u.Cost != 0.25 {
		t.Errorf("the usage is %+v", u)
	}
	if rows, err := d.SearchSessions("hall", 0); err != nil || len(rows) != 1 || !strings.Contains(strings.ToLower(rows[0].Match), "in the hall") {
		t.Errorf("found %+v, %v", rows, err)
	}
	if got, err := d.Session(id[:10]); err != nil || got.Session != id {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestTranscriptTellsOfASummary: everything is shown, and from where on the model
// reads a summary instead.
func TestTranscriptTellsOfASummary(t *testing.T) {
	d := openHome(t, "mcp_servers: {}\n", Options{})
	got, err := d.WholeTranscript(said(t, d))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range got.Events {
		lines = append(lines, e.Type+" "+e.Text+e.Name+e.Content)
	}
	want := []string{"user Where is the lamp?", "tool_call mcp__f__r", "tool_result in the hall"}
	if len(lines) != 7 || strings.Join(lines[:3], "\n") != strings.Join(want, "\n") || !strings.HasPrefix(lines[3], "notice 3 messages up to here") || !strings.Contains(lines[3], "They looked for a lamp.") {
		t.Errorf("the transcript is\n%s", strings.Join(lines, "\n"))
	}
	if got.Title != "Where is the lamp?" {
		t.Errorf("the title is %q", got.Title)
	}
}

// TestExportIsAsDescribed reads an export with the type that describes it.
func TestExportIsAsDescribed(t *testing.T) {
	d := openHome(t, "mcp_servers: {}\n", Options{})
	id := said(t, d)
	data, err := d.ExportSession(context.Background(), "last", true)
	if err != nil {
		t.Fatal(err)
	}
	var got view.SessionExport
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Session != id || len(got.Messages) != 7 || len(got.Usage) != 1 || got.Usage[0].Model != "big" || *got.Usage[0].Cost != 0.25 {
		t.Errorf("got %+v", got)
	}
	marks := ""
	for _, m := range got.Messages {
		switch {
		case m.Summary:
			marks += "s"
		case m.Compacted:
			marks += "c"
		default:
			marks += "."
		}
	}
	if marks != "cccs..." {
		t.Errorf("the marks are %s", marks)
	}
	call := got.Messages[1]
	if string(call.Blocks[0]) != `{ "type":"thinking", "signature":"<\u003c>" }` || string(call.Blocks[1]) != `"no json"` || !call.ToolCalls[0].Target.ReadOnly {
		t.Errorf("the call is %+v", call)
	}
}

func TestDeleteSession(t *testing.T) {
	d := openHome(t, "mcp_servers: {}\n", Options{})
	id := said(t, d)
	s, err := d.current().Sessions()
	if err != nil {
		t.Fatal(err)
	}
	_, _, release, err := s.Begin(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteSession(context.Background(), id); !errors.Is(err, store.ErrBusy) || ErrorView(err).Hint == "" {
		t.Errorf("a session that runs: %v", err)
	}
	release()
	own := d.options.Getenv
	d.options.Getenv = func(name string) string {
		if name == mcp.MarkVariable {
			return "f"
		}
		return own(name)
	}
	if err := d.DeleteSession(context.Background(), id); err == nil || ErrorView(err).Code != "refused" {
		t.Errorf("a child of a server: %v", err)
	}
	d.options.Getenv = own
	if err := d.DeleteSession(context.Background(), id); err != nil {
		t.Error(err)
	}
	if err := d.DeleteSession(context.Background(), id); !errors.Is(err, store.ErrUnknownSession) {
		t.Errorf("a second time: %v", err)
	}
}
