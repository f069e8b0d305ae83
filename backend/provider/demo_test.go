package provider

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"hermes/backend/message"
)

// listedTools are the bridge tools as the registry offers them: its own golden
// file, so that a change of the listing's form is seen here.
func listedTools(t *testing.T, without ...string) []message.ToolDef {
	t.Helper()
	raw, err := os.ReadFile("../registry/testdata/listing/signatures.txt")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(raw)) {
		drop := false
		for _, name := range without {
			drop = drop || strings.Contains(line, name)
		}
		if !drop {
			kept = append(kept, line)
		}
	}
	var out []message.ToolDef
	for _, block := range strings.Split(strings.TrimSpace(strings.Join(kept, "")), "\n\ntool_") {
		name, rest, _ := strings.Cut(block, "\n")
		at := strings.LastIndexByte(rest, '\n')
		out = append(out, message.ToolDef{Name: "tool_" + strings.TrimPrefix(name, "tool_"), Description: rest[:at], Parameters: json.RawMessage(rest[at+1:])})
	}
	return out
}

func demoAsk(t *testing.T, tools []message.ToolDef, messages ...message.Message) (Turn, []string) {
	t.Helper()
	var pieces []string
	turn, err := NewDemo().Stream(context.Background(), Request{Messages: messages, Tools: tools}, func(s string) { pieces = append(pieces, s) })
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(pieces, "") != turn.Content {
		t.Errorf("streamed %q, content %q", pieces, turn.Content)
	}
	if !strings.Contains(turn.Content, DemoModel) {
		t.Errorf("the answer does not say who speaks: %q", turn.Content)
	}
	return turn, pieces
}

func user(text string) message.Message {
	return message.Message{Role: message.RoleUser, Content: text}
}

func TestDemoBatch(t *testing.T) {
	tools := listedTools(t)
	if len(tools) != 3 || tools[2].Name != "tool_call" {
		t.Fatalf("tools %+v", tools)
	}
	const ask = "Skim these files and file a ticket"
	turn, pieces := demoAsk(t, tools, user(ask))
	if len(pieces) < 5 {
		t.Errorf("the text came in %d pieces", len(pieces))
	}
	if turn.Stop != message.StopToolCalls || len(turn.ToolCalls) != 1 || turn.ToolCalls[0].Name != "tool_call" {
		t.Fatalf("turn %+v", turn)
	}
	const want = `{"calls": [{"name": "mcp__files__read_file", "arguments": {"path": "notes.md"}}, ` +
		`{"name": "mcp__git__log", "arguments": {"limit": 5}}, ` +
		`{"name": "mcp__tickets__create_ticket", "arguments": {"title": "Follow up on notes.md", "body": "Filed by the offline demo model for: Skim these files and file a ticket"}}]}`
	if got := turn.ToolCalls[0].Arguments; got != want {
		t.Errorf("arguments\n got %s\nwant %s", got, want)
	}
	entries, err := message.ParseBatch(turn.ToolCalls[0].Arguments)
	if err != nil || len(entries) != 3 {
		t.Errorf("entries %v, error %v", entries, err)
	}
	again, _ := demoAsk(t, tools, user(ask))
	if again.ToolCalls[0] != turn.ToolCalls[0] || again.Content != turn.Content {
		t.Error("the same request gave another answer")
	}

	row := message.Message{Role: message.RoleAssistant, ToolCalls: []message.ToolCall{
		{ID: "1", Name: "tool_call", Arguments: `{"calls": [{"name": "mcp__files__read_file", "arguments": {}}]}`},
		{ID: "2", Name: "tool_call", Target: message.Target{Name: "mcp__git__log"}},
		{ID: "3", Name: "mcp__x__y"}}}
	final, _ := demoAsk(t, tools, user(ask), row,
		message.Message{Role: message.RoleTool, ToolCallID: "1", ToolName: "tool_call", Status: message.StatusOK,
			Content: message.Fence("mcp__files__read_file", "# Notes\n\n- one\n- two\n")},
		message.Message{Role: message.RoleTool, ToolCallID: "2", ToolName: "tool_call", Status: message.StatusDenied, Content: `{"error":"not a tool you can call"}`},
		message.Message{Role: message.RoleTool, ToolCallID: "3", Content: "Ticket 7 filed."})
	for _, want := range []string{
		`1. mcp__files__read_file: 4 lines, beginning "# Notes - one - two"`, "2. mcp__git__log: denied.", "3. mcp__x__y: Ticket 7 filed.", "2 of 3 calls succeeded.",
	} {
		if !strings.Contains(final.Content, want) {
			t.Errorf("summary lacks %q:\n%s", want, final.Content)
		}
	}
	if len(final.ToolCalls) != 0 || final.Stop != message.StopEnd {
		t.Errorf("turn %+v", final)
	}
}

func TestDemoSaysWhatIsLocked(t *testing.T) {
	for without, want := range map[string]string{
		"mcp__tickets__create_ticket": "no tool for creating a ticket is offered",
		"mcp__files__read_file":       "no tool for reading a file is offered",
		"mcp__":                       "no tool for reading a file, the git log, creating a ticket is offered",
	} {
		turn, _ := demoAsk(t, listedTools(t, without), user("skim these files and file a ticket"))
		if len(turn.ToolCalls) != 0 || !strings.Contains(turn.Content, want) || !strings.Contains(turn.Content, "Nothing was called") {
			t.Errorf("without %s: %+v, want %q", without, turn, want)
		}
	}
}

func TestDemoRules(t *testing.T) {
	for ask, want := range map[string]string{
		"list files":                       `mcp__files__list_directory {"path": "."}`,
		"show me the files here":           `mcp__files__list_directory {"path": "."}`,
		"read docs/plan.md, please":        `mcp__files__read_file {"path": "docs/plan.md"}`,
		"read README":                      `mcp__files__read_file {"path": "README"}`,
		`read the file "my notes <b>.txt"`: `mcp__files__read_file {"path": "my notes <b>.txt"}`,
		"git log":                          `mcp__git__log {"limit": 5}`,
		"list tickets":                     `mcp__tickets__list_tickets {}`,
		"Create a ticket: Fix the printer": `mcp__tickets__create_ticket {"title": "Fix the printer", "body": "Filed by the offline demo model for: Create a ticket: Fix the printer"}`,
		"create ticket called \"Ä \\ ü\"":  `mcp__tickets__create_ticket {"title": "Ä \\ ü", "body": "Filed by the offline demo model for: create ticket called \"Ä \\ ü\""}`,
	} {
		turn, _ := demoAsk(t, listedTools(t), user(ask))
		if len(turn.ToolCalls) != 1 {
			t.Errorf("%q: %+v", ask, turn)
			continue
		}
		entries, err := message.ParseBatch(turn.ToolCalls[0].Arguments)
		if err != nil || len(entries) != 1 || entries[0].Name+" "+entries[0].Arguments != want {
			t.Errorf("%q: %v %v, want %s", ask, entries, err, want)
		}
	}
	for _, ask := range []string{"help", "What is the meaning of life?", "hola", ""} {
		turn, _ := demoAsk(t, listedTools(t), user(ask))
		if len(turn.ToolCalls) != 0 || !strings.Contains(turn.Content, "not a language model") || !strings.Contains(turn.Content, "base_url") {
			t.Errorf("%q: %+v", ask, turn)
		}
	}
}

// Where tools are offered directly, and under names with a suffix, or by other
// people's servers, the same rules work.
func TestDemoWithDirectTools(t *testing.T) {
	tools := []message.ToolDef{
		{Name: "mcp__fs__read_text_file_0123456789ab", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
		{Name: "mcp__git__git_log", Parameters: json.RawMessage(`{"type":"object","properties":{"max_count":{"type":"integer"}}}`)},
		{Name: "mcp__jira__create_ticket", Parameters: json.RawMessage(`{"type":"object","properties":{"summary":{"type":"string"}}}`)},
	}
	turn, _ := demoAsk(t, tools, user("skim these files and file a ticket"))
	want := []message.ToolCall{
		{ID: "demo_1_0", Name: "mcp__fs__read_text_file_0123456789ab", Arguments: `{"path": "notes.md"}`},
		{ID: "demo_1_1", Name: "mcp__git__git_log", Arguments: `{"max_count": 5}`},
		{ID: "demo_1_2", Name: "mcp__jira__create_ticket", Arguments: `{"summary": "Follow up on notes.md"}`},
	}
	if len(turn.ToolCalls) != len(want) {
		t.Fatalf("turn %+v", turn)
	}
	for i := range want {
		if turn.ToolCalls[i] != want[i] {
			t.Errorf("call %d: %+v, want %+v", i, turn.ToolCalls[i], want[i])
		}
	}
}

func TestDemoStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	pieces := 0
	_, err := NewDemo().Stream(ctx, Request{Messages: []message.Message{user("help")}}, func(string) {
		if pieces++; pieces == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || pieces != 3 {
		t.Errorf("error %v after %d pieces", err, pieces)
	}
}
