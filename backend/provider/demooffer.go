package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hermes/backend/message"
)

// offer is what the demo model finds in a request's tools: names offered
// directly, and names in the listing of the bridge tools.
type offer struct {
	names  []string
	direct map[string]bool
	known  map[string]map[string]bool // parameter names, where they are told
	bridge bool
}

const bridgeTool = "tool_call"

func newOffer(tools []message.ToolDef) offer {
	o := offer{direct: map[string]bool{}, known: map[string]map[string]bool{}}
	listed := regexp.MustCompile(`\bmcp__\w+(?:\(([^\n]*?)\) - )?`)
	param := regexp.MustCompile(`(\w+)\??: `)
	for _, t := range tools {
		if t.Name == bridgeTool {
			o.bridge = true
		}
		if strings.HasPrefix(t.Name, "mcp__") {
			o.direct[t.Name] = true
			o.names = append(o.names, t.Name)
			o.known[t.Name] = propertyNames(t.Parameters)
			continue
		}
		for _, m := range listed.FindAllStringSubmatch(t.Description, -1) {
			name, _, _ := strings.Cut(m[0], "(")
			o.names = append(o.names, name)
			params := map[string]bool{}
			for _, p := range param.FindAllStringSubmatch(m[1], -1) {
				params[p[1]] = true
			}
			o.known[name] = params
		}
	}
	slices.Sort(o.names)
	o.names = slices.Compact(o.names)
	return o
}

func propertyNames(schema []byte) map[string]bool {
	out := map[string]bool{}
	fields, err := members(schema)
	if err != nil {
		return out
	}
	props, err := members(find(fields, "properties"))
	if err != nil {
		return out
	}
	for _, p := range props {
		out[p.key] = true
	}
	return out
}

func (o offer) params(name string) map[string]bool { return o.known[name] }

// find looks for a tool of the built-in server first, then for one of the same
// name on any server. A name may carry the suffix that tells colliding names
// apart.
func (o offer) find(server string, tools []string) (string, bool) {
	suffix := regexp.MustCompile(`_[0-9a-f]{12}$`)
	for _, want := range []string{"mcp__" + server + "__", "__"} {
		for _, tool := range tools {
			for _, name := range o.names {
				bare := suffix.ReplaceAllString(name, "")
				if want == "__" && strings.HasSuffix(bare, want+tool) || bare == want+tool {
					return name, true
				}
			}
		}
	}
	return "", false
}

// calls writes the planned calls the way they are offered: one batch through
// the bridge, or each directly.
func (o offer) calls(planned []plannedCall, turn int) []message.ToolCall {
	if !o.bridge {
		out := make([]message.ToolCall, len(planned))
		for i, p := range planned {
			out[i] = message.ToolCall{ID: fmt.Sprintf("demo_%d_%d", turn, i), Name: p.name, Arguments: p.args}
		}
		return out
	}
	args := []byte(`{"calls": [`)
	for i, p := range planned {
		if i > 0 {
			args = append(args, ", "...)
		}
		args = append(appendString(append(args, `{"name": `...), p.name), `, "arguments": `...)
		args = append(append(args, p.args...), '}')
	}
	return []message.ToolCall{{
		ID: fmt.Sprintf("demo_%d", turn), Name: bridgeTool, Arguments: string(append(args, "]}"...)),
	}}
}
