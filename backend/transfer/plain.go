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
			r.Servers = servers(m, readPlain)
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
	tools := field(e.node, "tools")
	switch {
	case isMap(tools) && policy.KnowsTools(tools):
		e.ownTools(tools)
	case tools != nil && tools.Kind == policy.KindSequence && len(tools.Children) == 1 && textOf(tools.Children[0]) == "*":
		e.Filter, e.Meaning = Open(), "`tools: [*]`: all tools"
	default:
		e.plainLists(tools)
	}
	for _, name := range []string{"alwaysAllow", "autoApprove", "trust"} {
		if n := field(e.node, name); !missing(n) && textOf(n) != "untrusted" {
			e.note("`" + name + "` is not taken over: calls of tools that may write ask here")
		}
	}
}

// ownTools takes over a block in our own syntax as it stands.
func (e *entry) ownTools(tools *policy.Node) {
	rules := policy.ReadServer(e.node)
	if rules.State() == policy.StateInvalid {
		e.refuse("its tool rules cannot be read: " + rules.List().Text)
		return
	}
	e.Filter = Filter{State: rules.State(), Patterns: rules.Patterns()}
	e.Tools, e.Meaning = tools, "rules of Hermes: "+rules.List().Text
}

// plainLists reads the filter keys of several hosts, all at once.
func (e *entry) plainLists(tools *policy.Node) {
	filter, meaning := Open(), ""
	take := func(l lists) {
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
	known := []string{"autoApproveTools"}
	if !isMap(tools) {
		known = append(known, "tools")
		take(lists{allow: readNames(tools, "tools")})
	}
	for _, pair := range [][2]string{
		{"includeTools", "excludeTools"}, {"enabled_tools", "disabled_tools"}, {"allowedTools", "excludedTools"},
		{"available_tools", "disabledTools"}, {"enabledTools", "blockedTools"},
	} {
		known = append(known, pair[0], pair[1])
		take(lists{allow: readNames(field(e.node, pair[0]), pair[0]), deny: readNames(field(e.node, pair[1]), pair[1])})
	}
	if meaning == "" {
		meaning = "all tools"
	}
	e.Filter, e.Meaning = filter, meaning
	if foreign := e.foreignLists(known); len(foreign) > 0 {
		e.Filter, e.Meaning = Only(), "not known: "+join(foreign)
		e.note("`" + foreign[0] + "` may keep tools out in words that are not known here, so the server is locked")
	}
}
