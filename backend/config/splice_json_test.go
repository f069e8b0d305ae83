package config

import (
	"context"
	"encoding/json"
	"testing"

	"hermes/backend/policy"
)

// A file that is JSON stays JSON, whatever is added to it; one in brackets
// without quotes gets none.
func TestJSONStaysJSON(t *testing.T) {
	set := func(value *policy.Node, path ...string) Step { return Step{Kind: StepSet, Path: path, Value: value} }
	for name, c := range map[string]struct {
		before string
		step   Step
		after  string
	}{
		"a key": {`{"mcp_servers": {"demo": {"command": "x"}}}`, set(List("a", "b"), "mcp_servers", "demo", "args"),
			`{"mcp_servers": {"demo": {"command": "x", "args": ["a", "b"]}}}`},
		"a server": {`{"mcp_servers": {"demo": {"command": "x"}}}`, set(Map("command", "y", "enabled", false, "env", Map("A", "b"), "timeout", 5), "mcp_servers", "two"),
			`{"mcp_servers": {"demo": {"command": "x"}, "two": {"command": "y", "enabled": false, "env": {"A": "b"}, "timeout": 5}}}`},
		"into an empty mapping": {`{"mcp_servers": {}}`, set(Map("command", "y"), "mcp_servers", "two"), `{"mcp_servers": {"two": {"command": "y"}}}`},
		"a text":                {`{"model": "a", "mcp_servers": {}}`, set(Text("b"), "model"), `{"model": "b", "mcp_servers": {}}`},
		"parents":               {`{"mcp_servers": {}}`, set(Text("b"), "model", "default"), `{"mcp_servers": {}, "model": {"default": "b"}}`},
		"an item":               {`{"x": {"args": ["a", 1]}}`, Step{Kind: StepInsertItem, Path: []string{"x", "args"}, Value: Text("b")}, `{"x": {"args": ["a", 1, "b"]}}`},
		"into an empty list":    {`{"x": {"args": []}}`, Step{Kind: StepInsertItem, Path: []string{"x", "args"}, Value: Text("b")}, `{"x": {"args": ["b"]}}`},
		"lines": {"{\n  \"x\": {\n    \"a\": \"b\"\n  }\n}\n", set(Text("d"), "x", "c"),
			"{\n  \"x\": {\n    \"a\": \"b\",\n    \"c\": \"d\"\n  }\n}\n"},
		"brackets without quotes": {`{x: {a: "b"}}`, set(Text("d"), "x", "c"), `{x: {a: "b", c: d}}`},
		"items without quotes":    {`"x": {"args": [a]}`, Step{Kind: StepInsertItem, Path: []string{"x", "args"}, Value: Text("b")}, `"x": {"args": [a, b]}`},
		"quoted keys in lines":    {"\"x\":\n  \"a\": b\n", set(Text("d"), "x", "c"), "\"x\":\n  \"a\": b\n  c: d\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h := home(t, c.before)
			if _, err := open(t, h).Change(context.Background(), Change{Steps: []Step{c.step}}); err != nil {
				t.Fatal(err)
			}
			got := get(t, h.Config())
			if got != c.after {
				t.Errorf("got  %s\nwant %s", got, c.after)
			}
			if json.Valid([]byte(c.before)) && !json.Valid([]byte(got)) {
				t.Error("it is no JSON any more")
			}
		})
	}
}

// So does it through the edits of one tool and the lock.
func TestJSONStaysJSONThroughEdits(t *testing.T) {
	h := home(t, `{"mcp_servers": {"demo": {"command": "x"}}}`)
	f := open(t, h)
	for _, e := range []Edit{off("demo", "read_file"), on("demo", "read_file"), {Server: "demo", Intent: policy.Intent{Action: policy.ActionLock}}, on("demo", "list")} {
		apply(t, f, e)
		if got := get(t, h.Config()); !json.Valid([]byte(got)) {
			t.Errorf("no JSON any more: %s", got)
		}
	}
}
