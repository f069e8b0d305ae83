package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"hermes/backend/agent"
	"hermes/backend/message"
)

// TestNewsAreAppended changes the tools in the middle of a turn and between two:
// what was sent stays byte for byte, the news stand at the end of the next row,
// and people do not read them.
func TestNewsAreAppended(t *testing.T) {
	var f *tools
	f = &tools{known: map[string]*tool{"t0": {run: func(context.Context, agent.Target) agent.Result {
		f.mu.Lock()
		f.news = "added: t1"
		f.mu.Unlock()
		return agent.Result{Status: message.StatusOK, Content: "done"}
	}}}}
	m := &model{t: t, answers: []answer{
		{Calls: []message.ToolCall{toolCall("a", `{"calls":[{"name":"t0","arguments":{}}]}`)}, Stop: message.StopToolCalls},
		{Text: "one", Stop: message.StopEnd}, {Text: "two", Stop: message.StopEnd},
	}}
	loop := &agent.Loop{Model: m, Tools: f, Journal: &journal{t: t}, Gate: gate{}}
	_, first, err := runTurn(t.Context(), t, loop)
	if err != nil {
		t.Fatal(err)
	}
	f.news = "added: t2"
	if _, _, err := runTurn(t.Context(), t, loop); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(m.asked); i++ {
		before, _ := json.Marshal(m.asked[i-1].Messages)
		after, _ := json.Marshal(m.asked[i].Messages[:len(m.asked[i-1].Messages)])
		if string(before) != string(after) {
			t.Errorf("request %d rewrites what was sent:\n%s\n%s", i, before, after)
		}
	}
	last := m.asked[len(m.asked)-1].Messages
	for _, row := range []struct {
		at         int
		text, note string
	}{{2, "done", "added: t1"}, {4, "q", "added: t2"}} {
		got := last[row.at].Content
		if !strings.HasSuffix(got, row.note+"\n</hermes_note>") || message.Unnoted(got) != row.text {
			t.Errorf("row %d: %q", row.at, got)
		}
	}
	if told := strings.Join(first.lines, "\n"); strings.Contains(told, "hermes_note") || !strings.Contains(told, "ok done") {
		t.Errorf("people read: %s", told)
	}
}
