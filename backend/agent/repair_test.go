package agent_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"hermes/backend/agent"
	"hermes/backend/message"
)

// TestOddCallsCanBeSentBack: what a model wrote in a way that strict vendors
// refuse is stored so that every later request passes, in all three formats; what
// is right keeps its bytes.
func TestOddCallsCanBeSentBack(t *testing.T) {
	name := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	for _, test := range []struct{ name, arguments, stored, input string }{
		{"t0", "", "t0", `{}`},
		{"t0", "  ", "t0", `{}`},
		{"t0", "null", "t0", `{}`},
		{"t0", ` {"a":  1.0}`, "t0", ` {"a":  1.0}`},
		{"t0", `"{\"a\": 1}"`, "t0", `{"a": 1}`},
		{"t0", `[1]`, "t0", `{"INVALID_JSON": "[1]"}`},
		{"t0", `{"a": }`, "t0", `{"INVALID_JSON": "{\"a\": }"}`},
		{"t0", `{"a": 1} trailing`, "t0", `{"INVALID_JSON": "{\"a\": 1} trailing"}`},
		{"t0", `{"a": 1}{"b": 2} x`, "t0", `{"INVALID_JSON": "{\"a\": 1}{\"b\": 2} x"}`},
		{"functions.read", "{}", "functions_read", `{}`},
		{"größe", "{}", "gr__e", `{}`},
		{"größe"[:3] + "\xff", "{}", "gr__", `{}`},
		{strings.Repeat("n", 70), "{}", strings.Repeat("n", 64), `{}`},
		{"", "{}", "unnamed_tool", `{}`},
		{"…", "{}", "unnamed_tool", `{}`},
	} {
		t.Run(test.name+" "+test.arguments, func(t *testing.T) {
			quoted := func(s string) string { raw, _ := json.Marshal(s); return string(raw) }
			input := test.arguments
			if !json.Valid([]byte(input)) {
				input = "null"
			}
			good := json.RawMessage(`{"type": "thinking", "thinking": "<b>", "signature": "s\u2028"}`)
			for format, blocks := range map[string][]json.RawMessage{
				"anthropic": {good, json.RawMessage(`{"type":"tool_use","id":"odd","name":` + quoted(test.name) + `,"input":` + input + `,"x":1}`), good},
				"bedrock":   {good, json.RawMessage(`{"toolUse":{"toolUseId":"odd","name":` + quoted(test.name) + `,"input":` + input + `}}`)},
				"openai":    {json.RawMessage(`{"role":"assistant","tool_calls":[{"id":"odd","type":"function","function":{"name":` + quoted(test.name) + `,"arguments":` + quoted(test.arguments) + `},"extra":{"k":1.0}}]}`)},
			} {
				m := &model{t: t, answers: []answer{{Vendor: format, Blocks: blocks, Calls: []message.ToolCall{{ID: "odd", Name: test.name, Arguments: test.arguments}}}, {Text: "end"}}}
				j := &journal{t: t}
				loop := &agent.Loop{Model: m, Tools: serversOf(1, func(int) *tool { return &tool{Server: "s", Result: "r"} }), Journal: j, Gate: gate{}, Name: "m"}
				if _, _, err := runTurn(t.Context(), t, loop); err != nil {
					t.Fatal(err)
				}
				row := j.stored()[1]
				if call := row.ToolCalls[0]; call.Name != test.stored || call.Arguments != test.input || !name.MatchString(call.Name) {
					t.Errorf("%s: stored as %q %s", format, call.Name, call.Arguments)
				}
				whole := ""
				for _, block := range row.Blocks {
					if !json.Valid(block) {
						t.Errorf("%s: %s is no JSON", format, block)
					}
					whole += string(block)
				}
				want := []string{`"` + test.stored + `"`}
				if format == "openai" {
					want = append(want, `"k":1.0`, quoted(test.input))
				} else {
					want = append(want, string(good), strings.TrimSpace(test.input))
				}
				for _, piece := range want {
					if !strings.Contains(whole, piece) && !strings.Contains(whole, strings.ReplaceAll(piece, `\"`, `\"`)) {
						t.Errorf("%s: %s is not in %s", format, piece, whole)
					}
				}
			}
		})
	}
}
