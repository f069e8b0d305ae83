package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/agent"
	"hermes/backend/message"
)

// long is a history of n turns, each a question, a round of two calls and an
// answer of size bytes.
func long(n, size int) []message.Message {
	var rows []message.Message
	for i := range n {
		calls := []message.ToolCall{{ID: fmt.Sprintf("a%d", i), Name: "t0", Arguments: "{}"}, {ID: fmt.Sprintf("b%d", i), Name: "t0", Arguments: "{}"}}
		rows = append(rows,
			message.Message{Role: message.RoleUser, Content: fmt.Sprintf("question %d", i)},
			message.Message{Role: message.RoleAssistant, ToolCalls: calls, Vendor: "anthropic", Blocks: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"type":"thinking","signature":"s%d"}`, i))}},
			message.Message{Role: message.RoleTool, ToolCallID: calls[0].ID, ToolName: "t0", Status: message.StatusOK, Content: "one"},
			message.Message{Role: message.RoleTool, ToolCallID: calls[1].ID, ToolName: "t0", Status: message.StatusOK, Content: "two"},
			message.Message{Role: message.RoleAssistant, Content: strings.Repeat("x", size)})
	}
	return rows
}

// lawful checks that a conversation is one every vendor takes: it begins with the
// person, no two rows of one role stand side by side, and every call has its one
// result right behind it.
func lawful(t interface{ Errorf(string, ...any) }, rows []message.Message) {
	if len(rows) == 0 || rows[0].Role != message.RoleUser {
		t.Errorf("it does not begin with the person")
		return
	}
	for i := 0; i < len(rows); i++ {
		row := rows[i]
		if i > 0 && row.Role == rows[i-1].Role && row.Role != message.RoleTool {
			t.Errorf("row %d is a second %s row", i, row.Role)
		}
		for j, call := range row.ToolCalls {
			at := i + 1 + j
			if at >= len(rows) || rows[at].Role != message.RoleTool || rows[at].ToolCallID != call.ID {
				t.Errorf("call %s has no result in its place", call.ID)
			}
		}
		if row.Role == message.RoleTool && (i == 0 || rows[i-1].Role != message.RoleTool && len(rows[i-1].ToolCalls) == 0) {
			t.Errorf("row %d is a result without a call", i)
		}
	}
}

func compacting(t *testing.T, m *model, j *journal, c agent.Compaction) *agent.Loop {
	return &agent.Loop{Model: m, Tools: serversOf(1, func(int) *tool { return &tool{Server: "s", Result: "r"} }), Journal: j, Gate: gate{}, Name: "m", Compaction: c}
}

func TestLongConversationIsSummarised(t *testing.T) {
	m := &model{t: t, answers: []answer{{Text: "they asked 40 questions"}, {Text: "end", Usage: message.Usage{InputTokens: 100, OutputTokens: 5}}}}
	j := &journal{t: t, rows: long(40, 4000)}
	before := j.stored()
	done, events, err := runTurn(t.Context(), t, compacting(t, m, j, agent.Compaction{Window: 50_000, Threshold: 0.75}))
	if err != nil || done.StopReason != message.StopEnd || done.ModelPasses != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	rows := j.stored()
	lawful(t, rows)
	text, ok := rows[0].Summary()
	if !ok || !strings.Contains(text, "they asked 40 questions") || strings.Contains(text, "word for word") {
		t.Errorf("the first row is %q", rows[0].Content)
	}
	// What stays is what was there, byte for byte, and the question is the last.
	kept := rows[1 : len(rows)-1]
	for i, row := range kept[:len(kept)-1] {
		if was := before[len(before)-len(kept)+1+i]; row.Content != was.Content || len(row.Blocks) > 0 && string(row.Blocks[0]) != string(was.Blocks[0]) {
			t.Errorf("row %d changed", i)
		}
	}
	if len(rows) > 60 {
		t.Errorf("%d rows stay", len(rows))
	}
	asked := m.asked[0]
	if len(asked.Tools) > 0 || asked.MaxTokens == 0 || len(asked.Messages) != 1 || !strings.Contains(asked.Messages[0].Content, "question 0") {
		t.Errorf("the summary was asked for with %d tools and %d messages", len(asked.Tools), len(asked.Messages))
	}
	if told := strings.Join(events.lines, "\n"); !strings.Contains(told, "summarised") || !strings.Contains(told, "cache") {
		t.Errorf("nobody is told of it and what it costs:\n%s", told)
	}
	if done.Usage.InputTokens != 100 {
		t.Errorf("usage %+v", done.Usage)
	}
}

// TestOneLongTurn: a turn that alone is too long keeps the request word for word.
func TestOneLongTurn(t *testing.T) {
	script := []answer{}
	for i := range 6 {
		script = append(script, answer{Text: strings.Repeat("y", 3000), Calls: []message.ToolCall{{ID: fmt.Sprintf("c%d", i), Name: "t0", Arguments: "{}"}}, Usage: message.Usage{InputTokens: 2000 * (i + 1), OutputTokens: 500}})
	}
	script = append(script, answer{Text: "what was done"}, answer{Text: "end"})
	m := &model{t: t, answers: script}
	j := &journal{t: t}
	done, _, err := runTurn(t.Context(), t, compacting(t, m, j, agent.Compaction{Window: 16_000, Threshold: 0.75}))
	if err != nil || done.StopReason != message.StopEnd {
		t.Fatalf("%+v, %v", done, err)
	}
	rows := j.stored()
	lawful(t, rows)
	text, _ := rows[0].Summary()
	if !strings.HasPrefix(text, "what was done") || !strings.HasSuffix(text, "word for word:\nq") {
		t.Errorf("the first row is %q", text)
	}
}

// TestVendorSaysTooLong: where the window is not known, the vendor's own word
// makes room, once; a summary that cannot be had is made without the model.
func TestVendorSaysTooLong(t *testing.T) {
	tooLong := func(err error) bool { return strings.Contains(err.Error(), "too long") }
	m := &model{t: t, answers: []answer{{Error: "prompt is too long"}, {Error: "prompt is too long"}, {Text: "end"}}}
	j := &journal{t: t, rows: long(30, 4000)}
	done, _, err := runTurn(t.Context(), t, compacting(t, m, j, agent.Compaction{TooLong: tooLong}))
	if err != nil || done.StopReason != message.StopEnd {
		t.Fatalf("%+v, %v", done, err)
	}
	rows := j.stored()
	lawful(t, rows)
	if text, ok := rows[0].Summary(); !ok || !strings.Contains(text, "question 0") || !strings.Contains(text, "question 2") {
		t.Errorf("the first row is %q", text)
	}
	m = &model{t: t, answers: []answer{{Error: "prompt is too long"}}}
	j = &journal{t: t}
	if _, _, err = runTurn(t.Context(), t, compacting(t, m, j, agent.Compaction{TooLong: tooLong})); err == nil {
		t.Error("a single question that does not fit gave no error")
	}
}

// TestFailedSummaryHarmsNothing: the conversation goes on as it is, and the vendor
// is not asked again at once.
func TestFailedSummaryHarmsNothing(t *testing.T) {
	m := &model{t: t, answers: []answer{{Error: "overloaded"}, {Calls: []message.ToolCall{{ID: "c", Name: "t0", Arguments: "{}"}}}, {Text: "end"}}}
	j := &journal{t: t, rows: long(40, 4000)}
	before := len(j.rows)
	done, events, err := runTurn(t.Context(), t, compacting(t, m, j, agent.Compaction{Window: 50_000, Threshold: 0.75}))
	if err != nil || done.StopReason != message.StopEnd {
		t.Fatalf("%+v, %v", done, err)
	}
	if rows := j.stored(); len(rows) != before+4 {
		t.Errorf("%d rows, want %d", len(rows), before+4)
	}
	if !strings.Contains(strings.Join(events.lines, "\n"), "overloaded") {
		t.Error("nobody is told why")
	}
}

// TestCutsAreLawful: wherever a random conversation is cut, what is sent is one
// that every vendor takes.
func TestCutsAreLawful(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var rows []message.Message
		for i := range rapid.IntRange(1, 12).Draw(rt, "turns") {
			rows = append(rows, message.Message{Role: message.RoleUser, Content: strings.Repeat("q", rapid.IntRange(1, 9000).Draw(rt, "asked"))})
			for r := range rapid.IntRange(0, 3).Draw(rt, "rounds") {
				var calls []message.ToolCall
				for c := range rapid.IntRange(1, 4).Draw(rt, "calls") {
					calls = append(calls, message.ToolCall{ID: fmt.Sprintf("%d-%d-%d", i, r, c), Name: "t0", Arguments: "{}"})
				}
				rows = append(rows, message.Message{Role: message.RoleAssistant, ToolCalls: calls})
				for _, call := range calls {
					rows = append(rows, message.Message{Role: message.RoleTool, ToolCallID: call.ID, Content: strings.Repeat("r", rapid.IntRange(1, 9000).Draw(rt, "result"))})
				}
			}
			rows = append(rows, message.Message{Role: message.RoleAssistant, Content: strings.Repeat("a", rapid.IntRange(1, 9000).Draw(rt, "answered"))})
		}
		window := rapid.IntRange(200, 60_000).Draw(rt, "window")
		script := []answer{{Text: "summary"}, {Text: "end"}}
		m := &model{t: t, answers: script}
		j := &journal{t: t, rows: rows}
		done, _, err := runTurn(t.Context(), t, compacting(t, m, j, agent.Compaction{Window: window, Threshold: 0.5}))
		if err != nil {
			rt.Fatalf("%+v, %v", done, err)
		}
		lawful(rt, j.stored())
		lawful(rt, m.asked[len(m.asked)-1].Messages)
	})
}

// TestOneLongRowIsSummarised: a row that is longer than the room for a transcript
// is shortened, not left out.
func TestOneLongRowIsSummarised(t *testing.T) {
	m := &model{t: t, answers: []answer{{Text: "a long text"}, {Text: "end"}}}
	j := &journal{t: t, rows: []message.Message{
		{Role: message.RoleUser, Content: "BEGIN " + strings.Repeat("w", 30_000) + " END"},
		{Role: message.RoleAssistant, Content: "first"},
	}}
	if _, _, err := runTurn(t.Context(), t, compacting(t, m, j, agent.Compaction{Window: 3000, Threshold: 0.75})); err != nil {
		t.Fatal(err)
	}
	if asked := m.asked[0].Messages[0].Content; !strings.Contains(asked, "BEGIN") || !strings.Contains(asked, "END") || len(asked) > 8000 {
		t.Errorf("%d bytes were given to summarise: %.80q", len(asked), asked)
	}
}

// limited is a vendor with a window of its own: it refuses what is longer, and
// what asks for more than is left.
type limited struct {
	*model
	window int
}

func (l *limited) Stream(ctx context.Context, request agent.Request, onText func(string)) (agent.Turn, error) {
	size := len(request.System)
	for _, row := range request.Messages {
		size += len(row.Content)
	}
	if size/4+request.MaxTokens > l.window {
		return agent.Turn{}, fmt.Errorf("prompt is too long: %d tokens", size/4)
	}
	return l.model.Stream(ctx, request, onText)
}

// TestSmallerThanThought: a model believed to read much more than its server does
// goes on all the same, turn after turn.
func TestSmallerThanThought(t *testing.T) {
	for _, window := range []int{0, 200_000} {
		t.Run(fmt.Sprint(window), func(t *testing.T) {
			m := &model{t: t}
			for range 40 {
				m.answers = append(m.answers, answer{Text: strings.Repeat("ok ", 20)})
			}
			j := &journal{t: t}
			tooLong := func(err error) bool { return strings.Contains(err.Error(), "too long") }
			for range 12 {
				loop := compacting(t, m, j, agent.Compaction{Window: window, Threshold: 0.75, TooLong: tooLong})
				loop.Model = &limited{m, 2500}
				events := &told{t: t}
				if _, err := loop.Run(t.Context(), "s", strings.Repeat("w", 3000), events.sink); err != nil {
					t.Fatal(err)
				}
				lawful(t, j.stored())
			}
		})
	}
}

// TestReferredResultsStay: a result that a kept row only refers to is not lost
// with the row that holds it.
func TestReferredResultsStay(t *testing.T) {
	rows := long(30, 4000)
	rows[2].Content = "THE ONLY COPY"
	rows = append(rows[:len(rows)-1], message.Message{Role: message.RoleAssistant, ToolCalls: []message.ToolCall{{ID: "again", Name: "t0", Arguments: "{}"}}},
		message.Message{Role: message.RoleTool, ToolCallID: "again", ToolName: "t0", Status: message.StatusOK, Content: message.SameAs("a0", 13, "")},
		message.Message{Role: message.RoleAssistant, Content: "short"})
	m := &model{t: t, answers: []answer{{Text: strings.Repeat("a very long summary ", 50_000)}, {Text: "end"}}}
	j := &journal{t: t, rows: rows}
	if _, _, err := runTurn(t.Context(), t, compacting(t, m, j, agent.Compaction{Window: 30_000, Threshold: 0.75})); err != nil {
		t.Fatal(err)
	}
	text, ok := j.stored()[0].Summary()
	if !ok || !strings.Contains(text, "THE ONLY COPY") {
		t.Errorf("the summary does not hold it: %.200q", text)
	}
	if len(text) > 60_000 {
		t.Errorf("the summary has %d bytes", len(text))
	}
}
