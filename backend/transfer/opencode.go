package transfer

import (
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// opencode keeps servers under mcp, and rules for tools of all kinds as globs
// over "server_tool" under tools and permission, where the last match wins.
func opencode() Host {
	return Host{
		Name: "opencode", Title: "opencode", parse: readJSON, encode: writeJSON,
		exact: func(root *policy.Node) bool {
			found := false
			each(field(root, "mcp"), func(_, entry *policy.Node) {
				kind := textOf(field(entry, "type"))
				found = found || kind == "local" || kind == "remote"
			})
			return found
		},
		read:  readOpencode,
		can:   ability{stdio: true, http: true, off: true, allow: true, deny: true, none: true, globs: true, refs: true, clean: true},
		write: writeOpencode,
	}
}

// globRule is one rule: a glob, and whether it allows.
type globRule struct {
	glob  string
	allow bool
}

func readOpencode(root *policy.Node, _ []*policy.Node) Reading {
	var r Reading
	m := field(root, "mcp")
	shape(&r, m, "mcp")
	tools, toolsOK := boolRules(field(root, "tools"))
	permission, permissionOK := wordRules(field(root, "permission"))
	agents := false
	each(field(root, "agent"), func(_, agent *policy.Node) {
		agents = agents || !missing(field(agent, "tools")) || !missing(field(agent, "permission"))
	})
	r.Servers = servers(m, func(e *entry) {
		e.opencodeConnect()
		e.enabledKey("enabled")
		prefix := foreignName(e.Name) + "_"
		first, a := opencodeFilter(tools, prefix)
		second, b := opencodeFilter(permission, prefix)
		f, c := narrow(first, second)
		e.Filter = f
		e.Meaning = opencodeMeaning(append(slices.Clone(tools), permission...), prefix)
		if !a || !b || !c {
			e.note("its rules cannot be said exactly here; what is left allows less, never more")
		}
		if strings.Contains(strings.Join(f.Patterns, ""), "[!a-zA-Z0-9-]") {
			e.looseNote("opencode")
		}
		if !toolsOK || !permissionOK {
			e.Filter = Only()
			e.note("`tools` or `permission` holds a rule that cannot be read, so the server is locked")
		}
		if agents {
			e.note("rules of single agents are not taken over")
		}
	})
	return r
}

func (e *entry) opencodeConnect() {
	command := field(e.node, "command")
	switch {
	case missing(command):
	case command.Kind == policy.KindSequence:
		if words := e.list("command"); len(words) > 0 {
			e.Command, e.Args = words[0], words[1:]
		}
	default:
		e.Command, e.Args = e.text("command"), e.list("args")
	}
	e.Env, e.URL, e.Headers, e.Cwd = e.texts("environment"), e.text("url"), e.texts("headers"), e.text("cwd")
	if e.Env == nil {
		e.Env = e.texts("env")
	}
	e.ConnectTimeout = e.millis("timeout")
	e.curlyReferences()
	e.transport(e.text("type"), config.TransportHTTP)
	if oauth := field(e.node, "oauth"); isMap(oauth) {
		e.note("`oauth` is not taken over: log in again with `hermes mcp login`")
	}
}

// boolRules reads `tools`: glob to true or false.
func boolRules(n *policy.Node) (rules []globRule, ok bool) {
	ok = missing(n) || isMap(n)
	each(n, func(key, value *policy.Node) {
		allow, fine := switchOf(value, true)
		ok = ok && fine && !missing(value)
		rules = append(rules, globRule{key.Value, allow})
	})
	return rules, ok
}

// wordRules reads `permission`: one word for everything, or glob to a word.
// "ask" allows, after a question that Hermes asks by its own rules.
func wordRules(n *policy.Node) (rules []globRule, ok bool) {
	if isText(n) {
		return []globRule{{"*", n.Value != "deny"}}, n.Value == "deny" || n.Value == "ask" || n.Value == "allow"
	}
	ok = missing(n) || isMap(n)
	each(n, func(key, value *policy.Node) {
		if isMap(value) {
			// A map is about a tool's arguments; a deny anywhere in it is taken
			// for the whole tool.
			denies := false
			each(value, func(_, word *policy.Node) { denies = denies || textOf(word) == "deny" })
			rules = append(rules, globRule{key.Value, !denies})
			return
		}
		word := textOf(value)
		ok = ok && (word == "deny" || word == "ask" || word == "allow")
		rules = append(rules, globRule{key.Value, word == "allow" || word == "ask"})
	})
	return rules, ok
}

func opencodeMeaning(rules []globRule, prefix string) string {
	var said []string
	for _, r := range rules {
		if len(after(r.glob, prefix, true)) > 0 {
			word := "off"
			if r.allow {
				word = "on"
			}
			said = append(said, r.glob+" "+word)
		}
	}
	if len(said) == 0 {
		return "all tools"
	}
	return strings.Join(said, ", ") + " (the last match wins)"
}

// opencodeFilter gives what the rules leave of one server. Releases differ in
// whether the last or the longest glob wins, so a name that is on must be on
// under both. exact is false where the result allows less than the rules.
func opencodeFilter(rules []globRule, prefix string) (f Filter, exact bool) {
	last, longest, length := true, true, 0
	var on, off []string
	exact = true
	for _, r := range rules {
		for _, left := range after(r.glob, prefix, true) {
			switch {
			case left == "":
			case left == "*":
				exact = exact && len(off) == 0
				last, on = r.allow, nil
				if len(r.glob) >= length {
					longest, length = r.allow, len(r.glob)
				}
			case r.allow:
				on = append(on, left)
			default:
				off = append(off, ours(left, true, true))
			}
		}
	}
	base := last && longest
	exact = exact && last == longest
	if base {
		// A rule that opens again what one before it closed is left out.
		return Except(once(off)...), exact && (len(off) == 0 || len(on) == 0)
	}
	closed := Except(once(off)...)
	kept := []string{}
	for _, glob := range once(on) {
		pattern := ours(glob, true, false)
		name, plain := plainName(pattern)
		if len(off) > 0 && (!plain || !closed.allows(name)) {
			exact = false
			continue
		}
		kept = append(kept, pattern)
	}
	return Only(once(kept)...), exact
}

func writeOpencode(o *outgoing) {
	o.rewrite(func(name string) (string, bool) { return "{env:" + name + "}", true })
	rules := mapping()
	put(o.root, "$schema", config.Text("https://opencode.ai/config.json"))
	o.entries("mcp", func(s *Server) *policy.Node {
		if other := o.overlaps(s); other != "" {
			o.refuse(s, "opencode names its tools by server and tool, and "+other+" would fall under the same rules")
			return nil
		}
		n := mapping()
		if s.Transport == config.TransportStdio {
			put(n, "type", config.Text("local"))
			put(n, "command", config.List(append([]string{s.Command}, s.Args...)...))
			putMap(n, "environment", s.Env)
		} else {
			put(n, "type", config.Text("remote"))
			put(n, "url", config.Text(s.URL))
			putMap(n, "headers", s.Headers)
		}
		put(n, "enabled", boolean(s.Enabled))
		prefix := foreignName(s.Name) + "_"
		switch s.Filter.State {
		case policy.StateOnly:
			put(rules, prefix+"*", boolean(false))
			for _, pattern := range s.Filter.Patterns {
				put(rules, prefix+pattern, boolean(true))
			}
		case policy.StateExcept:
			for _, pattern := range s.Filter.Patterns {
				put(rules, prefix+pattern, boolean(false))
			}
		}
		return n
	})
	if len(rules.Children) > 0 {
		put(o.root, "tools", rules)
	}
}

// overlaps names another server whose tools would fall under this one's rules.
func (o *outgoing) overlaps(s *Server) string {
	mine := foreignName(s.Name) + "_"
	for i := range o.servers {
		other := &o.servers[i]
		if other.Name != s.Name && (strings.HasPrefix(foreignName(other.Name)+"_", mine) || strings.HasPrefix(mine, foreignName(other.Name)+"_")) {
			return other.Name
		}
	}
	return ""
}
