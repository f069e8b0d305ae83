package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"hermes/backend/message"
	"hermes/backend/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func word(s string) *policy.Node {
	return &policy.Node{Kind: policy.KindScalar, Tag: "!!str", Value: s, Style: policy.StylePlain, Line: 1, Column: 1}
}

func boolean(b bool) *policy.Node {
	return &policy.Node{Kind: policy.KindScalar, Tag: "!!bool", Value: fmt.Sprint(b), Style: policy.StylePlain, Line: 1, Column: 1}
}

func mapping(pairs ...*policy.Node) *policy.Node {
	return &policy.Node{Kind: policy.KindMapping, Tag: "!!map", Style: policy.StyleBlock, Line: 1, Column: 1, Children: pairs}
}

func list(items ...string) *policy.Node {
	n := &policy.Node{Kind: policy.KindSequence, Tag: "!!seq", Style: policy.StyleFlow, Line: 7, Column: 14}
	for _, item := range items {
		child := word(item)
		child.Line = 7
		n.Children = append(n.Children, child)
	}
	return n
}

func open() policy.Rules { return policy.ReadServer(mapping(word("command"), word("x"))) }

func only(names ...string) policy.Rules {
	return policy.ReadServer(mapping(word("tools"), mapping(word("include"), list(names...))))
}

func except(names ...string) policy.Rules {
	return policy.ReadServer(mapping(word("tools"), mapping(word("exclude"), list(names...))))
}

func tool(name, description, schema string) Tool {
	return Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)}
}

func named(names ...string) []Tool {
	out := make([]Tool, len(names))
	for i, name := range names {
		out[i] = tool(name, "Does "+name+".", `{"type":"object","properties":{}}`)
	}
	return out
}

// demoSources are the servers of the second story: files, git and tickets.
func demoSources() []Source {
	return []Source{
		{Server: "tickets", Rules: open(), Known: true, Tools: []Tool{
			tool("create_ticket", "Creates a ticket in the tracker. Returns its number.",
				`{"type":"object","properties":{"title":{"type":"string"},"priority":{"enum":["low","high"],"type":"string"},"body":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}}},"required":["title"]}`),
			tool("list_tickets", "Lists tickets, e.g. the open ones. Newest first.", `{"type":"object","properties":{"open":{"type":["boolean","null"]}}}`),
		}},
		{Server: "files", Rules: except("write_file"), Known: true, Tools: []Tool{
			tool("read_file", "Reads one text file", `{"type":"object","properties":{"path":{"type":"string"},"head":{"type":"integer"}},"required":["path"]}`),
			tool("write_file", "Writes a file", `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`),
			tool("list_directory", "Lists a folder of the sandbox with the sizes of all its files and the time of their last change", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
		}},
		{Server: "git", Rules: open(), Known: true, Resources: true, Tools: []Tool{
			tool("log", "Shows the newest commits", `{"type":"object","properties":{"limit":{"type":"integer","minimum":1},"range":{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from"]}}}`),
		}},
	}
}

func demoNames() []string { return []string{"files", "git", "tickets"} }

func publics(entries []Entry) string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Public)
	}
	return strings.Join(names, " ")
}

func definition(t *testing.T, tools []message.ToolDef, name string) message.ToolDef {
	t.Helper()
	for _, d := range tools {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("%s is not offered", name)
	return message.ToolDef{}
}
