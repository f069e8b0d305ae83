package transfer

import (
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Gemini CLI asks for the presence of includeTools, so that an empty list is
// none in its code; excludeTools wins over it. Names are plain.
func gemini() Host {
	return Host{
		Name: "gemini", Title: "Gemini CLI", parse: readJSON, encode: writeJSON,
		exact: func(root *policy.Node) bool {
			m := field(root, "mcpServers")
			return hasEntry(m, "httpUrl", "includeTools", "excludeTools") && (readSwitches(root).found() || !mixed(m))
		},
		read: readGemini,
		can: ability{stdio: true, http: true, sse: true, cwd: true, off: true, allow: true, deny: true, refs: true, dollars: true, times: true,
			lockHint: "Gemini CLI means none by an empty list in its code and all in its handbook for companies"},
		write: func(o *outgoing) {
			o.rewrite(func(name string) (string, bool) { return "${" + name + "}", true })
			var off []string
			o.mcpServers(func(s *Server) *policy.Node {
				if !s.Enabled {
					off = append(off, s.Name)
				}
				return s.geminiEntry()
			})
			if len(off) > 0 {
				m := mapping()
				put(m, "excluded", config.List(off...))
				put(o.root, "mcp", m)
			}
		},
	}
}

func readGemini(root *policy.Node, _ []*policy.Node) Reading {
	var r Reading
	m := field(root, "mcpServers")
	shape(&r, m, "mcpServers")
	switches := readSwitches(root)
	r.Servers = servers(m, func(e *entry) {
		e.URL = e.text("httpUrl")
		e.connect(e.URL == "")
		e.shellReferences(true)
		e.Timeout = e.millis("timeout")
		allow := readNames(field(e.node, "includeTools"), "includeTools")
		for i, name := range allow.list {
			// `read(path)` allows the tool read.
			allow.list[i], _, _ = strings.Cut(name, "(")
		}
		lists{
			allow: allow, deny: readNames(field(e.node, "excludeTools"), "excludeTools"),
			emptyUnsure: "the list is empty; Gemini CLI's code takes that for no tool, so the server is locked here; " +
				"open it with `hermes mcp open " + e.Name + "` if you meant all",
		}.filter(&e.Server)
		e.understood("includeTools", "excludeTools")
		if trust, _ := switchOf(field(e.node, "trust"), false); trust {
			e.note("`trust: true` is not taken over: calls of tools that may write ask here")
		}
		switches.apply(e)
	})
	return r
}

func (s *Server) geminiEntry() *policy.Node {
	n := mapping()
	switch s.Transport {
	case config.TransportHTTP:
		put(n, "httpUrl", config.Text(s.URL))
	case config.TransportSSE:
		put(n, "url", config.Text(s.URL))
	default:
		put(n, "command", config.Text(s.Command))
		if len(s.Args) > 0 {
			put(n, "args", config.List(s.Args...))
		}
		putMap(n, "env", s.Env)
		putText(n, "cwd", s.Cwd)
	}
	putMap(n, "headers", s.Headers)
	if s.Timeout > 0 {
		put(n, "timeout", number(s.Timeout, time.Millisecond))
	}
	s.putLists(n, "includeTools", "excludeTools")
	return n
}

// mixed tells entries with rules that mean nothing to Gemini CLI: then it is
// nobody's file for sure.
func mixed(m *policy.Node) bool {
	found := false
	each(m, func(_, entry *policy.Node) {
		for _, key := range ruleKeys(entry) {
			found = found || key != "includeTools" && key != "excludeTools"
		}
	})
	return found
}

// hasEntry tells whether an entry of a map of servers has one of the keys.
func hasEntry(m *policy.Node, keys ...string) bool {
	found := false
	each(m, func(_, entry *policy.Node) {
		for _, key := range keys {
			found = found || !missing(field(entry, key))
		}
	})
	return found
}
