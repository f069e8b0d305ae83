package provider

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes/backend/message"
)

// FuzzMessageEvents: whatever a server sends, the blocks are JSON objects in
// UTF-8, the calls are those of the blocks, and the answer can be sent back.
func FuzzMessageEvents(f *testing.F) {
	for _, c := range assemblies() {
		f.Add([]byte(strings.Join(append([]string{messageStart}, c.events...), "\n")))
	}
	f.Add([]byte(blockStart(0, `{"type":"tool_use","type":"text","input":{},"input":[]}`) + "\n" + blockDelta(0, `{"type":"input_json_delta","partial_json":"\ud83d"}`)))
	f.Add([]byte(blockStart(0, `{"type":"text","text":{}}`) + "\n" + blockDelta(0, `{"type":"text_delta","text":"a"}`)))
	f.Add([]byte(blockStart(-1, `{"type":"tool_use","id":7,"name":[]}`) + "\n" + blockDelta(-1, `{"type":"citations_delta","citation":null}`)))
	f.Fuzz(func(t *testing.T, stream []byte) {
		a := &messageAssembler{onText: func(s string) {
			if !utf8.ValidString(s) {
				t.Errorf("shown text is not UTF-8: %q", s)
			}
		}}
		for line := range bytes.SplitSeq(stream, []byte("\n")) {
			if a.event(line) != nil {
				return
			}
		}
		turn := a.turn()
		for _, b := range turn.Blocks {
			if !json.Valid(b) || !utf8.Valid(b) || !isObject(b[skipSpace(b, 0):]) {
				t.Fatalf("block %q", b)
			}
		}
		row := message.Message{Role: message.RoleAssistant, Content: turn.Content, ToolCalls: turn.ToolCalls, Vendor: turn.Vendor, Blocks: turn.Blocks}
		w := writeMessages(Request{Model: "m", Messages: []message.Message{{Role: message.RoleUser, Content: "u"}, row}}, messagesOptions{cache: "5m"})
		if !json.Valid(w.raw) {
			t.Fatalf("the request is not JSON: %s", w.raw)
		}
		if len(turn.Blocks) > 0 {
			blocks, _, ok := new(messagesWriter).replay(row)
			if !ok {
				t.Fatalf("the answer is not replayed: %s, calls %+v", turn.Blocks, turn.ToolCalls)
			}
			for _, b := range blocks {
				if !slices.ContainsFunc(turn.Blocks, func(have json.RawMessage) bool { return bytes.Equal(have, b.raw) }) {
					t.Fatalf("a block changed: %s", b.raw)
				}
			}
		}
	})
}
