package registry

import (
	"cmp"
	"slices"

	"hermes/backend/policy"
)

// Build makes the catalogue of what may be called. configured are all server
// names of the file, sources what is known of them. A source that is not
// configured is denied whole; of two for one server the first counts. Policy is
// asked here for every tool and again by Resolve.
func Build(configured []string, sources []Source) *Catalog {
	c := &Catalog{rules: make(map[string]policy.Rules, len(sources)), byPublic: map[string]int{}}
	known := make(map[string]bool, len(configured))
	for _, name := range configured {
		known[name] = true
	}
	names := newNamer(configured)
	seen := map[string]bool{}
	for _, src := range sources {
		if seen[src.Server] {
			continue
		}
		seen[src.Server] = true
		if !known[src.Server] {
			src.Rules = policy.Rules{}
		}
		c.rules[src.Server] = src.Rules
		c.all = append(c.all, listTools(names, src)...)
		if src.Pending && src.Rules.State() != policy.StateInvalid && !src.Rules.Locked() {
			c.pending = append(c.pending, src.Server)
		}
	}
	slices.Sort(c.pending)
	slices.SortStableFunc(c.all, func(a, b Listed) int { return cmp.Compare(a.Public, b.Public) })
	c.index()
	return c
}

// listTools is every tool of one server, each raw name once, and its helpers.
func listTools(names namer, src Source) []Listed {
	raw := make([]string, len(src.Tools))
	for i, t := range src.Tools {
		raw[i] = t.Name
	}
	n := names.server(src.Server, raw)
	out := make([]Listed, 0, len(src.Tools)+4)
	seen := make(map[string]bool, len(raw))
	for _, t := range src.Tools {
		if seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		item := Listed{Verdict: src.Rules.Tool(t.Name), Entry: Entry{
			Public: n.tool(t.Name), Server: src.Server, Tool: t.Name,
			Title:       cut(clean(t.Title), maxTitle),
			Description: cut(clean(t.Description), maxDescription),
			ReadOnly:    t.ReadOnly, Destructive: t.Destructive,
		}}
		if item.Description == "" {
			item.Description = "MCP tool " + clean(t.Name) + " from " + clean(src.Server)
		}
		item.Schema, item.Quarantine = accept(t)
		item.Output = acceptOutput(t.OutputSchema)
		item.Idempotent, item.OpenWorld = hintsOf(t.Annotations)
		item.Blocked = src.Blocked[t.Name]
		out = append(out, item)
	}
	for _, helper := range helpers(src) {
		if n.taken(helper.Tool) {
			continue
		}
		helper.Public = n.tool(helper.Tool)
		out = append(out, Listed{Entry: helper, Verdict: src.Rules.Helper(helper.Helper)})
	}
	return out
}

// index fills byPublic and the allowed entries. Two tools with one public name
// take a collision of hashes; neither is offered then.
func (c *Catalog) index() {
	for i := range c.all {
		name := c.all[i].Public
		if other, taken := c.byPublic[name]; taken {
			const reason = "its public name is also another tool's"
			c.all[i].Quarantine, c.all[other].Quarantine = reason, reason
			continue
		}
		c.byPublic[name] = i
	}
	for i := range c.all {
		c.all[i].check = &checker{schema: c.all[i].Schema}
		if c.all[i].Verdict.Allowed && c.all[i].Quarantine == "" && c.all[i].Blocked == "" {
			c.entries = append(c.entries, c.all[i].Entry)
		}
	}
}
