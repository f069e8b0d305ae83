package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hermes/backend/message"
)

// Connector is the server's name under which calls behind the connectors gateway
// are shown, asked about and recorded; ConnectorBatch is the public name of a
// dispatch of several (reference hermes-agent 1.9).
const (
	Connector      = "connectors"
	ConnectorBatch = message.ConnectorBatch
)

const maxHostedName = 128

// Hosted are tools behind a gateway, which no server of this home has. Errors are
// told to the model and stop nothing.
type Hosted interface {
	// Search finds at most limit tools for each query, in the order of the queries.
	Search(ctx context.Context, queries []string, limit int) ([][]HostedTool, error)
	// Describe gives those of the named tools that are known.
	Describe(ctx context.Context, names []string) ([]HostedTool, error)
}

// HostedTool is a tool as its gateway describes it. Required are the names of
// required parameters, for an answer without Parameters.
type HostedTool struct {
	Name, Description string
	Parameters        json.RawMessage
	Required          []string
}

// HostedName takes the name of a hosted tool apart; ok is false for anything else.
func HostedName(name string) (connector, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, message.ConnectorPrefix)
	connector, tool, found := strings.Cut(rest, nameJoin)
	fit := func(part string) bool { return part != "" && strings.IndexFunc(part, unfitRune) < 0 }
	if !ok || !found || len(name) > maxHostedName || !fit(connector) || !fit(tool) {
		return "", "", false
	}
	return connector, tool, true
}

// hostedEntry is a hosted tool fit to be shown to a model; ok is false for one that
// is not: it is left out, as a local tool would be.
func hostedEntry(tool HostedTool) (entry Entry, ok bool) {
	connector, name, ok := HostedName(tool.Name)
	if !ok {
		return Entry{}, false
	}
	schema, quarantine := acceptSchema(tool.Parameters)
	if quarantine != "" {
		return Entry{}, false
	}
	return Entry{Public: tool.Name, Server: connector, Tool: name, Description: cut(clean(tool.Description), maxDescription), Schema: schema}, true
}

// connectorsAnswer tells in an answer what became of the question to the gateway.
type connectorsAnswer struct {
	Error string `json:"error"`
}

func hostedFailure(err error) *connectorsAnswer {
	return &connectorsAnswer{Error: "the tools behind the connectors gateway could not be asked for: " + cut(clean(err.Error()), maxDetail)}
}

// searchHosted fills the room that local tools left. It changes answer and tools.
func searchHosted(ctx context.Context, hosted Hosted, answer *searchAnswer, tools *tree, limit int) {
	var queries []string
	var at []int
	for i := range answer.Results {
		if len(answer.Results[i].Matches) < limit {
			queries, at = append(queries, answer.Results[i].Query), append(at, i)
		}
	}
	if len(queries) == 0 {
		return
	}
	found, err := hosted.Search(ctx, queries, limit)
	if err == nil && len(found) != len(queries) {
		err = fmt.Errorf("%d answers to %d queries", len(found), len(queries))
	}
	if err != nil {
		answer.Connectors = hostedFailure(err)
		return
	}
	for n, i := range at {
		result := &answer.Results[i]
		for _, tool := range found[n] {
			entry, ok := hostedEntry(tool)
			if !ok || len(result.Matches) >= limit || slices.Contains(result.Matches, entry.Public) {
				continue
			}
			result.Matches = append(result.Matches, entry.Public)
			tools.set(entry.Public, foundHosted(tool, entry))
		}
	}
}

func foundHosted(tool HostedTool, entry Entry) *tree {
	out := foundTool(&entry)
	out.set("source", textTree(Connector))
	if len(tool.Parameters) > 0 {
		return out
	}
	required := newArray()
	for _, name := range tool.Required[:min(len(tool.Required), maxRequired)] {
		required.items = append(required.items, textTree(cut(clean(name), maxParamName)))
	}
	out.set("required", required)
	return out
}

// describeHosted gives the descriptions of the named hosted tools, and those names
// that are not known.
func describeHosted(ctx context.Context, hosted Hosted, names []string, tools *tree) (unknown []string, failed *connectorsAnswer) {
	found, err := hosted.Describe(ctx, names)
	if err != nil {
		return nil, hostedFailure(err)
	}
	known := map[string]bool{}
	for _, tool := range found {
		entry, ok := hostedEntry(tool)
		if !ok || !slices.Contains(names, entry.Public) {
			continue
		}
		known[entry.Public] = true
		// The gateway gets the arguments as the model writes them, so the names of
		// parameters are the gateway's.
		tools.set(entry.Public, newObject("description", textTree(entry.Description), "parameters", rawTree(entry.Schema)))
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return known[name] }), nil
}
