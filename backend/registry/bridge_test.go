package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hermes/backend/message"
)

func TestNormalize(t *testing.T) {
	c := Build(demoNames(), demoSources())
	many := func(n int) string {
		return `{"calls":[` + strings.TrimSuffix(strings.Repeat(`{"name":"x","arguments":{}},`, n), ",") + `]}`
	}
	for name, tc := range map[string]struct {
		args string
		want string // "name arguments" of each entry, or the error
	}{
		"an array":                {`{"calls":[{"name":"a","arguments":{"x":1}},{"name":"b","arguments":{}}]}`, `a {"x": 1}; b {}`},
		"the older single form":   {`{"name":"a","arguments":{"x":1}}`, `a {"x": 1}`},
		"calls as text":           {`{"calls":"[{\"name\":\"a\",\"arguments\":{}}]"}`, "a {}"},
		"calls as one object":     {`{"calls":{"name":"a","arguments":{}}}`, "a {}"},
		"arguments null":          {`{"calls":[{"name":"a","arguments":null}]}`, "a {}"},
		"arguments missing":       {`{"calls":[{"name":"a"}]}`, "a {}"},
		"arguments blank":         {`{"calls":[{"name":"a","arguments":"  "}]}`, "a {}"},
		"arguments as text":       {`{"calls":[{"name":"a","arguments":"{\"x\": 1.10}"}]}`, `a {"x": 1.10}`},
		"nothing usable":          {`{}`, "tool_call requires 'calls'"},
		"no object":               {`[]`, "tool_call requires 'calls'"},
		"calls is bad JSON":       {`{"calls":"[{"}`, "tool_call 'calls' is not valid JSON"},
		"calls is empty":          {`{"calls":[]}`, "must be a non-empty array"},
		"calls is a number":       {`{"calls":5}`, "must be a non-empty array"},
		"an entry is text":        {`{"calls":[{"name":"a","arguments":{}},"b"]}`, "calls[1] must be an object"},
		"an entry has no name":    {`{"calls":[{"arguments":{}}]}`, "calls[0] requires a 'name'"},
		"recursion":               {`{"calls":[{"name":"tool_call","arguments":{}}]}`, "cannot invoke 'tool_call'"},
		"arguments are bad JSON":  {`{"calls":[{"name":"a","arguments":"{x"}]}`, "calls[0].arguments is not valid JSON"},
		"arguments are a list":    {`{"calls":[{"name":"a","arguments":[1]}]}`, "calls[0].arguments must be an object"},
		"ten":                     {many(10), strings.TrimSuffix(strings.Repeat("x {}; ", 10), "; ")},
		"eleven, the true reason": {many(11), "too many calls: 11 > max 10. Nothing was called. Retry with at most 10"},
		"eleven, the shape":       {many(11), `{"calls": [{"name": "x", "arguments": {...}}, ...]}`},
	} {
		t.Run(name, func(t *testing.T) {
			entries, err := c.Normalize(json.RawMessage(tc.args))
			if err != nil {
				if !strings.Contains(err.Error(), tc.want) || entries != nil {
					t.Errorf("error %q, want %q", err, tc.want)
				}
				return
			}
			var got []string
			for _, e := range entries {
				got = append(got, e.Name+" "+e.Arguments)
			}
			if s := strings.Join(got, "; "); s != tc.want {
				t.Errorf("entries %s, want %s", s, tc.want)
			}
		})
	}
}

func TestSearchArguments(t *testing.T) {
	c := Build(demoNames(), demoSources())
	for name, tc := range map[string]struct{ args, want string }{
		"an array":             {`{"queries":["read file"]}`, `"matches":["mcp__files__read_file"`},
		"a bare text":          {`{"queries":"read file"}`, `"queries":["read file"]`},
		"an array as text":     {`{"queries":"[\"read file\",\"commits\"]"}`, `"queries":["read file","commits"]`},
		"twice the same":       {`{"queries":["log","log"]}`, `"queries":["log","log"]`},
		"missing":              {`{}`, "queries is required and must be an array of strings"},
		"null":                 {`{"queries":null}`, "queries is required and must be an array of strings"},
		"numbers":              {`{"queries":[1]}`, "queries is required and must be an array of strings"},
		"empty":                {`{"queries":[]}`, "queries must contain at least one non-empty string"},
		"blank":                {`{"queries":["  "]}`, "queries must contain at least one non-empty string"},
		"seven":                {`{"queries":["a","b","c","d","e","f","g"]}`, `"results"`},
		"eight":                {`{"queries":["a","b","c","d","e","f","g","h"]}`, "too many queries: 8 > max 7"},
		"no object":            {`"x"`, "one JSON object"},
		"no JSON":              {`{`, "one JSON object"},
		"limit as text":        {`{"queries":["ticket"],"limit":"1"}`, `"matches":["mcp__tickets__`},
		"limit of nonsense":    {`{"queries":["ticket"],"limit":{"a":1}}`, `"results"`},
		"only punctuation":     {`{"queries":["?!"]}`, `"matches":[]`},
		"quotes and operators": {`{"queries":["\"read\" AND (file OR NEAR) *","name:read","-file"]}`, `"results"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.Search(json.RawMessage(tc.args), Options{})
			if !strings.Contains(got, tc.want) {
				t.Errorf("answer %s\nwant %s", got, tc.want)
			}
			if !json.Valid([]byte(got)) {
				t.Errorf("answer is not JSON: %s", got)
			}
		})
	}
}

func TestSearchLimits(t *testing.T) {
	c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: numbered(60)}})
	for name, tc := range map[string]struct {
		limit string
		o     Options
		want  int
	}{
		"default":           {"", Options{}, 5},
		"asked":             {`,"limit":7`, Options{}, 7},
		"too many":          {`,"limit":1000`, Options{}, 25},
		"too few":           {`,"limit":-3`, Options{}, 1},
		"configured":        {"", Options{DefaultLimit: 3, MaxLimit: 4}, 3},
		"configured bound":  {`,"limit":9`, Options{DefaultLimit: 3, MaxLimit: 4}, 4},
		"beyond the bounds": {`,"limit":99`, Options{DefaultLimit: 3, MaxLimit: 400}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			var answer struct{ Results []struct{ Matches []string } }
			if err := json.Unmarshal([]byte(c.Search(json.RawMessage(`{"queries":["widget"]`+tc.limit+`}`), tc.o)), &answer); err != nil {
				t.Fatal(err)
			}
			if got := len(answer.Results[0].Matches); got != tc.want {
				t.Errorf("%d matches, want %d", got, tc.want)
			}
		})
	}
}

func numbered(n int) []Tool {
	out := make([]Tool, n)
	for i := range out {
		out[i] = tool(fmt.Sprintf("widget_%04d", i), fmt.Sprintf("Turns the widget number %d by an angle, or resets it to the position it had before.", i),
			`{"type":"object","properties":{"angle":{"type":"number"},"id":{"type":"string"}},"required":["id"]}`)
	}
	return out
}

func TestDescribe(t *testing.T) {
	c := Build(demoNames(), demoSources())
	for name, tc := range map[string]struct{ args, want string }{
		"one":         {`{"names":["mcp__files__read_file"]}`, `{"tools":{"mcp__files__read_file":{"description":"Reads one text file","parameters":{"type":"object","properties":{"path":{"type":"string"},"head":{"type":"integer"}},"required":["path"]}}}}`},
		"a bare text": {`{"names":"mcp__git__log"}`, `{"tools":{"mcp__git__log":{"description":"Shows the newest commits"`},
		"twice":       {`{"names":["mcp__git__log","mcp__git__log"]}`, `{"tools":{"mcp__git__log"`},
		"other case":  {`{"names":["MCP__git__LOG"]}`, `{"tools":{"mcp__git__log"`},
		"unknown":     {`{"names":["nothing"]}`, `{"tools":{},"not_found":["nothing"],"hint":"'nothing' is not a tool you can call. Use tool_search`},
		"near":        {`{"names":["mcp__x__log"]}`, `Did you mean 'mcp__git__log'?`},
		"a bridge":    {`{"names":["tool_call"]}`, `'tool_call' is offered to you directly.`},
		"missing":     {`{}`, "names is required and must be an array of strings"},
		"eleven":      {`{"names":["a","b","c","d","e","f","g","h","i","j","k"]}`, "too many names: 11 > max 10"},
		"ten twice":   {`{"names":["a","b","c","d","e","f","g","h","i","j","a"]}`, "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.Describe(json.RawMessage(tc.args))
			if !strings.Contains(got, tc.want) || !json.Valid([]byte(got)) {
				t.Errorf("answer %s\nwant   %s", got, tc.want)
			}
		})
	}
	for _, name := range []string{"tool_search", "tool_describe", "tool_call"} {
		if !c.Bridge(name) {
			t.Errorf("%s is no bridge tool", name)
		}
	}
	if c.Bridge("mcp__git__log") {
		t.Error("a tool is a bridge tool")
	}
}

func TestEagerModeOffersEachTool(t *testing.T) {
	c := Build(demoNames(), demoSources())
	tools := c.ModelTools(Options{Mode: ModeOff})
	if len(tools) != len(c.Entries()) {
		t.Fatalf("%d tools, want %d", len(tools), len(c.Entries()))
	}
	if got := definition(t, tools, "mcp__tickets__list_tickets"); string(got.Parameters) != `{"type":"object","properties":{"open":{"type":"boolean"}}}` {
		t.Errorf("parameters %s", got.Parameters)
	}
	for _, tool := range tools {
		if isBridge(tool.Name) {
			t.Errorf("%s is offered without deferring", tool.Name)
		}
	}
	if _, ok := any(tools).([]message.ToolDef); !ok {
		t.Error("not the model's type")
	}
}
