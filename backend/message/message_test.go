package message_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"hermes/backend/message"
)

func TestDeterministicCallID(t *testing.T) {
	for _, test := range []struct {
		name, arguments string
		index           int
		want            string
	}{
		{"terminal", `{"command":"ls"}`, 0, "call_40ccaef54d02"},
		{"tool_call", `batch{"calls": [{"name": "mcp__git__log", "arguments": {"n": 5}}]}`, 1, "call_ce00a3258e67"},
		{"tool_call", `batch{"calls": [{"name": "mcp__tracker__create", "arguments": {"title": "Grüße"}}]}`, 2, "call_eee5e114c11d"},
	} {
		if got := message.DeterministicCallID(test.name, test.arguments, test.index); got != test.want {
			t.Errorf("DeterministicCallID(%q, %q, %d) = %s, want %s", test.name, test.arguments, test.index, got, test.want)
		}
	}
}

func TestAppendPython(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`{"path":"a.txt"}`, `{"path": "a.txt"}`},
		{" {\n\t\"b\" : 1 , \"a\":[ ] }\r\n", `{"b": 1, "a": []}`},
		{`[1,-0.0,1.10,1E5,1e+05,12345678901234567890123]`, `[1, -0.0, 1.10, 1E5, 1e+05, 12345678901234567890123]`},
		{`[true,false,null,{},[[]]]`, `[true, false, null, {}, [[]]]`},
		{`"Gr\u00fc\u00dfe \u4e16"`, `"Grüße 世"`},
		{`"\ud83d\ude00"`, `"😀"`},
		{`"\ud83d x \ude00"`, `"\ud83d x \ude00"`},
		{`"\ud800\udc00 \udbff\udfff"`, "\"\U00010000 \U0010ffff\""},
		{`"\ud83d\u0041"`, `"\ud83dA"`},
		{`"\u003c\u2028\/\u007f"`, "\"<\u2028/\x7f\""},
		{`"\u0022\u005c\u000a\u000d\u0009\u0008\u000c\u0000\u001F"`, `"\"\\\n\r\t\b\f\u0000\u001f"`},
		{`{"a":1,"b":2,"a":[3,4,5],"b":9,"c":0}`, `{"a": [3, 4, 5], "b": 9, "c": 0}`},
		{`{"a":[1,2,3],"b":2,"\u0061":0}`, `{"a": 0, "b": 2}`},
		{`"a,b]}"`, `"a,b]}"`},
		{`7`, `7`},
	} {
		got, err := message.AppendPython([]byte("x"), []byte(test.in))
		if err != nil || string(got) != "x"+test.want {
			t.Errorf("AppendPython(%s) = %s, %v; want x%s", test.in, got, err, test.want)
		}
	}
	deep := strings.Repeat("[", 600) + strings.Repeat("]", 600)
	for _, in := range []string{"", " ", "{", `{"a"}`, "nul", "NaN", "1 2", "\"\xff\"", `{"a":1}}`, deep} {
		if got, err := message.AppendPython(nil, []byte(in)); err == nil {
			t.Errorf("AppendPython(%.20q) = %.20s, want an error", in, got)
		}
	}
}

// TestAppendPythonIsPython compares with a real Python where one is installed;
// the table above holds the same rules for machines without.
func TestAppendPythonIsPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("no python3 here; the table holds the rules")
		return
	}
	var lines bytes.Buffer
	var want []string
	gen := rapid.Custom(func(t *rapid.T) string { return string(drawJSON(t, 3)) })
	for seed := range 400 {
		in := gen.Example(seed)
		out, err := message.AppendPython(nil, []byte(in))
		if err != nil {
			t.Fatalf("AppendPython(%s): %v", in, err)
		}
		lines.WriteString(in + "\n")
		want = append(want, string(out))
	}
	cmd := exec.Command(python, "-c", `
import json, sys
for line in sys.stdin.buffer.read().decode("utf-8").split("\n")[:-1]:
    sys.stdout.buffer.write((json.dumps(json.loads(line), ensure_ascii=False) + "\n").encode("utf-8"))`)
	cmd.Stdin = &lines
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v", err)
	}
	for i, got := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		if got != want[i] {
			t.Errorf("value %d: ours %s, Python's %s", i, want[i], got)
		}
	}
}

// drawJSON writes a random JSON value with odd spacing, escapes and repeated
// keys; integers only, because numbers keep their spelling with us.
func drawJSON(t *rapid.T, depth int) []byte {
	space := rapid.SampledFrom([]string{"", " ", "\t", "  "})
	str := func() []byte {
		var out bytes.Buffer
		out.WriteByte('"')
		for range rapid.IntRange(0, 6).Draw(t, "len") {
			out.WriteString(rapid.SampledFrom([]string{"a", "ü", "世", "😀", "<", "&", " ", `\n`, `\/`, `\"`, `\\`, `\u0001`, `\u001f`, `\u00e9`, `\ud83d\ude00`, `\u2028`, "\u2029", "\x7f"}).Draw(t, "char"))
		}
		out.WriteByte('"')
		return out.Bytes()
	}
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return []byte(rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word"))
	case 1:
		n, _ := json.Marshal(rapid.Int64().Draw(t, "int"))
		return n
	case 2, 3:
		return str()
	case 4:
		out := []byte("[")
		for i := range rapid.IntRange(0, 4).Draw(t, "items") {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, space.Draw(t, "space")...)
			out = append(out, drawJSON(t, depth-1)...)
		}
		return append(out, ']')
	}
	out := []byte("{")
	for i := range rapid.IntRange(0, 5).Draw(t, "members") {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, space.Draw(t, "space")...), str()...)
		out = append(append(out, space.Draw(t, "space")...), ':')
		out = append(append(out, space.Draw(t, "space")...), drawJSON(t, depth-1)...)
	}
	return append(out, '}')
}

func FuzzAppendPython(f *testing.F) {
	for _, seed := range []string{`{"a":1,"a":{"b":[2]},"c":"\ud800\u0000"}`, `[ 1.10 , "x" ]`, `{"calls":"[{}]"}`, "nul", "\"\xff\"", `{"":{"":0},"":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := message.AppendPython(nil, raw)
		if err != nil {
			return
		}
		if !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%q became %q, which is not JSON", raw, out)
		}
		again, err := message.AppendPython(nil, out)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q is not stable: %q, %v", out, again, err)
		}
		var a, b any
		if json.Unmarshal(raw, &a) == nil && (json.Unmarshal(out, &b) != nil || !reflect.DeepEqual(a, b)) {
			t.Fatalf("%q means %v, %q means %v", raw, a, out, b)
		}
	})
}

func TestParseBatch(t *testing.T) {
	entry := func(name, arguments string) message.BatchEntry {
		return message.BatchEntry{Name: name, Arguments: arguments}
	}
	two := []message.BatchEntry{entry("a", `{"x": 1}`), entry("b", `{}`)}
	for _, test := range []struct {
		name, in string
		want     []message.BatchEntry
	}{
		{"array", `{"calls":[{"name":"a","arguments":{"x":1}},{"name":"b","arguments":{}}]}`, two},
		{"json text", `{"calls":"[{\"name\":\"a\",\"arguments\":{\"x\":1}},{\"name\":\"b\"}]"}`, two},
		{"arguments as text", `{"calls":[{"name":"a","arguments":"{\"x\":1}"},{"name":"b","arguments":"  "}]}`, two},
		{"null and blank", `{"calls":[{"name":"a","arguments":{"x":1}},{"name":" b ","arguments":null}]}`, two},
		{"extra keys", `{"calls":[{"id":7,"name":"a","arguments":{"x":1}},{"name":"b","arguments":""}],"why":"x"}`, two},
		{"one object", `{"calls":{"name":"a","arguments":{"x":1}}}`, two[:1]},
		{"one object as text", `{"calls":" {\"name\":\"a\",\"arguments\":{\"x\":1}}"}`, two[:1]},
		{"legacy", `{"name":"a","arguments":{"x":1}}`, two[:1]},
		{"legacy with null calls", `{"calls":null,"name":"a","arguments":"{\"x\":1}"}`, two[:1]},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := message.ParseBatch(test.in)
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
	for _, test := range []struct{ in, want string }{
		{``, "tool_call requires 'calls'"},
		{`{}`, "tool_call requires 'calls'"},
		{`null`, "tool_call requires 'calls'"},
		{`[{"name":"a"}]`, "tool_call requires 'calls'"},
		{"{\"calls\":[{\"name\":\"\xff\"}]}", "tool_call requires 'calls'"},
		{`{"calls":"[{"}`, "tool_call 'calls' is not valid JSON: "},
		{`{"calls":[]}`, "must be a non-empty array"},
		{`{"calls":"[]"}`, "must be a non-empty array"},
		{`{"calls":"7"}`, "must be a non-empty array"},
		{`{"calls":7}`, "must be a non-empty array"},
		{`{"calls":[{"name":"a"},3]}`, "calls[1] must be an object"},
		{`{"calls":[null]}`, "calls[0] must be an object"},
		{`{"calls":[{"arguments":{}}]}`, "calls[0] requires a 'name'"},
		{`{"calls":[{"name":7}]}`, "calls[0] requires a 'name'"},
		{`{"calls":[{"name":"a"},{"name":"  "}]}`, "calls[1] requires a 'name'"},
		{`{"calls":[{"name":"tool_call","arguments":{}}]}`, "cannot invoke 'tool_call' (it is itself a bridge tool)"},
		{`{"calls":[{"name":"tool_search"}]}`, "cannot invoke 'tool_search'"},
		{`{"calls":[{"name":"a","arguments":"{x"}]}`, "calls[0].arguments is not valid JSON: "},
		{`{"calls":[{"name":"a","arguments":[1]}]}`, "calls[0].arguments must be an object"},
		{`{"calls":[{"name":"a","arguments":"null"}]}`, "calls[0].arguments must be an object"},
		{`{"calls":[{"name":"a","arguments":"7"}]}`, "calls[0].arguments must be an object"},
	} {
		if got, err := message.ParseBatch(test.in); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("ParseBatch(%s) = %v, %v; want an error with %q", test.in, got, err, test.want)
		}
	}
}

func TestCallText(t *testing.T) {
	entry := message.BatchEntry{Name: "mcp__x__\"<ü>\u2028.", Arguments: `{"n": 5}`}
	want := "{\"calls\": [{\"name\": \"mcp__x__\\\"<ü>\u2028.\", \"arguments\": {\"n\": 5}}]}"
	if got := entry.CallText(); got != want {
		t.Errorf("CallText() = %s, want %s", got, want)
	}
	back, err := message.ParseBatch(entry.CallText())
	if err != nil || len(back) != 1 || back[0] != entry {
		t.Errorf("ParseBatch(CallText()) = %v, %v", back, err)
	}
}

func TestPeel(t *testing.T) {
	for _, test := range []struct{ name, arguments, wantName, wantArguments string }{
		{"tool_call", `{"calls":[{"name":"a","arguments":{"x":1}}]}`, "a", `{"x": 1}`},
		{"tool_call", `{"calls":[{"name":"a"},{"name":"b"}]}`, "tool_call", `{"calls":[{"name":"a"},{"name":"b"}]}`},
		{"tool_call", `{`, "tool_call", `{`},
		{"a", `{"calls":[{"name":"b"}]}`, "a", `{"calls":[{"name":"b"}]}`},
	} {
		name, arguments := message.ToolCall{Name: test.name, Arguments: test.arguments}.Peel()
		if name != test.wantName || arguments != test.wantArguments {
			t.Errorf("Peel(%s %s) = %s %s", test.name, test.arguments, name, arguments)
		}
	}
}

func TestFence(t *testing.T) {
	for _, text := range []string{"", "a\nb", "\">\nx", "a\n</untrusted_tool_result>"} {
		fenced := message.Fence("mcp__f__read", text)
		if !strings.HasPrefix(fenced, `<untrusted_tool_result source="mcp__f__read">`+"\n") || message.Unfence(fenced) != text {
			t.Errorf("%q became %q and came back as %q", text, fenced, message.Unfence(fenced))
		}
	}
	for _, text := range []string{"", "plain", "<untrusted_tool_result>\nhalf", "x\n</untrusted_tool_result>"} {
		if got := message.Unfence(text); got != text {
			t.Errorf("%q has no fence and became %q", text, got)
		}
	}
}
