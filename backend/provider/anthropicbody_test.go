package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"hermes/backend/message"
)

func raws(blocks ...string) []json.RawMessage {
	out := make([]json.RawMessage, len(blocks))
	for i, b := range blocks {
		out[i] = json.RawMessage(b)
	}
	return out
}

// messagesOf is the "messages" of a written body.
func messagesOf(t *testing.T, rows []message.Message, o messagesOptions) string {
	t.Helper()
	written := writeMessages(Request{Model: "claude-sonnet-4-5", Messages: rows}, o)
	if !json.Valid(written.raw) {
		t.Fatalf("not JSON: %s", written.raw)
	}
	return string(fieldOf(t, written.raw, "messages"))
}

func TestMessagesBody(t *testing.T) {
	req := Request{
		Model: "claude-sonnet-4-5", System: "S & <s>",
		Messages: []message.Message{{Role: message.RoleUser, Content: "hi\u2028\x01"}},
		Tools:    []message.ToolDef{{Name: "a", Description: "Does <this>", Parameters: json.RawMessage(`{"type": "object"}`)}, {Name: "b"}, {Name: "c", Parameters: json.RawMessage(`{"properties":{}}`)}},
	}
	const tools = `"tools":[{"name":"a","description":"Does <this>","input_schema":{"type": "object"}},{"name":"b","input_schema":{"type":"object","properties":{}}},{"name":"c","input_schema":{"type":"object","properties":{}}`
	const said = `"messages":[{"role":"user","content":[{"type":"text","text":"hi` + "\u2028" + `\u0001"`
	for name, c := range map[string]struct {
		options messagesOptions
		change  func(*Request)
		want    string
	}{
		"plain":        {messagesOptions{}, nil, `{"model":"claude-sonnet-4-5","max_tokens":32000,"system":[{"type":"text","text":"S & <s>"}],` + tools + `}],` + said + `}]}],"stream":true}`},
		"bedrock":      {messagesOptions{version: "bedrock-2023-05-31"}, nil, `{"anthropic_version":"bedrock-2023-05-31","max_tokens":32000,"system":[{"type":"text","text":"S & <s>"}],` + tools + `}],` + said + `}]}]}`},
		"marked":       {messagesOptions{cache: "5m"}, nil, `{"model":"claude-sonnet-4-5","max_tokens":32000,"system":[{"type":"text","text":"S & <s>","cache_control":{"type":"ephemeral"}}],` + tools + `}],` + said + `,"cache_control":{"type":"ephemeral"}}]}],"stream":true}`},
		"marked tools": {messagesOptions{cache: "1h"}, func(r *Request) { r.System = "" }, `{"model":"claude-sonnet-4-5","max_tokens":32000,` + tools + `,"cache_control":{"type":"ephemeral","ttl":"1h"}}],` + said + `,"cache_control":{"type":"ephemeral","ttl":"1h"}}]}],"stream":true}`},
		"refused mark": {messagesOptions{cache: "1h", without: map[string]bool{cacheKey: true}}, func(r *Request) { r.Tools, r.MaxTokens = nil, 7 }, `{"model":"claude-sonnet-4-5","max_tokens":7,"system":[{"type":"text","text":"S & <s>"}],` + said + `}]}],"stream":true}`},
		"unknown":      {messagesOptions{}, func(r *Request) { r.Tools, r.System, r.Model = nil, " \n", "m<1>" }, `{"model":"m<1>","max_tokens":8192,` + said + `}]}],"stream":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := req
			if c.change != nil {
				c.change(&r)
			}
			if got := string(writeMessages(r, c.options).raw); got != c.want {
				t.Errorf("body\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestMessagesRows(t *testing.T) {
	user := func(s string) message.Message { return message.Message{Role: message.RoleUser, Content: s} }
	result := func(id string, status message.Status, s string) message.Message {
		return message.Message{Role: message.RoleTool, ToolCallID: id, ToolName: "f", Status: status, Content: s}
	}
	const thinking = `{ "type":"thinking", "thinking":"<b>&\u2028", "signature":"s==", "n":90071992547409931234 }`
	const use1 = `{"type":"tool_use","id":"toolu_1","name":"f","input":{ "f":1.0 }}`
	const use2 = `{"type":"tool_use","id":"toolu_2","name":"f","input":{}}`
	own := message.Message{
		Role: message.RoleAssistant, Vendor: VendorAnthropic,
		Blocks:    raws(thinking, `{"type":"text","text":"\n "}`, use1, thinking, use2),
		ToolCalls: []message.ToolCall{{ID: "toolu_1", Name: "f", Arguments: `{ "f":1.0 }`}, {ID: "toolu_2", Name: "f", Arguments: "{}"}},
	}
	damaged, lost := own, own
	damaged.Blocks = raws(thinking, use1)
	lost.Blocks, lost.Content = raws(thinking, use1, use2, `{"type":`), "said"
	foreign := message.Message{
		Role: message.RoleAssistant, Content: "I <call>", Vendor: VendorOpenAI, Blocks: raws(`{"role":"assistant","reasoning_content":"secret"}`),
		ToolCalls: []message.ToolCall{{ID: "a.b:0", Name: "bad name", Arguments: `{"x": 1.0}`}, {ID: "c", Name: "", Arguments: `[1`}, {ID: "d", Name: "n", Arguments: " "}},
	}
	odd := wireID("a.b:0")
	const u = `{"role":"user","content":[{"type":"text","text":"go"}]},`
	const neutral = `{"type":"tool_use","id":"toolu_1","name":"f","input":{ "f":1.0 }},{"type":"tool_use","id":"toolu_2","name":"f","input":{}}]},`
	const two = `{"type":"tool_result","tool_use_id":"toolu_1","content":"one"},{"type":"tool_result","tool_use_id":"toolu_2","content":"two"`
	for name, c := range map[string]struct {
		rows []message.Message
		want string
	}{
		"own blocks in their order, results in call order, the next text behind them": {
			[]message.Message{user("go"), own, result("toolu_2", message.StatusDenied, "two"), result("toolu_1", message.StatusOK, "one"), user("and")},
			`[` + u + `{"role":"assistant","content":[` + thinking + `,` + use1 + `,` + thinking + `,` + use2 + `]},{"role":"user","content":[` + two + `,"is_error":true},{"type":"text","text":"and"}]}]`,
		},
		"a call without a result": {
			[]message.Message{user("go"), own, result("toolu_1", "", "")},
			`[` + u + `{"role":"assistant","content":[` + thinking + `,` + use1 + `,` + thinking + `,` + use2 + `]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1"},{"type":"tool_result","tool_use_id":"toolu_2","content":"` + noResult + `","is_error":true}]}]`,
		},
		"blocks that are not the calls of the row": {
			[]message.Message{user("go"), damaged, result("toolu_1", "", "one"), result("toolu_2", "", "two")},
			`[` + u + `{"role":"assistant","content":[` + neutral + `{"role":"user","content":[` + two + `}]}]`,
		},
		"blocks that are broken": {
			[]message.Message{user("go"), lost, result("toolu_1", "", "one"), result("toolu_2", "", "two")},
			`[` + u + `{"role":"assistant","content":[{"type":"text","text":"said"},` + neutral + `{"role":"user","content":[` + two + `}]}]`,
		},
		"another vendor's row": {
			[]message.Message{user("go"), foreign, result("a.b:0", "", "r<>"), result("c", message.StatusError, "bad"), result("d", "", "x")},
			`[` + u + `{"role":"assistant","content":[{"type":"text","text":"I <call>"},{"type":"tool_use","id":"` + odd + `","name":"bad_name","input":{"x": 1.0}},{"type":"tool_use","id":"c","name":"_","input":{"INVALID_JSON":"[1"}},{"type":"tool_use","id":"d","name":"n","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + odd + `","content":"r<>"},{"type":"tool_result","tool_use_id":"c","content":"bad","is_error":true},{"type":"tool_result","tool_use_id":"d","content":"x"}]}]`,
		},
		"roles take turns, nothing is empty, the user is first": {
			[]message.Message{{Role: message.RoleAssistant, Content: "a"}, {Role: message.RoleAssistant, Content: " "}, {Role: message.RoleAssistant, Content: "b"}, user(""), result("gone", "", "late"), {Role: message.RoleSystem, Content: "s"}},
			`[{"role":"user","content":[{"type":"text","text":"` + goingOn + `"}]},{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},` +
				`{"role":"user","content":[{"type":"text","text":"` + noText + `"},{"type":"text","text":"Result of an earlier call of f: late"},{"type":"text","text":"s"}]}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := messagesOf(t, c.rows, messagesOptions{}); got != c.want {
				t.Errorf("messages\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// Marks stand on the last three messages the program wrote, and never change a
// vendor's block.
func TestMarkersLeaveBlocksAlone(t *testing.T) {
	const block = `{"type":"text", "text":"a" }`
	var rows []message.Message
	for range 6 {
		rows = append(rows, message.Message{Role: message.RoleUser, Content: "u"},
			message.Message{Role: message.RoleAssistant, Vendor: VendorAnthropic, Content: "a", Blocks: raws(block)})
	}
	rows = append(rows, message.Message{Role: message.RoleUser, Content: "last"})
	got := messagesOf(t, rows, messagesOptions{cache: "5m"})
	if n := strings.Count(got, cacheKey); n != maxMarkers {
		t.Errorf("%d marks: %s", n, got)
	}
	if n := strings.Count(got, `[`+block+`]`); n != 6 {
		t.Errorf("%d blocks are as stored: %s", n, got)
	}
	const marked = `{"type":"text","text":"u","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[` + block + `]}`
	const end = marked + `,{"role":"user","content":[` + marked + `,{"role":"user","content":[{"type":"text","text":"last","cache_control":{"type":"ephemeral"}}]}]`
	if !strings.HasSuffix(got, end) {
		t.Errorf("the marks are not at the end: %s", got)
	}
}

func TestFactsKnowFamilies(t *testing.T) {
	for name, window := range map[string]int{
		"claude-sonnet-4-5-20250929": 200_000, "anthropic/claude-sonnet-4.5": 200_000, "us.anthropic.claude-sonnet-4-5-20250929-v1:0": 200_000,
		"claude-3-5-haiku-latest": 200_000, "claude-sonnet-4@20250514": 200_000, "openai/gpt-4o-2024-11-20": 128_000, "gpt-5.1": 400_000,
		"google/gemini-2.5-pro": 1_048_576,
		"gpt-5-pro":             0, "claude-opus-9": 0, "": 0, "llama3:8b": 0, "gpt-4o-audio-preview": 0,
	} {
		f, known := Facts(name)
		if f.Window != window || known != (window > 0) {
			t.Errorf("%s: %+v, known %v", name, f, known)
		}
	}
	for name, priced := range map[string]bool{"claude-opus-5-5": true, "claude-haiku-5-5": false, "claude-3-5-sonnet": false, "o3": false, "o4-mini": true, "gpt-4o-2024-05-13": false, "gpt-4o-2024-08-06": true} {
		if f, known := Facts(name); f.Priced != priced || !known {
			t.Errorf("%s: %+v, known %v", name, f, known)
		}
	}
	if f, _ := Facts("us.anthropic.claude-opus-4-7-v1:0"); f.Window != 200_000 || f.Input != 5 {
		t.Errorf("through Bedrock: %+v", f)
	}
	f, _ := Facts("claude-sonnet-4-5")
	use := message.Usage{InputTokens: 3_000_000, CacheRead: 1_000_000, CacheWrite: 1_000_000, OutputTokens: 1_000_000}
	if got := f.Cost(use); got < 22.04 || got > 22.06 {
		t.Errorf("cost %v, want 3 + 0.30 + 3.75 + 15", got)
	}
	if got := (ModelFacts{Input: 5}).Cost(use); got != 0 {
		t.Errorf("an unpriced model costs %v", got)
	}
}
