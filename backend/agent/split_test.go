package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/agent"
	"hermes/backend/message"
)

func batch(entries ...string) string { return `{"calls":[` + strings.Join(entries, ",") + `]}` }

func toolCall(id, arguments string) message.ToolCall {
	return message.ToolCall{ID: id, Name: "tool_call", Arguments: arguments}
}

const (
	readEntry   = `{"name":"mcp__files__read","arguments":{"path":"a.txt"}}`
	logEntry    = `{"name":"mcp__git__log","arguments":{"n":5}}`
	createEntry = `{"name":"mcp__tracker__create","arguments":{"title":"Gr\u00fc\u00dfe"}}`

	readText   = `{"calls": [{"name": "mcp__files__read", "arguments": {"path": "a.txt"}}]}`
	logText    = `{"calls": [{"name": "mcp__git__log", "arguments": {"n": 5}}]}`
	createText = `{"calls": [{"name": "mcp__tracker__create", "arguments": {"title": "Grüße"}}]}`
)

// vector is the batch of the reference with its computed ids.
func vector() (string, []message.ToolCall) {
	return batch(readEntry, logEntry, createEntry), []message.ToolCall{
		toolCall("batch", readText), toolCall("call_ce00a3258e67", logText), toolCall("call_eee5e114c11d", createText),
	}
}

func TestSplitCalls(t *testing.T) {
	three, children := vector()
	eleven := batch(slices.Repeat([]string{readEntry}, 11)...)
	ten := batch(slices.Repeat([]string{logEntry}, 10)...)
	var tenCalls []message.ToolCall
	for i := range 10 {
		id := "batch"
		if i > 0 {
			id = message.DeterministicCallID("tool_call", "batch"+logText, i)
		}
		tenCalls = append(tenCalls, toolCall(id, logText))
	}
	one := func(arguments string) []message.ToolCall { return []message.ToolCall{toolCall("batch", arguments)} }
	connector := `{"name":"connectors__mail__send","arguments":{}}`
	for _, test := range []struct {
		name string
		in   []message.ToolCall
		want []message.ToolCall // nil: as it was
	}{
		{"no calls", nil, nil},
		{"the vector", one(three), children},
		{"two entries", one(batch(readEntry, logEntry)), children[:2]},
		{"ten identical entries stay ten calls", one(ten), tenCalls},
		{"calls as JSON text", one(`{"calls":` + mustJSON("["+readEntry+","+logEntry+"]") + `}`), children[:2]},
		{"arguments as JSON text", one(batch(`{"name":"mcp__files__read","arguments":"{\"path\":\"a.txt\"}"}`, logEntry)), children[:2]},
		{"arguments missing, null and blank", one(batch(`{"name":"a"}`, `{"name":"b","arguments":null}`, `{"name":"c","arguments":" "}`)), []message.ToolCall{
			toolCall("batch", `{"calls": [{"name": "a", "arguments": {}}]}`),
			toolCall(message.DeterministicCallID("tool_call", `batch{"calls": [{"name": "b", "arguments": {}}]}`, 1), `{"calls": [{"name": "b", "arguments": {}}]}`),
			toolCall(message.DeterministicCallID("tool_call", `batch{"calls": [{"name": "c", "arguments": {}}]}`, 2), `{"calls": [{"name": "c", "arguments": {}}]}`),
		}},
		{"local and connector", one(batch(readEntry, connector)), []message.ToolCall{
			children[0],
			toolCall(message.DeterministicCallID("tool_call", `batch{"calls": [{"name": "connectors__mail__send", "arguments": {}}]}`, 1), `{"calls": [{"name": "connectors__mail__send", "arguments": {}}]}`),
		}},
		{"connectors only", one(batch(connector, connector)), nil},
		{"eleven entries", one(eleven), nil},
		{"one entry", one(batch(readEntry)), nil},
		{"one object", one(`{"calls":` + readEntry + `}`), nil},
		{"legacy", one(`{"name":"mcp__files__read","arguments":{}}`), nil},
		{"no entries", one(`{"calls":[]}`), nil},
		{"not JSON", one(`{"calls":[` + readEntry), nil},
		{"an entry that is no object", one(batch(readEntry, "7")), nil},
		{"an entry without a name", one(batch(readEntry, `{"arguments":{}}`)), nil},
		{"an entry that calls the bridge", one(batch(readEntry, `{"name":"tool_call","arguments":{}}`)), nil},
		{"arguments that are no object", one(batch(readEntry, `{"name":"a","arguments":[]}`)), nil},
		{"another tool with the same arguments", []message.ToolCall{{ID: "x", Name: "mcp__x__calls", Arguments: three}}, nil},
		{"batches among other calls", []message.ToolCall{{ID: "p", Name: "tool_search", Arguments: "{}"}, toolCall("batch", batch(readEntry, logEntry)), {ID: "q", Name: "x", Arguments: ""}},
			[]message.ToolCall{{ID: "p", Name: "tool_search", Arguments: "{}"}, children[0], children[1], {ID: "q", Name: "x", Arguments: ""}}},
		{"ids used twice", []message.ToolCall{{ID: "a", Name: "x"}, {ID: "a", Name: "y"}, {ID: "a_d2", Name: "z"}, {ID: "a", Name: "w"}},
			[]message.ToolCall{{ID: "a", Name: "x"}, {ID: "a_d3", Name: "y"}, {ID: "a_d2", Name: "z"}, {ID: "a_d4", Name: "w"}}},
		{"two batches of one id", []message.ToolCall{toolCall("batch", batch(readEntry, logEntry)), toolCall("batch", batch(readEntry, logEntry))}, []message.ToolCall{
			children[0], children[1], toolCall("batch_d2", readText),
			toolCall(message.DeterministicCallID("tool_call", "batch_d2"+logText, 1), logText),
		}},
		{"no id", []message.ToolCall{{Name: "terminal", Arguments: `{"command":"ls"}`}}, []message.ToolCall{{ID: "call_40ccaef54d02", Name: "terminal", Arguments: `{"command":"ls"}`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			if want == nil {
				want = slices.Clone(test.in)
			}
			before := slices.Clone(test.in)
			got := agent.Split(agent.Turn{ToolCalls: test.in})
			if !reflect.DeepEqual(got.ToolCalls, want) {
				t.Errorf("got  %v\nwant %v", got.ToolCalls, want)
			}
			if !reflect.DeepEqual(test.in, before) {
				t.Errorf("the given calls were changed: %v", test.in)
			}
			if again := agent.Split(got); !reflect.DeepEqual(again, got) {
				t.Errorf("splitting again gives %v", again.ToolCalls)
			}
		})
	}
}

func mustJSON(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func raws(blocks ...string) []json.RawMessage {
	var out []json.RawMessage
	for _, block := range blocks {
		out = append(out, json.RawMessage(block))
	}
	return out
}

func TestSplitBlocks(t *testing.T) {
	three, children := vector()
	inputOf := func(i int) string { return children[i].Arguments }
	const (
		thinking = `{"type":"thinking","thinking":"a \u003c b","signature":"c2ln\u002f"}`
		redacted = "{ \"type\" : \"redacted_thinking\",\n\"data\":\"x\" }"
		say      = `{"type":"text","text":"tool_use batch"}`
	)
	for _, test := range []struct {
		name     string
		calls    []message.ToolCall
		in, want []json.RawMessage
	}{
		{"anthropic, signed thinking before, between and after", []message.ToolCall{toolCall("batch", three), {ID: "other", Name: "x", Arguments: `{"a":1}`}},
			raws(thinking, say, `{"type":"tool_use", "id":"batch","name":"tool_call","input":`+three+`,"caller":{"type":"direct"}}`, redacted, `{"type":"tool_use","id":"other","name":"x","input":{"a": 1}}`, thinking),
			raws(thinking, say,
				`{"type":"tool_use", "id":"batch","name":"tool_call","input":`+inputOf(0)+`,"caller":{"type":"direct"}}`,
				`{"type": "tool_use", "id": "call_ce00a3258e67", "name": "tool_call", "input": `+inputOf(1)+`}`,
				`{"type": "tool_use", "id": "call_eee5e114c11d", "name": "tool_call", "input": `+inputOf(2)+`}`,
				redacted, `{"type":"tool_use","id":"other","name":"x","input":{"a": 1}}`, thinking)},
		{"bedrock", []message.ToolCall{toolCall("batch", batch(readEntry, logEntry))},
			raws(`{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}}`, `{"toolUse":{"toolUseId":"batch","name":"tool_call","input":{}},"x":1}`, `{"text":"hi"}`),
			raws(`{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}}`,
				`{"toolUse":{"toolUseId":"batch","name":"tool_call","input":`+inputOf(0)+`},"x":1}`,
				`{"toolUse": {"toolUseId": "call_ce00a3258e67", "name": "tool_call", "input": `+inputOf(1)+`}}`, `{"text":"hi"}`)},
		{"openai, with a thought signature", []message.ToolCall{{ID: "p", Name: "x", Arguments: "{}"}, toolCall("batch", batch(readEntry, logEntry))},
			raws(`{"role":"assistant","content":null,"reasoning_details":[{"data":"\u003c"}],"tool_calls":[{"id":"p","type":"function","function":{"name":"x","arguments":"{}"}}, {"index":1,"id":"batch","function":{"arguments":"..","name":"tool_call"},"extra_content":{"google":{"thought_signature":"s"}}}],"refusal":null}`),
			raws(`{"role":"assistant","content":null,"reasoning_details":[{"data":"\u003c"}],"tool_calls":[{"id":"p","type":"function","function":{"name":"x","arguments":"{}"}}, {"index":1,"id":"batch","function":{"arguments":` + mustJSON(readText) + `,"name":"tool_call"},"extra_content":{"google":{"thought_signature":"s"}}}, {"id": "call_ce00a3258e67", "type": "function", "function": {"name": "tool_call", "arguments": ` + mustJSON(logText) + `}}],"refusal":null}`)},
		{"renamed only", []message.ToolCall{{ID: "a", Name: "x", Arguments: "{}"}, {ID: "a", Name: "y", Arguments: "{}"}},
			raws(`{"type":"tool_use","id":"a","name":"x","input":{}}`, `{"type":"tool_use","id":"a","name":"y","input":{ }}`),
			raws(`{"type":"tool_use","id":"a","name":"x","input":{}}`, `{"type":"tool_use","id":"a_d2","name":"y","input":{ }}`)},
		{"an id the vendor left out", []message.ToolCall{{Name: "terminal", Arguments: `{"command":"ls"}`}},
			raws(`{"role":"assistant","tool_calls":[{"function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}}]}`),
			raws(`{"role":"assistant","tool_calls":[{"id": "call_40ccaef54d02", "function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}}]}`)},
		{"nothing to do", []message.ToolCall{toolCall("batch", batch(readEntry))},
			raws(`{"type":"tool_use","id":"batch","name":"tool_call","input":{ "calls":[]}}`, `not json`, `[1]`, `{"tool_calls":7}`, `{"toolUse":7}`, `{"type":"tool_use","id":"nobody"}`), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			if want == nil {
				want = test.in
			}
			before := fmt.Sprintf("%s", test.in)
			got := agent.Split(agent.Turn{ToolCalls: test.calls, Blocks: test.in})
			if len(got.Blocks) != len(want) {
				t.Fatalf("%d blocks, want %d: %s", len(got.Blocks), len(want), got.Blocks)
			}
			for i := range want {
				if !bytes.Equal(got.Blocks[i], want[i]) {
					t.Errorf("block %d\n got %s\nwant %s", i, got.Blocks[i], want[i])
				}
			}
			if fmt.Sprintf("%s", test.in) != before {
				t.Error("the given blocks were changed")
			}
		})
	}
}

// TestSplitLaws draws whole turns: ids are unique, order is kept, the blocks
// and the calls say the same, and everything else keeps its bytes.
func TestSplitLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := rapid.SampledFrom([]string{readEntry, logEntry, createEntry, `{"name":"connectors__x__y"}`, `{"arguments":{}}`, "7"})
		id := rapid.SampledFrom([]string{"a", "b", "a_d2", "", "call_ce00a3258e67"})
		vendor := rapid.SampledFrom([]string{"anthropic", "bedrock", "openai"}).Draw(t, "vendor")
		var turn agent.Turn
		var list []string
		filler := 0
		for range rapid.IntRange(1, 5).Draw(t, "calls") {
			call := toolCall(id.Draw(t, "id"), batch(rapid.SliceOfN(entry, 0, 12).Draw(t, "entries")...))
			turn.ToolCalls = append(turn.ToolCalls, call)
			if vendor != "openai" {
				filler++
				turn.Blocks = append(turn.Blocks, json.RawMessage(fmt.Sprintf(`{ "type":"thinking","signature":"%d" }`, filler)))
			}
			switch vendor {
			case "anthropic":
				turn.Blocks = append(turn.Blocks, json.RawMessage(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"tool_call","input":%s}`, call.ID, call.Arguments)))
			case "bedrock":
				turn.Blocks = append(turn.Blocks, json.RawMessage(fmt.Sprintf(`{"toolUse":{"toolUseId":%q,"name":"tool_call","input":%s}}`, call.ID, call.Arguments)))
			default:
				list = append(list, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"tool_call","arguments":%s}}`, call.ID, mustJSON(call.Arguments)))
			}
		}
		if vendor == "openai" {
			turn.Blocks = raws(`{"role":"assistant","tool_calls":[` + strings.Join(list, ",") + `]}`)
		}
		got := agent.Split(turn)
		if !reflect.DeepEqual(agent.Split(got), got) {
			t.Fatal("splitting again changes something")
		}
		seen := map[string]bool{}
		for _, call := range got.ToolCalls {
			if seen[call.ID] || call.ID == "" {
				t.Fatalf("the id %q is not unique", call.ID)
			}
			seen[call.ID] = true
		}
		inBlocks, fillers := readBlocks(t, got.Blocks)
		if len(inBlocks) != len(got.ToolCalls) || fillers != filler {
			t.Fatalf("%d calls in the blocks, %d in the view; %d of %d other blocks", len(inBlocks), len(got.ToolCalls), fillers, filler)
		}
		for i, call := range got.ToolCalls {
			if inBlocks[i].ID != call.ID || !sameJSON(inBlocks[i].Arguments, call.Arguments) {
				t.Fatalf("call %d: block %v, view %v", i, inBlocks[i], call)
			}
		}
	})
}

// readBlocks reads the calls back with a decoder of its own, and counts the
// thinking blocks that are in place with their bytes.
func readBlocks(t *rapid.T, blocks []json.RawMessage) (calls []message.ToolCall, fillers int) {
	for _, block := range blocks {
		if string(block) == fmt.Sprintf(`{ "type":"thinking","signature":"%d" }`, fillers+1) {
			fillers++
			continue
		}
		var b struct {
			ID      string          `json:"id"`
			Input   json.RawMessage `json:"input"`
			ToolUse *struct {
				ID    string          `json:"toolUseId"`
				Input json.RawMessage `json:"input"`
			} `json:"toolUse"`
			Calls []struct {
				ID       string `json:"id"`
				Function struct {
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(block, &b); err != nil {
			t.Fatalf("%s: %v", block, err)
		}
		switch {
		case b.ToolUse != nil:
			calls = append(calls, message.ToolCall{ID: b.ToolUse.ID, Arguments: string(b.ToolUse.Input)})
		case b.Calls != nil:
			for _, c := range b.Calls {
				calls = append(calls, message.ToolCall{ID: c.ID, Arguments: c.Function.Arguments})
			}
		default:
			calls = append(calls, message.ToolCall{ID: b.ID, Arguments: string(b.Input)})
		}
	}
	return calls, fillers
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func FuzzSplit(f *testing.F) {
	three, _ := vector()
	f.Add("batch", three, []byte(`{"type":"tool_use","id":"batch","input":{}}`))
	f.Add("", three, []byte(`{"tool_calls":[{"id":"","function":{"arguments":""}},{}]}`))
	f.Add("x", `{"calls":"[{\"name\":\"a\"},{\"name\":\"b\"}]"}`, []byte(`{"toolUse":{"toolUseId":"x","input":null,"input":1}}`))
	f.Add("x", `{`, []byte(`{"type":"tool_use","id":"x","id":"y"}`))
	f.Fuzz(func(t *testing.T, id, arguments string, block []byte) {
		turn := agent.Turn{ToolCalls: []message.ToolCall{toolCall(id, arguments), toolCall(id, arguments)}, Blocks: []json.RawMessage{block, []byte(`{"type":"thinking"}`), block}}
		got := agent.Split(turn)
		seen := map[string]bool{}
		for _, call := range got.ToolCalls {
			if seen[call.ID] {
				t.Fatalf("the id %q is not unique", call.ID)
			}
			seen[call.ID] = true
			if len(got.ToolCalls) > 2 && !json.Valid([]byte(call.Arguments)) {
				t.Fatalf("a child got %q", call.Arguments)
			}
		}
		if n := slices.IndexFunc(got.Blocks, func(b json.RawMessage) bool { return string(b) == `{"type":"thinking"}` }); n < 0 {
			t.Fatal("an untouched block is gone")
		}
		for _, b := range got.Blocks {
			if json.Valid(block) && !json.Valid(b) {
				t.Fatalf("%q became %q", block, b)
			}
		}
		if !reflect.DeepEqual(agent.Split(got).ToolCalls, got.ToolCalls) {
			t.Fatal("splitting again changes the calls")
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	entries := slices.Repeat([]string{readEntry, createEntry}, 5)
	turn := agent.Turn{ToolCalls: []message.ToolCall{toolCall("batch", batch(entries...))},
		Blocks: raws(`{"type":"thinking","thinking":"...","signature":"..."}`, `{"type":"tool_use","id":"batch","name":"tool_call","input":`+batch(entries...)+`}`)}
	b.ReportAllocs()
	for b.Loop() {
		if got := agent.Split(turn); len(got.ToolCalls) != 10 {
			b.Fatal(len(got.ToolCalls))
		}
	}
}
