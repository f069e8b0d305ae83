package provider

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"hermes/backend/message"
)

func assembleDeltas(t testing.TB, finish string, deltas ...string) (Turn, string, error) {
	t.Helper()
	var shown strings.Builder
	a := &assembler{onText: func(s string) { shown.WriteString(s) }}
	for _, d := range deltas {
		var c chunk
		if err := json.Unmarshal([]byte(delta(d)), &c); err != nil {
			t.Fatalf("%s: %v", d, err)
		}
		if err := a.add(c); err != nil {
			return Turn{}, shown.String(), err
		}
	}
	a.finish = finish
	turn := a.turn()
	return turn, shown.String(), nil
}

func TestToolCallDeltas(t *testing.T) {
	ab := []message.ToolCall{{ID: "a", Name: "fa", Arguments: `{"x":1}`}, {ID: "b", Name: "fb", Arguments: `{"y":"ü"}`}}
	for name, tc := range map[string]struct {
		deltas []string
		want   []message.ToolCall
	}{
		"two calls, arguments split and interleaved": {[]string{
			`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"fa","arguments":""}}]}`,
			`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"fb","arguments":"{\"y"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}},{"index":1,"function":{"arguments":"\":\"\u00fc"}}]}`,
			`{"tool_calls":[{"index":1,"function":{"arguments":"\"}"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`,
		}, ab},
		"whole calls in one delta": {[]string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"fa","arguments":"{\"x\":1}"}},{"index":1,"id":"b","function":{"name":"fb","arguments":"{\"y\":\"ü\"}"}}]}`,
		}, ab},
		"every call numbered 0": {[]string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"fa","arguments":"{\"x\":1}"}}]}`,
			`{"tool_calls":[{"index":0,"id":"b","function":{"name":"fb","arguments":"{\"y\":"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"\"ü\"}"}}]}`,
		}, ab},
		"no index": {[]string{
			`{"tool_calls":[{"id":"a","function":{"name":"fa","arguments":"{\"x\":"}}]}`,
			`{"tool_calls":[{"function":{"arguments":"1}"}}]}`,
			`{"tool_calls":[{"id":"b","function":{"name":"fb","arguments":"{\"y\":\"ü\"}"}}]}`,
		}, ab},
		"id and name in every delta": {[]string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"fa","arguments":"{\"x\":"}}]}`,
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"fa","arguments":"1}"}}]}`,
		}, ab[:1]},
		"neither index nor id": {[]string{
			`{"tool_calls":[{"function":{"name":"fa","arguments":"{}"}},{"function":{"name":"fb","arguments":"{}"}}]}`,
		}, []message.ToolCall{{ID: message.DeterministicCallID("fa", "{}", 0), Name: "fa", Arguments: "{}"}, {ID: message.DeterministicCallID("fb", "{}", 1), Name: "fb", Arguments: "{}"}}},
		"arguments as an object": {[]string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"fa","arguments":{"x": 1.0}}}]}`,
		}, []message.ToolCall{{ID: "a", Name: "fa", Arguments: `{"x": 1.0}`}}},
		"nulls and empty lists": {[]string{
			`{"tool_calls":null}`, `{"tool_calls":[]}`,
			`{"tool_calls":[{"index":0,"id":"a","type":null,"function":{"name":"fa","arguments":null}}]}`,
			`{"tool_calls":[{"index":0,"id":null,"function":{"arguments":"{\"x\":1}"}}]}`,
		}, ab[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			turn, _, err := assembleDeltas(t, "tool_calls", tc.deltas...)
			if err != nil {
				t.Fatal(err)
			}
			if len(turn.ToolCalls) != len(tc.want) {
				t.Fatalf("calls %+v", turn.ToolCalls)
			}
			for i := range tc.want {
				if turn.ToolCalls[i] != tc.want[i] {
					t.Errorf("call %d: %+v, want %+v", i, turn.ToolCalls[i], tc.want[i])
				}
			}
			checkBlock(t, turn)
		})
	}
}

// checkBlock asserts that the raw message and the neutral view say the same.
func checkBlock(t testing.TB, turn Turn) {
	t.Helper()
	if len(turn.Blocks) != 1 || !json.Valid(turn.Blocks[0]) || !utf8.Valid(turn.Blocks[0]) {
		t.Fatalf("block is not valid JSON: %q", turn.Blocks)
	}
	ms, err := members(turn.Blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	stored, err := storedCalls(find(ms, callsKey))
	if err != nil {
		t.Fatal(err)
	}
	if len(stored) != len(turn.ToolCalls) {
		t.Fatalf("block has %d calls, the view %d", len(stored), len(turn.ToolCalls))
	}
	for i := range stored {
		if stored[i].call != turn.ToolCalls[i] {
			t.Errorf("call %d: block %+v, view %+v", i, stored[i].call, turn.ToolCalls[i])
		}
	}
	if content := find(ms, "content"); isString(content) && text(content) != "" && text(content) != turn.Content {
		t.Errorf("block says %q, the view %q", text(content), turn.Content)
	}
}

func TestUnknownFieldsAreMergedByShape(t *testing.T) {
	turn, shown, err := assembleDeltas(t, "stop",
		`{"role":"assistant","content":""}`,
		`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","index":0,"id":"r1","format":"f","text":"one"}]}`,
		`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","index":0,"id":"r1","format":"f","text":" two"}]}`,
		`{"reasoning_details":[{"type":"reasoning.encrypted","index":0,"data":"QUJD"}]}`,
		`{"reasoning_details":[{"type":"reasoning.text","index":1,"text":"x","signature":"s+/="}],"annotations":[{"u":1}]}`,
		`{"annotations":[{"u":2}],"meta":{"n":1.0,"deep":{"s":"p"}},"flag":true}`,
		`{"meta":{"m":[1],"deep":{"s":"q"}},"flag":false}`,
		`{"content":"done"}`)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"role":"assistant","content":"done","reasoning":"ab","reasoning_details":[` +
		`{"type":"reasoning.text","index":0,"id":"r1","format":"f","text":"one two"},` +
		`{"type":"reasoning.encrypted","index":0,"data":"QUJD"},` +
		`{"type":"reasoning.text","index":1,"text":"x","signature":"s+/="}],` +
		`"annotations":[{"u":1},{"u":2}],"meta":{"n":1.0,"deep":{"s":"pq"},"m":[1]},"flag":false}`
	if got := string(turn.Blocks[0]); got != want {
		t.Errorf("block\n got %s\nwant %s", got, want)
	}
	if shown != "done" {
		t.Errorf("shown %q", shown)
	}
}

func TestContentParts(t *testing.T) {
	turn, shown, err := assembleDeltas(t, "stop",
		`{"content":"A "}`,
		`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`,
		`{"content":[{"type":"text","text":"B"}]}`,
		`{"content":" C"}`)
	if err != nil {
		t.Fatal(err)
	}
	if turn.Content != "A B C" || shown != "A B C" {
		t.Errorf("content %q, shown %q", turn.Content, shown)
	}
	const want = `{"role":"assistant","content":[{"type":"text","text":"A "},{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"B"},{"type":"text","text":" C"}]}`
	if got := string(turn.Blocks[0]); got != want {
		t.Errorf("block\n got %s\nwant %s", got, want)
	}
}

func TestRefusalIsShown(t *testing.T) {
	turn, shown, err := assembleDeltas(t, "stop", `{"role":"assistant","content":null,"refusal":"I ca"}`, `{"refusal":"nnot."}`)
	if err != nil || turn.Content != "I cannot." || shown != "I cannot." {
		t.Errorf("turn %+v, shown %q, error %v", turn, shown, err)
	}
	if got := string(turn.Blocks[0]); got != `{"role":"assistant","content":null,"refusal":"I cannot."}` {
		t.Errorf("block %s", got)
	}
}

func TestStopReasons(t *testing.T) {
	for finish, want := range map[string]message.StopReason{
		"stop": message.StopEnd, "tool_calls": message.StopEnd, "length": message.StopLength, "max_tokens": message.StopLength,
		"eos": message.StopEnd,
	} {
		if got := stopReason(finish, 0); got != want {
			t.Errorf("%s without calls: %s, want %s", finish, got, want)
		}
	}
	for finish, want := range map[string]message.StopReason{"stop": message.StopToolCalls, "tool_calls": message.StopToolCalls, "length": message.StopLength} {
		if got := stopReason(finish, 1); got != want {
			t.Errorf("%s with calls: %s, want %s", finish, got, want)
		}
	}
}

func TestEndlessAnswersEnd(t *testing.T) {
	a := &assembler{}
	item := `{"tool_calls":[{"index":%d,"id":"x%d"}]}`
	var err error
	n := 0
	for ; err == nil && n <= 2*maxParts; n++ {
		err = a.delta([]byte(strings.ReplaceAll(item, "%d", string(appendInt(n)))))
	}
	if err == nil {
		t.Errorf("%d calls in one answer were taken", n)
	}
	big := &assembler{}
	chunk := []byte(`{"content":"` + strings.Repeat("x", 1<<20) + `"}`)
	for range 70 {
		if err = big.delta(chunk); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("an endless text was taken")
	}
}

func appendInt(n int) []byte { b, _ := json.Marshal(n); return b }

// However a vendor cuts its texts into deltas, the answer is the same.
func TestCutsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := string(appendString(nil, rapid.String().Draw(t, "content")))
		args := string(appendString(nil, rapid.String().Draw(t, "arguments")))
		a := &assembler{}
		feed := func(d string) {
			if err := a.delta([]byte(d)); err != nil {
				t.Fatalf("%s: %v", d, err)
			}
		}
		feed(`{"role":"assistant","tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}`)
		for _, piece := range cuts(t, content) {
			feed(`{"content":"` + piece + `","reasoning_content":"` + piece + `"}`)
		}
		for _, piece := range cuts(t, args) {
			feed(`{"tool_calls":[{"index":0,"function":{"arguments":"` + piece + `"}}]}`)
		}
		a.finish = "tool_calls"
		turn := a.turn()
		if want := text([]byte(content)); turn.Content != want {
			t.Fatalf("content %q, want %q", turn.Content, want)
		}
		if want := text([]byte(args)); turn.ToolCalls[0].Arguments != want {
			t.Fatalf("arguments %q, want %q", turn.ToolCalls[0].Arguments, want)
		}
		ms, err := members(turn.Blocks[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := string(find(ms, "reasoning_content")); content != `""` && got != content {
			t.Fatalf("reasoning %s, want %s", got, content)
		}
	})
}

// cuts splits the inside of a JSON string at random places that are not inside
// an escape.
func cuts(t *rapid.T, quoted string) []string {
	in := quoted[1 : len(quoted)-1]
	var out []string
	start := 0
	for i := 0; i < len(in); {
		size := 1
		if in[i] == '\\' {
			size = 2
			if in[i+1] == 'u' {
				size = 6
			}
		} else if in[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(in[i:])
		}
		i += size
		if rapid.Bool().Draw(t, "cut") {
			out = append(out, in[start:i])
			start = i
		}
	}
	return append(out, in[start:])
}

func FuzzAssembler(f *testing.F) {
	for _, seed := range []string{
		`{"content":"x"}` + "\n" + `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}` + "\n" + `{"tool_calls":[{"function":{"arguments":"}"}}]}`,
		`{"content":"\ud83d"}` + "\n" + `{"content":"\ude00"}`,
		`{"content":"\\ud83d"}`,
		`{"content":[{"type":"text","text":"a"}]}` + "\n" + `{"content":"b"}`,
		`{"x":{"a":1}}` + "\n" + `{"x":{"a":{"b":2}}}` + "\n" + `{"x":[1]}`,
		`{"x":[{"index":0,"t":"a"}]}` + "\n" + `{"x":[{"index":0,"t":"b"}]}`,
		"{\"content\":\"\xe2\x82\"}\n{\"content\":\"\xac\"}",
		"{\"content\":\"a\xe2\x82\",\"x\":\"\xff\"}",
		`{"tool_calls":[{"index":"0"},{"index":0,"function":"x"}]}`,
		`{"role":"assistant","":null,"a\nb":1,"content":5}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var shown strings.Builder
		a := &assembler{onText: func(s string) { shown.WriteString(s) }}
		for line := range strings.Lines(string(in)) {
			if !json.Valid([]byte(line)) {
				return
			}
			if a.delta([]byte(line)) != nil {
				return
			}
		}
		a.finish = "stop"
		turn := a.turn()
		if shown.String() != turn.Content {
			t.Errorf("shown %q, content %q", shown.String(), turn.Content)
		}
		for _, c := range turn.ToolCalls {
			if c.ID == "" {
				t.Error("a call without an id")
			}
		}
		checkBlock(t, turn)
		row := message.Message{Role: message.RoleAssistant, Content: turn.Content, ToolCalls: turn.ToolCalls, Vendor: turn.Vendor, Blocks: turn.Blocks}
		sent, _ := body(Request{Model: "m", Messages: []message.Message{row}}, chatOptions{})
		if !json.Valid(sent) {
			t.Errorf("request is not JSON: %q", sent)
		}
		if got := rowOf(t, sent); string(got) != string(turn.Blocks[0]) {
			t.Errorf("replayed\n%s\nstored\n%s", got, turn.Blocks[0])
		}
	})
}

func rowOf(t testing.TB, sent []byte) json.RawMessage {
	t.Helper()
	ms, err := members(sent)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := elements(find(ms, "messages"))
	if err != nil || len(rows) != 1 {
		t.Fatalf("rows %d, error %v", len(rows), err)
	}
	return rows[0]
}
