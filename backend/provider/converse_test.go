package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hermes/backend/message"
)

// converse asks a stub that answers with these events.
func converse(t *testing.T, body []byte, onText func(string)) (Turn, error) {
	t.Helper()
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) { stream(w, body) })
	req := ask("go")
	req.Model = novaID
	return newBedrock(t, BedrockOptions{BaseURL: rec.URL}).Stream(context.Background(), req, onText)
}

// TestConverseBlocks are the blocks of answers: known ones byte for byte, one of
// tomorrow kept by its shape.
func TestConverseBlocks(t *testing.T) {
	piece := func(kind, s string) string {
		return `{"contentBlockIndex":2,"delta":{"toolUse":{"input":` + string(appendString(nil, s)) + `}},"p":"abc"}`
	}
	body := events(
		"messageStart", `{"role":"assistant","p":"abcd"}`,
		"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"hm \u003c "}}}`,
		"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"é\ud83d"}}}`,
		"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"\ude00"}}}`,
		"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"c2ln+/=="}}}`,
		"contentBlockStop", `{"contentBlockIndex":0}`,
		"contentBlockStart", `{"contentBlockIndex":1,"start":{}}`,
		"contentBlockDelta", `{"contentBlockIndex":1,"delta":{"text":"So: <b> & \ud83d"}}`,
		"contentBlockDelta", `{"contentBlockIndex":1,"delta":{"text":"\ude00"}}`,
		"contentBlockStop", `{"contentBlockIndex":1}`,
		"contentBlockStart", `{"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"tooluse_1","name":"tool_call","future":1.0}}}`,
		"contentBlockDelta", piece("toolUse", oddInput[:20]), "contentBlockDelta", piece("toolUse", oddInput[20:]),
		"contentBlockStop", `{"contentBlockIndex":2}`,
		"contentBlockStart", `{"contentBlockIndex":3,"start":{"hologram":{"format":"h1"}}}`,
		"contentBlockDelta", `{"contentBlockIndex":3,"delta":{"hologram":{"data":"ab"}}}`,
		"contentBlockDelta", `{"contentBlockIndex":3,"delta":{"hologram":{"data":"cd"}}}`,
		"contentBlockStop", `{"contentBlockIndex":3}`,
		"contentBlockDelta", `{"contentBlockIndex":4,"delta":{"reasoningContent":{"redactedContent":"AAEC"}}}`,
		"contentBlockStop", `{"contentBlockIndex":4}`,
		"contentBlockStart", `{"contentBlockIndex":5,"start":{"toolUse":{"toolUseId":"tooluse_2","name":"list"}}}`,
		"contentBlockStop", `{"contentBlockIndex":5}`,
		"contentBlockStart", `{"contentBlockIndex":6,"start":{"toolUse":{"toolUseId":"tooluse_3","name":"odd"}}}`,
		"contentBlockDelta", `{"contentBlockIndex":6,"delta":{"toolUse":{"input":"{\"a\":"}}}`,
		"contentBlockStop", `{"contentBlockIndex":6}`,
		"contentBlockStart", `{"contentBlockIndex":7,"start":{"reasoningContent":{}}}`, "contentBlockStop", `{"contentBlockIndex":7}`,
		"messageStop", `{"stopReason":"tool_use"}`, "eventOfTomorrow", `{"x":1}`,
		"metadata", `{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":22,"cacheReadInputTokens":4,"cacheWriteInputTokens":3},"metrics":{"latencyMs":1}}`)
	var shown strings.Builder
	turn, err := converse(t, body, func(s string) { shown.WriteString(s) })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"reasoningContent":{"reasoningText":{"text":"hm \u003c é\ud83d\ude00","signature":"c2ln+/=="}}}`,
		`{"text":"So: <b> & \ud83d\ude00"}`,
		`{"toolUse":{"toolUseId":"tooluse_1","name":"tool_call","future":1.0,"input":` + oddInput + `}}`,
		`{"hologram":{"format":"h1","data":"abcd"}}`,
		`{"reasoningContent":{"redactedContent":"AAEC"}}`,
		`{"toolUse":{"toolUseId":"tooluse_2","name":"list","input":{}}}`,
		`{"toolUse":{"toolUseId":"tooluse_3","name":"odd","input":{"INVALID_JSON":"{\"a\":"}}}`,
	}
	if len(turn.Blocks) != len(want) {
		t.Fatalf("blocks %s", turn.Blocks)
	}
	for i := range want {
		if got := string(turn.Blocks[i]); got != want[i] {
			t.Errorf("block %d\n got %s\nwant %s", i, got, want[i])
		}
	}
	calls := []message.ToolCall{{ID: "tooluse_1", Name: "tool_call", Arguments: oddInput}, {ID: "tooluse_2", Name: "list", Arguments: "{}"}, {ID: "tooluse_3", Name: "odd", Arguments: `{"a":`}}
	if !slices.Equal(turn.ToolCalls, calls) || turn.Vendor != VendorBedrock || turn.Stop != message.StopToolCalls {
		t.Errorf("turn %+v", turn)
	}
	if turn.Content != "So: <b> & 😀" || shown.String() != turn.Content {
		t.Errorf("content %q, shown %q", turn.Content, shown.String())
	}
	if usage := (message.Usage{InputTokens: 17, OutputTokens: 5, CacheRead: 4, CacheWrite: 3}); turn.Usage != usage {
		t.Errorf("usage %+v", turn.Usage)
	}
}

// TestConverseUnknown are parts whose form to send back nobody here can know: a
// reason, and never half a turn or a block twice.
func TestConverseUnknown(t *testing.T) {
	end := events("messageStop", `{"stopReason":"end_turn"}`, "metadata", `{"usage":{}}`)
	for name, c := range map[string]struct{ body, says string }{
		"two things in one block": {string(events("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"a"}}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"citation":{"title":"t"}}}`)), `"text" and "citation" at once`},
		"two things in one delta": {string(events("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"a","citation":{}}}`)), "at once"},
		"another shape":           {string(events("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolResult":{"toolUseId":"x"}}}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolResult":[{"text":"a"}]}}`)), "do not fit together"},
		"reasoning of tomorrow":   {string(events("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"summary":"a"}}}`)), `"summary" in reasoning`},
		"open and redacted":       {string(events("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"a"}}}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"AA=="}}}`)), "open and redacted"},
		"a call of tomorrow":      {string(events("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"x","name":"n"}}}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"patch":"x"}}}`)), `"patch" in a call`},
		"begins twice":            {string(events("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"x","name":"n"}}}`, "contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"y","name":"n"}}}`)), "begins twice"},
		"no JSON":                 {string(events("contentBlockDelta", `{"contentBlockIndex":0,`)), "reading the event"},
	} {
		t.Run(name, func(t *testing.T) {
			turn, err := converse(t, append([]byte(c.body), end...), nil)
			var failed *Error
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.says) || failed.Hint == "" || turn.Blocks != nil {
				t.Fatalf("turn %+v, error %v", turn, err)
			}
		})
	}
}

func TestConverseStops(t *testing.T) {
	for reason, want := range map[string]message.StopReason{
		"end_turn": message.StopEnd, "stop_sequence": message.StopEnd, "max_tokens": message.StopLength, "model_context_window_exceeded": message.StopLength,
		"guardrail_intervened": "", "content_filtered": "", "malformed_tool_use": "", "": "",
	} {
		turn, err := converse(t, events("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"a"}}`, "messageStop", `{"stopReason":"`+reason+`"}`, "metadata", `{}`), nil)
		if turn.Stop != want || errors.Is(err, ErrCut) != (want == "") {
			t.Errorf("%q: turn %+v, error %v", reason, turn, err)
		}
	}
}

func TestConverseBody(t *testing.T) {
	use := `{"toolUse":{"toolUseId":"tooluse_1","name":"read","input":` + oddInput + `}}`
	reason := `{"reasoningContent":{"reasoningText":{"text":"hm \u003c","signature":"s"}}}`
	tools := []message.ToolDef{{Name: "read", Description: "Reads <b>.", Parameters: json.RawMessage(`{"properties":{"b":{},"a":{}}}`)}}
	const offer = `,"toolConfig":{"tools":[{"toolSpec":{"name":"read","description":"Reads <b>.","inputSchema":{"json":{"type":"object","properties":{"b":{},"a":{}}}}}}]}`
	row := func(role message.Role, content string) message.Message {
		return message.Message{Role: role, Content: content}
	}
	result := func(id, content string, status message.Status) message.Message {
		return message.Message{Role: message.RoleTool, ToolCallID: id, ToolName: "read", Content: content, Status: status}
	}
	answer := message.Message{Role: message.RoleAssistant, Content: "hi", Vendor: VendorBedrock, Blocks: raws(reason, `{"text":" "}`, use),
		ToolCalls: []message.ToolCall{{ID: "tooluse_1", Name: "read", Arguments: oddInput}}}
	foreign := message.Message{Role: message.RoleAssistant, Content: "hi", Vendor: VendorAnthropic, Blocks: raws(signed),
		ToolCalls: []message.ToolCall{{ID: "a|1", Name: "x.y", Arguments: `[1]`}, {ID: "b", Name: "read", Arguments: ""}}}
	for name, c := range map[string]struct {
		req  Request
		o    converseOptions
		want string
	}{
		"plain": {Request{Model: "m", System: "Be.", MaxTokens: 9, Messages: []message.Message{row(message.RoleUser, "a<"), row(message.RoleUser, " ")}}, converseOptions{cache: true},
			`{"messages":[{"role":"user","content":[{"text":"a<"},{"text":"(no text)"}]}],"system":[{"text":"Be."}],"inferenceConfig":{"maxTokens":9}}`},
		"calls in order": {Request{Model: "m", Tools: tools, Messages: []message.Message{row(message.RoleUser, "a"), answer, result("tooluse_1", "", message.StatusError), row(message.RoleUser, "b")}}, converseOptions{},
			`{"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[` + reason + `,` + use + `]},` +
				`{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"(no text)"}]}},{"text":"b"}]}]` + offer + `}`},
		"another vendor's": {Request{Model: "m", Tools: tools, Messages: []message.Message{foreign, result("b", "rb", ""), result("a|1", "ra", ""), result("z", "stray", "")}}, converseOptions{},
			`{"messages":[{"role":"user","content":[{"text":"(The conversation goes on.)"}]},{"role":"assistant","content":[{"text":"hi"},` +
				`{"toolUse":{"toolUseId":"ID1","name":"x_y","input":{"INVALID_JSON":"[1]"}}},{"toolUse":{"toolUseId":"b","name":"read","input":{}}}]},` +
				`{"role":"user","content":[{"toolResult":{"toolUseId":"ID1","content":[{"text":"ra"}]}},{"toolResult":{"toolUseId":"b","content":[{"text":"rb"}]}},{"text":"Result of an earlier call of read: stray"}]}]` + offer + `}`},
		"a lost result, no tools, Nova's status": {Request{Model: novaID, Messages: []message.Message{row(message.RoleUser, "a"), answer}}, converseOptions{},
			`{"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[` + reason + `,` + use + `]},` +
				`{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"` + noResult + `"}],"status":"error"}}]}]` +
				`,"toolConfig":{"tools":[{"toolSpec":{"name":"read","description":"No longer available.","inputSchema":{"json":{"type":"object","properties":{}}}}}]}}`},
		"marks": {Request{Model: novaID, System: "Be.", Messages: []message.Message{row(message.RoleUser, "a"), row(message.RoleAssistant, "b"), row(message.RoleUser, "c")}}, converseOptions{cache: true},
			`{"messages":[{"role":"user","content":[{"text":"a"},{"cachePoint":{"type":"default"}}]},{"role":"assistant","content":[{"text":"b"}]},{"role":"user","content":[{"text":"c"},{"cachePoint":{"type":"default"}}]}],` +
				`"system":[{"text":"Be."},{"cachePoint":{"type":"default"}}]}`},
		"what was refused": {Request{Model: novaID, System: "Be.", Tools: tools, Messages: []message.Message{row(message.RoleUser, "a"), answer, result("tooluse_1", "r", "")}},
			converseOptions{cache: true, without: map[string]bool{converseCache: true, converseSystem: true, "reasoningContent": true}},
			`{"messages":[{"role":"user","content":[{"text":"Be."},{"text":"a"}]},{"role":"assistant","content":[` + use + `]},` +
				`{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"r"}]}}]}]` + offer + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := writeConverse(c.req, c.o)
			want := strings.ReplaceAll(c.want, "ID1", message.DeterministicCallID("a|1", "", 0))
			if string(got) != want || !json.Valid(got) {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// TestConverseDamaged wants rows whose blocks cannot be sent, or are not those
// of the row, written from the neutral view.
func TestConverseDamaged(t *testing.T) {
	call := []message.ToolCall{{ID: "t", Name: "n", Arguments: "{}"}}
	for name, blocks := range map[string][]json.RawMessage{
		"no JSON":      raws(`{"text":`),
		"no object":    raws(`"text"`),
		"two things":   raws(`{"text":"a","toolUse":{}}`),
		"another call": raws(`{"toolUse":{"toolUseId":"other","name":"n","input":{}}}`),
		"no call":      raws(`{"text":"a"}`),
		"none":         nil,
	} {
		got, _ := writeConverse(Request{Model: "m", Messages: []message.Message{{Role: message.RoleUser, Content: "a"},
			{Role: message.RoleAssistant, Content: "kept", ToolCalls: call, Vendor: VendorBedrock, Blocks: blocks}}}, converseOptions{})
		if !bytes.Contains(got, []byte(`[{"text":"kept"},{"toolUse":{"toolUseId":"t","name":"n","input":{}}}]`)) || !json.Valid(got) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestConverseLearns wants a part a model does not take left out at once and in
// later requests, and an answer without a stream where tools need that.
func TestConverseLearns(t *testing.T) {
	answer := `{"metrics":{},"output":{"message":{"role":"assistant","content":[{"text":"ok"},  {"toolUse":{"toolUseId":"t1","name":"n","input":{"z":1.0,  "a":9007199254740993}}},{"hologram":{"x":1}}]}},"stopReason":"tool_use","usage":{"inputTokens":3,"outputTokens":4}}`
	var rec *recorder
	rec = newRecorder(t, func(w http.ResponseWriter, r *http.Request, nth int) {
		body := string(rec.sent(t, nth-1))
		switch {
		case strings.HasSuffix(r.URL.Path, "/converse-stream") && strings.Contains(body, "cachePoint"):
			refuse(w, 400, "ValidationException", "You invoked an unsupported model or your request did not allow prompt caching.")
		case strings.Contains(body, `"system"`):
			refuse(w, 400, "ValidationException", "This model doesn't support system messages. Try again without a system message or use a model that supports system messages.")
		case strings.Contains(body, `"reasoningContent"`):
			refuse(w, 400, "ValidationException", "Reasoning content is not supported in messages")
		case strings.HasSuffix(r.URL.Path, "/converse-stream"):
			refuse(w, 400, "ValidationException", "This model doesn't support tool use in streaming mode.")
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(answer))
		}
	})
	p := newBedrock(t, BedrockOptions{BaseURL: rec.URL, CacheTTL: "5m"})
	req := ask("go")
	req.Model = novaID
	req.Messages = append(req.Messages, message.Message{Role: message.RoleAssistant, Content: "x", Vendor: VendorBedrock,
		Blocks: raws(`{"reasoningContent":{"reasoningText":{"text":"hm"}}}`, `{"text":"x"}`)}, message.Message{Role: message.RoleUser, Content: "on"})
	var shown strings.Builder
	turn, err := p.Stream(context.Background(), req, func(s string) { shown.WriteString(s) })
	if err != nil {
		t.Fatal(err)
	}
	want := raws(`{"text":"ok"}`, `{"toolUse":{"toolUseId":"t1","name":"n","input":{"z":1.0,  "a":9007199254740993}}}`, `{"hologram":{"x":1}}`)
	if !slices.EqualFunc(turn.Blocks, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) || shown.String() != "ok" || turn.Content != "ok" {
		t.Errorf("blocks %s, shown %q", turn.Blocks, shown.String())
	}
	if turn.ToolCalls[0].Arguments != `{"z":1.0,  "a":9007199254740993}` || turn.Usage != (message.Usage{InputTokens: 3, OutputTokens: 4}) || turn.Stop != message.StopToolCalls {
		t.Errorf("turn %+v", turn)
	}
	before := rec.count()
	if _, err := p.Stream(context.Background(), req, nil); err != nil || rec.count() != before+1 {
		t.Errorf("the second pass took %d requests, error %v", rec.count()-before, err)
	}
}
