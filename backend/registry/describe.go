package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

type described struct {
	Tools    json.RawMessage `json:"tools"`
	NotFound []string        `json:"not_found,omitempty"`
	Hint     string          `json:"hint,omitempty"`
	// Connectors tells why hosted tools could not be asked for.
	Connectors *connectorsAnswer `json:"connectors,omitempty"`
}

// Describe answers tool_describe: description and full schema of each allowed
// tool; a denied one is not found. It never fails; what is wrong with the
// arguments is in the answer.
func (c *Catalog) Describe(args json.RawMessage) string {
	return c.DescribeAll(context.Background(), args, nil)
}

// DescribeAll is Describe with the tools behind a gateway; hosted is nil for none.
func (c *Catalog) DescribeAll(ctx context.Context, args json.RawMessage, hosted Hosted) string {
	t, err := argumentsTree(args)
	if err != nil {
		return ErrorJSON(err.Error())
	}
	names, err := wordsArgument(t, "names")
	if err != nil {
		return ErrorJSON(err.Error())
	}
	seen := map[string]bool{}
	names = slices.DeleteFunc(names, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
	if len(names) > maxNames {
		return ErrorJSON(fmt.Sprintf("too many names: %d > max %d. Describe the tools you need first, in several calls.", len(names), maxNames))
	}
	answer := described{}
	tools := newObject()
	var hints, remote []string
	for _, name := range names {
		if _, _, ok := HostedName(name); ok && hosted != nil {
			remote = append(remote, name)
			continue
		}
		entry, ok := c.allowed(name)
		if !ok {
			if public, repaired := c.Repair(name); repaired {
				entry, ok = c.allowed(public)
			}
		}
		switch {
		case ok:
			tools.set(entry.Public, newObject("description", textTree(entry.Description), "parameters", rawTree(entry.checker().offered().shown(entry.Schema))))
		case isBridge(name):
			answer.NotFound = append(answer.NotFound, name)
			hints = append(hints, quoteName(name)+" is offered to you directly.")
		default:
			answer.NotFound = append(answer.NotFound, name)
			hints = append(hints, c.Refusal(name))
		}
	}
	if len(remote) > 0 {
		var unknown []string
		unknown, answer.Connectors = describeHosted(ctx, hosted, remote, tools)
		for _, name := range unknown {
			answer.NotFound = append(answer.NotFound, name)
			hints = append(hints, quoteName(name)+" is not known to the connectors gateway.")
		}
	}
	answer.Tools = tools.json()
	answer.Hint = strings.Join(hints, " ")
	return strings.TrimSuffix(encodeJSON(answer), "\n")
}

// allowed asks policy about a public name once more.
func (c *Catalog) allowed(public string) (Entry, bool) {
	entry, verdict := c.Resolve(public)
	return entry, verdict.Allowed
}

// rawTree holds JSON that is written as it is.
func rawTree(raw json.RawMessage) *tree { return &tree{text: string(raw)} }
