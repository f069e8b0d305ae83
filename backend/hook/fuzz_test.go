package hook

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzAnswer: whatever a hook writes, an answer without an error is one that an
// ordinary reader finds as well, and what blocks there blocks here.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"action":"block","message":"m"}`, `{"decision":"modify","tool_input":{"a":1}}`, `{"action":"approve","rule_key":"k"}`,
		`{"action":"block","action":"allow"}`, `[{}]`, `{"a":[{"b":{}},[]]} x`, "\xff", `{"action":null}`, `{"ACTION":"block"}`, `{"action":"modify","args":{"\ud800":1}}`,
		`{"block":true}`, `{"continue":false}`, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		said, err := readAnswer(out)
		if err != nil {
			return
		}
		if len(bytes.TrimSpace(out)) == 0 {
			if said.decision != Allow {
				t.Fatal("silence is no yes")
			}
			return
		}
		var plain map[string]any
		if err := json.Unmarshal(out, &plain); err != nil {
			t.Fatalf("accepted %q: %v", out, err)
		}
		for name, value := range plain {
			if word, _ := value.(string); strings.EqualFold(name, "action") && strings.EqualFold(word, "block") && said.decision != Block {
				t.Fatalf("%q lets a call through", out)
			}
		}
		merged, err := merge(json.RawMessage(`{"a":1}`), said.changes)
		if err != nil || onlyOnce(merged) != nil || !json.Valid(merged) {
			t.Fatalf("merged %s: %v", merged, err)
		}
	})
}

// FuzzSplit: a word that is quoted in single quotes comes out as it went in.
func FuzzSplit(f *testing.F) {
	f.Add("guard.sh", "a b")
	f.Add("~/x", `"\`)
	f.Fuzz(func(t *testing.T, a, b string) {
		words, err := split(a, "/home/x")
		if err == nil && (len(words) == 0 || words[0] == "") {
			t.Fatalf("%q names no program: %q", a, words)
		}
		if a == "" || strings.ContainsAny(a+b, "'\x00") || !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		words, err = split("'"+a+"' '"+b+"'", "/home/x")
		if err != nil || len(words) != 2 || words[0] != a || words[1] != b {
			t.Fatalf("%q %q: %q %v", a, b, words, err)
		}
	})
}
