package approval_test

import (
	"strings"
	"testing"

	"hermes/backend/approval"
)

// TestDenyReadsEverything: whichever of two values a server takes, and wherever a
// text stands, a glob meets it.
func TestDenyReadsEverything(t *testing.T) {
	rules := approval.New(approval.Options{Yolo: true, Deny: []approval.DenyGlob{{Pattern: "rm -rf *"}}})
	deep := strings.Repeat("[", 20_000) + `"rm -rf /"` + strings.Repeat("]", 20_000)
	for name, arguments := range map[string]string{
		"a value":                          `{"command":"rm -rf /"}`,
		"the first of two":                 `{"command":"rm -rf /","command":"ls"}`,
		"the last of two":                  `{"command":"ls","command":"rm -rf /"}`,
		"a nested first of two":            `{"a":[{"command":"rm -rf /","command":"ls"}]}`,
		"a key":                            `{"rm -rf /":true}`,
		"an escaped text":                  `{"command":"\u0072m -rf /"}`,
		"JSON in a text":                   `{"input":"{\"command\":\"rm -rf /\"}"}`,
		"the first of two in JSON":         `{"input":" {\"command\":\"rm -rf /\",\"command\":\"ls\"}\n"}`,
		"a key in JSON":                    `{"input":"{\"rm -rf /\":1}"}`,
		"a text in JSON in JSON":           `{"input":"[\"\\\"rm -rf /\\\"\"]"}`,
		"far down":                         deep,
		"before an end that nobody reads":  `{"command":"rm -rf /",`,
		"behind what is no JSON at all":    `rm -rf /`,
		"two values":                       `{} {"command":"rm -rf /"}`,
		"JSON in a key":                    `{"[\"rm -rf /\"]":1}`,
		"between blanks":                   `{"command":"\t RM -rf / "}`,
		"in a list in a text of a list":    `["[\"rm -rf /\"]"]`,
		"the first of two keys of objects": `{"a":{"command":"rm -rf /"},"a":{}}`,
	} {
		if d := rules.Decide(approval.Facts{Public: "x", Arguments: arguments}); d.Outcome != approval.Denied {
			t.Errorf("%s: %+v", name, d)
		}
	}
	whole := approval.New(approval.Options{Deny: []approval.DenyGlob{{Pattern: "{*rm -rf*"}}})
	if d := whole.Decide(approval.Facts{Public: "x", Arguments: `{"command":"rm -rf /"`}); d.Outcome != approval.Denied {
		t.Errorf("what has no end is not looked at as a whole: %+v", d)
	}
	for _, arguments := range []string{`{"command":"ls","n":[1,null,true]}`, `{"input":"{\"command\":\"ls\"}"}`, ``, `{`} {
		if d := rules.Decide(approval.Facts{Public: "x", Arguments: arguments}); d.Outcome != approval.Allowed {
			t.Errorf("%s: %+v", arguments, d)
		}
	}
}

// TestExcerpt keeps both ends, says how many bytes lie between, and cuts no character.
func TestExcerpt(t *testing.T) {
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"}, {"0123456789", 4, "01 … 6 bytes are not shown … 89"}, {"ääääää", 6, "ä … 8 bytes are not shown … ä"},
		{"a\u202eb", 10, "a\u202eb"}, {"", 0, ""},
	} {
		if got := approval.Excerpt(test.text, test.limit); got != test.want {
			t.Errorf("%q at %d: %q, want %q", test.text, test.limit, got, test.want)
		}
	}
}
