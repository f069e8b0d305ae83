package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hermes/backend/message"
)

// assembled runs events through an assembler.
func assembled(t *testing.T, events ...string) (Turn, *messageAssembler) {
	t.Helper()
	a := &messageAssembler{}
	for _, e := range events {
		if err := a.event([]byte(e)); err != nil {
			t.Fatalf("%s: %v", e, err)
		}
	}
	return a.turn(), a
}

func blockStart(i int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, block)
}

func blockDelta(i int, delta string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, delta)
}

func blockStop(i int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i) }

func stopWith(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":9}}`
}

const (
	messageStart = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":5,"cache_read_input_tokens":70,"cache_creation_input_tokens":11,"output_tokens":1}}}`
	messageStop  = `{"type":"message_stop"}`
)

type assembling struct {
	events []string
	blocks []string
	text   string
	calls  []message.ToolCall
}

func assemblies() map[string]assembling {
	use := func(id, name, arguments string) []message.ToolCall {
		return []message.ToolCall{{ID: id, Name: name, Arguments: arguments}}
	}
	return map[string]assembling{
		"text": {
			[]string{blockStart(0, `{"type":"text","text":""}`), blockDelta(0, `{"type":"text_delta","text":"Gr\u00fc"}`), blockDelta(0, `{"type":"text_delta","text":"\ud83d"}`), blockDelta(0, `{"type":"text_delta","text":"\ude00 <b>&"}`), blockStop(0)},
			[]string{`{"type":"text","text":"Gr\u00fc\ud83d\ude00 <b>&"}`}, "Grü😀 <b>&", nil,
		},
		"text that is there at the start": {
			[]string{blockStart(0, `{"type":"text","text":"ab"}`), blockDelta(0, `{"type":"text_delta","text":"c"}`)},
			[]string{`{"type":"text","text":"abc"}`}, "abc", nil,
		},
		"signed thinking": {
			[]string{blockStart(0, `{"type":"thinking","thinking":"","signature":"","odd":`+odd+`}`), blockDelta(0, `{"type":"thinking_delta","thinking":"a\u2028"}`), blockDelta(0, `{"type":"thinking_delta","thinking":"b"}`), blockDelta(0, `{"type":"signature_delta","signature":"x<y>=="}`)},
			[]string{`{"type":"thinking","thinking":"a\u2028b","signature":"x<y>==","odd":` + odd + `}`}, "", nil,
		},
		"redacted thinking keeps every byte": {
			[]string{blockStart(0, `{ "type":"redacted_thinking" , "data":"a\/b", "n":1.0 }`)},
			[]string{`{ "type":"redacted_thinking" , "data":"a\/b", "n":1.0 }`}, "", nil,
		},
		"a call": {
			[]string{blockStart(0, `{"type":"tool_use","id":"toolu_1","name":"f","input":{},"caller":{"type":"direct"}}`), blockDelta(0, `{"type":"input_json_delta","partial_json":""}`), blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"n\": 90071992547409931234,"}`), blockDelta(0, `{"type":"input_json_delta","partial_json":" \"f\":1.0 , \"s\":\"\\u0000<\"}"}`)},
			[]string{`{"type":"tool_use","id":"toolu_1","name":"f","input":{"n": 90071992547409931234, "f":1.0 , "s":"\u0000<"},"caller":{"type":"direct"}}`}, "",
			use("toolu_1", "f", `{"n": 90071992547409931234, "f":1.0 , "s":"\u0000<"}`),
		},
		"a call without input": {
			[]string{blockStart(0, `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`)},
			[]string{`{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`}, "", use("toolu_1", "f", `{}`),
		},
		"a call whose input is no JSON": {
			[]string{blockStart(0, `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`), blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"a\": "}`)},
			[]string{`{"type":"tool_use","id":"toolu_1","name":"f","input":{"INVALID_JSON":"{\"a\": "}}`}, "", use("toolu_1", "f", `{"a": `),
		},
		"a call without an id gets one, always the same": {
			[]string{blockStart(0, `{"type":"tool_use","name":"terminal","input":{"command":"ls"}}`)},
			[]string{`{"type":"tool_use","name":"terminal","input":{"command":"ls"},"id":"call_40ccaef54d02"}`}, "",
			use("call_40ccaef54d02", "terminal", `{"command":"ls"}`),
		},
		"server tools are not ours to run": {
			[]string{blockStart(0, `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`), blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}`), blockStart(1, `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"encrypted_content":"a\/"}]}`)},
			[]string{`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}`, `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"encrypted_content":"a\/"}]}`}, "", nil,
		},
		"citations": {
			[]string{blockStart(0, `{"type":"text","text":"","citations":null}`), blockDelta(0, `{"type":"citations_delta","citation":{"a":1.0}}`), blockDelta(0, `{"type":"text_delta","text":"x"}`), blockDelta(0, `{"type":"citations_delta","citation":{"index":1}}`), blockDelta(0, `{"type":"citations_delta","citation":{"index":1}}`)},
			[]string{`{"type":"text","text":"x","citations":[{"a":1.0},{"index":1},{"index":1}]}`}, "x", nil,
		},
		"a block and a delta of tomorrow": {
			[]string{blockStart(0, `{"type":"hologram","depth":1.0}`), blockDelta(0, `{"type":"hologram_delta","voxels":"ab","meta":{"x":1}}`), blockDelta(0, `{"type":"hologram_delta","voxels":"c\u2028","meta":{"y":2.50}}`), `{"type":"event_of_tomorrow"}`, `{"type":"ping"}`},
			[]string{`{"type":"hologram","depth":1.0,"voxels":"abc\u2028","meta":{"x":1,"y":2.50}}`}, "", nil,
		},
		"blocks that take turns, and one number twice": {
			[]string{blockStart(0, `{"type":"text","text":""}`), blockStart(1, `{"type":"text","text":""}`), blockDelta(1, `{"type":"text_delta","text":"2"}`), blockDelta(0, `{"type":"text_delta","text":"1"}`), blockStart(0, `{"type":"text","text":""}`), blockDelta(0, `{"type":"text_delta","text":"3"}`)},
			[]string{`{"type":"text","text":"1"}`, `{"type":"text","text":"2"}`, `{"type":"text","text":"3"}`}, "123", nil,
		},
	}
}

func TestMessagesAreAssembled(t *testing.T) {
	for name, c := range assemblies() {
		t.Run(name, func(t *testing.T) {
			turn, a := assembled(t, append(append([]string{messageStart}, c.events...), stopWith("end_turn"), messageStop)...)
			if !a.ended || a.stop != "end_turn" {
				t.Errorf("ended %v, stop %q", a.ended, a.stop)
			}
			if len(turn.Blocks) != len(c.blocks) {
				t.Fatalf("blocks %s", turn.Blocks)
			}
			for i, want := range c.blocks {
				if got := string(turn.Blocks[i]); got != want || !json.Valid([]byte(got)) {
					t.Errorf("block %d\n got %s\nwant %s", i, got, want)
				}
			}
			if fmt.Sprint(turn.ToolCalls) != fmt.Sprint(c.calls) {
				t.Errorf("calls\n got %+v\nwant %+v", turn.ToolCalls, c.calls)
			}
			if turn.Content != c.text {
				t.Errorf("content %q, want %q", turn.Content, c.text)
			}
			if turn.Usage != (message.Usage{InputTokens: 86, OutputTokens: 9, CacheRead: 70, CacheWrite: 11}) {
				t.Errorf("usage %+v", turn.Usage)
			}
		})
	}
}

func TestBrokenMessageEvents(t *testing.T) {
	for event, want := range map[string]string{
		`{"type":`:                       "reading an event",
		blockDelta(3, `{"type":"x"}`):    "never began",
		blockStart(0, `"text"`):          "not a JSON object",
		`{"type":"content_block_start"}`: "not a JSON object",
		`{"type":"error","error":{"type":"overloaded_error"}}`: errVendorEvent.Error(),
	} {
		a := &messageAssembler{}
		if err := a.event([]byte(event)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", event, err)
		}
	}
	a := &messageAssembler{size: maxAnswer}
	if err := a.event([]byte(messageStop)); err == nil || errors.Is(err, errVendorEvent) {
		t.Errorf("an endless answer: %v", err)
	}
}
