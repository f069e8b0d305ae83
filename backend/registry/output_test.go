package registry

import (
	"encoding/json"
	"testing"
)

func TestOutputSchemas(t *testing.T) {
	for _, test := range []struct{ name, raw, want string }{
		{"none", ``, ``},
		{"null", `null`, ``},
		{"an object", `{"type":"object"}`, `{"type":"object"}`},
		{"no object", `{"type":"string"}`, ``},
		{"text", `"x"`, ``},
		{"cut off", `{"type":"object"`, ``},
		{"hidden words", `{"type":"object","description":"a\u200bb"}`, `{"type":"object","description":"ab"}`},
		{"a hidden name", `{"type":"object","properties":{"a\u200b":{}}}`, ``},
	} {
		if got := string(acceptOutput(json.RawMessage(test.raw))); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestHintsAreTheServersWords(t *testing.T) {
	show := func(word *bool) string {
		text, _ := json.Marshal(word)
		return string(text)
	}
	for raw, want := range map[string]string{
		``: "null null", `[]`: "null null", `{"idempotentHint":"true"}`: "null null",
		`{"idempotentHint":true,"openWorldHint":false}`: "true false",
	} {
		if a, b := hintsOf(json.RawMessage(raw)); show(a)+" "+show(b) != want {
			t.Errorf("%s: %s %s", raw, show(a), show(b))
		}
	}
}
