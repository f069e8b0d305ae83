package transfer

import (
	"bytes"

	"hermes/backend/policy"
)

// plainJSON is what people paste: mcpServers, mcp_servers, or a bare map of
// entries, of a host nobody names. Filter keys of several hosts are read, and
// where those disagree the narrower meaning counts.
func plainJSON() Host {
	return Host{
		Name: "json", Title: "plain mcpServers JSON", parse: readAny, encode: writeJSON,
		exact: func(root *policy.Node) bool { m, _ := plainServers(root); return m != nil },
		read: func(root *policy.Node, _ []*policy.Node) Reading {
			m, name := plainServers(root)
			r := Reading{}
			shape(&r, m, name)
			switches := readSwitches(root)
			r.Servers = servers(m, func(e *entry) {
				readPlain(e)
				if name != "" {
					switches.apply(e)
				}
			})
			if other := field(root, "mcp_servers"); name == "mcpServers" && !missing(other) {
				r.Problems = append(r.Problems, Problem{Line: other.Line, Message: "`mcp_servers` is not read, because `mcpServers` is there as well"})
			}
			return r
		},
		can: ability{stdio: true, http: true, sse: true, cwd: true, refs: true, cannot: "plain mcpServers JSON has no rules for tools that every host obeys"},
		write: func(o *outgoing) {
			o.mcpServers(func(s *Server) *policy.Node { return s.plainEntry("type") })
		},
	}
}

// readAny reads JSON, or YAML where it is none: a piece of a Hermes file.
func readAny(data []byte) (*policy.Node, error) {
	tree, err := readJSON(data)
	if err == nil {
		return tree, nil
	}
	if start := bytes.TrimLeft(data, "\xef\xbb\xbf \t\r\n"); len(start) > 0 && start[0] != '{' && start[0] != '[' {
		if tree, err := readYAML(data); err == nil && isMap(tree) {
			return tree, nil
		}
	}
	return nil, err
}

// plainServers finds the map of servers; nil for none.
func plainServers(root *policy.Node) (m *policy.Node, name string) {
	for _, name := range []string{"mcpServers", "mcp_servers"} {
		if n := field(root, name); n != nil {
			return n, name
		}
	}
	found := false
	each(root, func(_, entry *policy.Node) {
		for _, key := range []string{"command", "url", "serverUrl", "httpUrl"} {
			found = found || isText(field(entry, key))
		}
	})
	if found {
		return root, ""
	}
	return nil, ""
}

func readPlain(e *entry) {
	e.URL = e.text("httpUrl")
	e.connect(false)
	e.editorReferences(nil)
	e.disabledKey("disabled")
	e.enabledKey("enabled")
	e.plainRules()
	if n := field(e.node, "trust"); !missing(n) && textOf(n) != "untrusted" {
		e.note("`trust` is not taken over: calls of tools that may write ask here")
	}
}

// plainRules reads a block in our own syntax and the keys of every other host;
// what any of them keeps out stays out.
func (e *entry) plainRules() {
	e.plainLists()
	tools := field(e.node, "tools")
	if !isMap(tools) || !policy.KnowsTools(tools) {
		return
	}
	e.understood("tools")
	rules := policy.ReadServer(e.node)
	if rules.State() == policy.StateInvalid {
		e.refuse("its tool rules cannot be read: " + rules.List().Text)
		return
	}
	others, said := e.Filter, e.Meaning
	e.Filter = Filter{State: rules.State(), Patterns: rules.Patterns()}
	e.Tools, e.Meaning = tools, "rules of Hermes: "+rules.List().Text
	if others.State == policy.StateOpen {
		return
	}
	var exact bool
	e.Filter, exact = narrow(e.Filter, others)
	e.Meaning += "; " + said
	if !exact {
		e.note("its rules cannot be said exactly here; what is left allows less, never more")
	}
	e.Tools = e.Filter.block()
	each(tools, func(key, value *policy.Node) {
		if on, ok := switchOf(value, true); ok && !on {
			e.Tools.Children = append(e.Tools.Children, key, value)
		}
	})
	if now := e.ownRules(); now.Resources() && !rules.Resources() || now.Prompts() && !rules.Prompts() || now.State() != e.Filter.State {
		e.lock("cannot be said together: " + e.Meaning)
		e.note("its rules cannot be put together, so the server is locked")
	}
}

// ownRules are what package policy reads in the block that is taken over.
func (e *entry) ownRules() policy.Rules {
	n := mapping()
	put(n, "tools", e.Tools)
	return policy.ReadServer(n)
}

// plainLists reads the filter keys of several hosts, all at once.
func (e *entry) plainLists() {
	filter, meaning := Open(), ""
	take := func(l lists) {
		e.understood(l.allow.key, l.deny.key)
		if !l.allow.given && !l.deny.given {
			return
		}
		probe := e.Server
		l.emptyUnsure = "the list is empty; some hosts take that for all tools, others for none: " +
			"the server is locked here; open it with `hermes mcp open` if you meant all"
		l.filter(&probe)
		e.Notes = probe.Notes
		if meaning != "" {
			meaning += "; "
		}
		meaning += probe.Meaning
		filter, _ = narrow(filter, probe.Filter)
	}
	tools := field(e.node, "tools")
	switch list, _ := textList(tools); {
	case isMap(tools):
	case len(list) == 1 && list[0] == "*":
		meaning = "`tools: [*]`: all tools"
	default:
		take(lists{allow: readNames(tools, "tools")})
	}
	for _, pair := range [][2]string{
		{"includeTools", "excludeTools"}, {"enabled_tools", "disabled_tools"}, {"allowedTools", "excludedTools"},
		{"available_tools", "disabledTools"}, {"enabledTools", "blockedTools"},
	} {
		take(lists{allow: readNames(field(e.node, pair[0]), pair[0]), deny: readNames(field(e.node, pair[1]), pair[1])})
	}
	if meaning == "" {
		meaning = "all tools"
	}
	e.Filter, e.Meaning = filter, meaning
}
