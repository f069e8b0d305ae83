package mcp

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"pgregory.net/rapid"
)

// anyJSON draws JSON text with odd spaces, escapes and numbers.
func anyJSON(t *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t"})
	text := rapid.SampledFrom([]string{`""`, `"a"`, `"\\"`, `"\\\""`, `"]}"`, `"{\"x\":[1,2]}"`, `"\u00e9\ud83d\ude00"`, `"é😀"`, `"a\\\\"`, `":,"`, "\"\u2028\""})
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	if depth == 0 {
		kind %= 3
	}
	pad := func(s string) string { return space.Draw(t, "space") + s + space.Draw(t, "space") }
	switch kind {
	case 0:
		return pad(text.Draw(t, "text"))
	case 1:
		return pad(rapid.SampledFrom([]string{"0", "-1.50", "1e9", "90071992547409931"}).Draw(t, "number"))
	case 2:
		return pad(rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word"))
	}
	var parts []string
	for range rapid.IntRange(0, 3).Draw(t, "parts") {
		part := anyJSON(t, depth-1)
		if kind == 3 {
			part = pad(text.Draw(t, "key")) + ":" + part
		}
		parts = append(parts, part)
	}
	if all := strings.Join(parts, ","); kind == 3 {
		return pad("{" + all + "}")
	} else {
		return pad("[" + all + "]")
	}
}

// What finds parts by their marks finds those that encoding/json finds.
func TestPartsAreThoseOfTheDecoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(anyJSON(t, 3))
		var list []json.RawMessage
		parts, ok := partsOf(raw, '[')
		if err := json.Unmarshal(raw, &list); ok != (err == nil && list != nil) || ok && !reflect.DeepEqual(texts(parts), texts(list)) {
			t.Fatalf("%s: %q, %v", raw, parts, ok)
		}
		var object map[string]json.RawMessage
		members, ok := membersOf(raw)
		if err := json.Unmarshal(raw, &object); ok != (err == nil && object != nil) {
			t.Fatalf("%s: %v", raw, ok)
		}
		last := map[string]string{}
		for _, m := range members {
			last[m.key] = string(m.value)
		}
		if len(last) != len(object) {
			t.Fatalf("%s: %q", raw, last)
		}
		for key, value := range object {
			if last[key] != string(value) {
				t.Fatalf("%s: %q is %q", raw, key, last[key])
			}
		}
	})
}

func texts(parts []json.RawMessage) []string {
	out := []string{}
	for _, part := range parts {
		out = append(out, string(part))
	}
	return out
}

// What counts as the same is the same; a text and its compact form are alike.
func TestSameJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, other := anyJSON(t, 3), anyJSON(t, 3)
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(one)); err != nil {
			t.Fatal(err)
		}
		if !sameJSON([]byte(one), compact.Bytes()) {
			t.Fatalf("%s is not its compact form", one)
		}
		var a, b any
		if decodeExact([]byte(one), &a) != nil || decodeExact([]byte(other), &b) != nil {
			t.Fatal(one, other)
		}
		if sameJSON([]byte(one), []byte(other)) && !reflect.DeepEqual(a, b) {
			t.Fatalf("%s and %s are not the same", one, other)
		}
	})
	if !sameJSON([]byte(`{"é": "\u00e9/"}`), []byte(`{"\u00e9":"é\/"}`)) || sameJSON([]byte(`{"a":"b"}`), []byte(`{"a":"c"}`)) {
		t.Error("strings are compared as they are written")
	}
}

// A large answer is what the SDK's decoder makes of it, and whatever is odd is left
// to that decoder.
func TestLargeResponse(t *testing.T) {
	big := strings.Repeat("b", 1<<20)
	for name, c := range map[string]struct {
		line  string
		taken bool
	}{
		"answer":      {`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"` + big + `"}]}}`, true},
		"other order": {`{ "result" : {"a":"` + big + `"} , "id":12, "jsonrpc":"2.0"}`, true},
		"no id":       {`{"jsonrpc":"2.0","id":null,"result":{"a":"` + big + `"}}`, false},
		"named id":    {`{"jsonrpc":"2.0","id":"x","result":{"a":"` + big + `"}}`, false},
		"error":       {`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"` + big + `"}}`, false},
		"request":     {`{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"` + big + `"}}`, false},
		"twice":       {`{"jsonrpc":"2.0","id":7,"id":8,"result":{"a":"` + big + `"}}`, false},
		"more":        {`{"jsonrpc":"2.0","id":7,"result":{"a":"` + big + `"},"x":1}`, false},
		"broken":      {`{"jsonrpc":"2.0","id":7,"result":{"a":"` + big + `"}`, false},
		"small":       {`{"jsonrpc":"2.0","id":7,"result":{}}`, false},
	} {
		got := largeResponse([]byte(c.line))
		if (got != nil) != c.taken {
			t.Errorf("%s: taken %v", name, got != nil)
		}
		if !c.taken || got == nil {
			continue
		}
		want, err := jsonrpc.DecodeMessage([]byte(c.line))
		ours, theirs := got.(*jsonrpc.Response), want.(*jsonrpc.Response)
		if err != nil || ours.ID != theirs.ID || !bytes.Equal(ours.Result, theirs.Result) {
			t.Errorf("%s: id %v, %d bytes; want %v, %d bytes (%v)", name, ours.ID, len(ours.Result), theirs.ID, len(theirs.Result), err)
		}
	}
}

func TestLongBlocks(t *testing.T) {
	long := strings.Repeat("ä", 64<<10)
	quoted, _ := json.Marshal(long)
	for name, c := range map[string]struct{ raw, want string }{
		"plain":         {`{"content":[{"type":"text","text":` + string(quoted) + `}]}`, long},
		"escaped":       {`{"content":[{"text":"\u00e4` + strings.Repeat(`\n`, 64<<10) + `","type":"text","annotations":{"priority":1}}]}`, "ä" + strings.Repeat("\n", 64<<10)},
		"not UTF-8":     {`{"content":[{"type":"text","text":"` + "\xff" + strings.Repeat("b", 64<<10) + `"}]}`, "\ufffd" + strings.Repeat("b", 64<<10)},
		"other members": {`{"content":[{"type":"text","x":{"type":"image"},"text":` + string(quoted) + `}]}`, long},
		"other case":    {`{"content":[{"TYPE":"text","text":` + string(quoted) + `}]}`, long},
		"picture":       {`{"content":[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("A", 80<<10) + `"}]}`, "[image image/png, 61440 bytes, not shown]"},
		"said twice":    {`{"content":[{"type":"text","text":` + string(quoted) + `}],"structuredContent":{"result": ` + string(quoted) + `}}`, long},
		"as JSON":       {`{"content":[{"type":"text","text":"{\"a\" : \"` + long + `\"}"}],"structuredContent":{"a":` + string(quoted) + `}}`, `{"a" : "` + long + `"}`},
	} {
		got, err := readResult(json.RawMessage(c.raw))
		if err != nil || got.Content != c.want || got.IsError {
			t.Errorf("%s: %d bytes, want %d (%v)", name, len(got.Content), len(c.want), err)
		}
	}
}
