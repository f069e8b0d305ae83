package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	foundDescription = 500 // runes of a description in a result
	maxRequired      = 32  // names of required parameters in a result
	maxParamName     = 64
)

type searchAnswer struct {
	Queries        []string        `json:"queries"`
	TotalAvailable int             `json:"total_available"`
	Results        []queryAnswer   `json:"results"`
	Tools          json.RawMessage `json:"tools"`
	// Connectors tells why hosted tools could not be asked for.
	Connectors *connectorsAnswer `json:"connectors,omitempty"`
}

type queryAnswer struct {
	Query   string   `json:"query"`
	Matches []string `json:"matches"`
	// Sources and Hint are given when nothing matches.
	Sources []sourceCount `json:"available_sources,omitempty"`
	Hint    string        `json:"hint,omitempty"`
}

type sourceCount struct {
	Name  string `json:"name"`
	Count int    `json:"tool_count"`
}

// Search answers tool_search (reference hermes-agent 1.4-1.6): exact names
// first, then by full text. Only allowed tools are found, and policy is asked
// again for each. It never fails; what is wrong with the arguments is in the
// answer.
func (c *Catalog) Search(args json.RawMessage, o Options) string {
	return c.SearchAll(context.Background(), args, o, nil)
}

// SearchAll is Search with the tools behind a gateway, which are asked for only
// where a query has room left; hosted is nil for none.
func (c *Catalog) SearchAll(ctx context.Context, args json.RawMessage, o Options, hosted Hosted) string {
	o = o.normal()
	t, err := argumentsTree(args)
	if err != nil {
		return ErrorJSON(err.Error())
	}
	queries, err := wordsArgument(t, "queries")
	if err != nil {
		return ErrorJSON(err.Error())
	}
	if len(queries) > maxQueries {
		return ErrorJSON(fmt.Sprintf("too many queries: %d > max %d. Send the most important ones first, in several calls.", len(queries), maxQueries))
	}
	limit := limitArgument(t.get("limit"), o)
	answer := searchAnswer{Queries: queries, TotalAvailable: len(c.entries), Results: []queryAnswer{}}
	tools := newObject()
	for _, query := range queries {
		found, err := c.matches(query, limit)
		if err != nil {
			return ErrorJSON(err.Error())
		}
		result := queryAnswer{Query: query, Matches: []string{}}
		for _, i := range found {
			e := &c.entries[i]
			result.Matches = append(result.Matches, e.Public)
			tools.set(e.Public, foundTool(e))
		}
		answer.Results = append(answer.Results, result)
	}
	if hosted != nil {
		searchHosted(ctx, hosted, &answer, tools, limit)
	}
	for i := range answer.Results {
		if result := &answer.Results[i]; len(result.Matches) == 0 {
			result.Sources = c.sources()
			result.Hint = "No tool matches. Try other keywords once, or look at what these servers offer; " +
				"if nothing fits, the capability is not there: say so instead of searching again."
		}
	}
	answer.Tools = tools.json()
	return strings.TrimSuffix(encodeJSON(answer), "\n")
}

// limitArgument is a whole number, also as text, moved into the range.
func limitArgument(value *tree, o Options) int {
	if value == nil {
		return o.DefaultLimit
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(value.text), 64)
	if err != nil || n != n {
		return o.DefaultLimit
	}
	return int(min(max(n, 1), float64(o.MaxLimit)))
}

// matches are indexes of entries, exact names first.
func (c *Catalog) matches(query string, limit int) ([]int, error) {
	var out []int
	seen := map[int]bool{}
	add := func(i int) {
		if len(out) < limit && !seen[i] && c.ask(&c.entries[i]).Allowed {
			seen[i] = true
			out = append(out, i)
		}
	}
	name := fold(query)
	for i := range c.entries {
		if fold(c.entries[i].Public) == name {
			add(i)
		}
	}
	for i := range c.entries {
		if fold(c.entries[i].Tool) == name {
			add(i)
		}
	}
	if len(out) == limit || len(c.entries) == 0 {
		return out, nil
	}
	if err := c.search.open(c); err != nil {
		return nil, err
	}
	found, err := c.search.find(query, limit+len(out))
	for _, i := range found {
		add(i)
	}
	return out, err
}

func foundTool(e *Entry) *tree {
	required := newArray()
	var top struct {
		Required []string `json:"required"`
	}
	// A schema whose "required" is no list of texts has none to show.
	_ = json.Unmarshal(e.Schema, &top)
	names := e.checker().offered()
	for _, name := range top.Required[:min(len(top.Required), maxRequired)] {
		required.items = append(required.items, textTree(cut(clean(names.offer(name)), maxParamName)))
	}
	return newObject("source", textTree("mcp"), "source_name", textTree(e.Server),
		"description", textTree(ellipsis(e.Description, foundDescription)), "required", required)
}

func ellipsis(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return cut(s, limit+1)
}

func (c *Catalog) sources() []sourceCount {
	var out []sourceCount
	for _, g := range c.groups() {
		out = append(out, sourceCount{g.label, len(g.entries)})
	}
	return out
}

func propertyNames(schema json.RawMessage) []string {
	var top struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	// A schema that is odd here has no names to find the tool by.
	_ = json.Unmarshal(schema, &top)
	names := make([]string, 0, len(top.Properties))
	for name := range top.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
