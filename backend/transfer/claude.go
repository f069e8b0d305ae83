package transfer

import (
	"fmt"
	"strings"

	"hermes/backend/policy"
)

// Claude Desktop keeps programs only; its switches for tools are not in the
// file, and it expands nothing.
func claudeDesktop() Host {
	return Host{
		Name: "claude", Title: "Claude Desktop", parse: readJSON, exact: never, encode: writeJSON,
		read: func(root *policy.Node, _ []*policy.Node) Reading {
			var r Reading
			list := field(root, "mcpServers")
			shape(&r, list, "mcpServers")
			r.Servers = servers(list, func(e *entry) {
				e.connect(false)
				e.disabledKey("disabled")
				e.plainDollars("Claude Desktop")
				e.ruleless("all tools (its switches for tools are not in the file)")
			})
			return r
		},
		can: ability{stdio: true, cannot: "Claude Desktop's file has no rules for tools"},
		write: func(o *outgoing) {
			o.mcpServers(func(s *Server) *policy.Node { return s.plainEntry("") })
		},
	}
}

// Claude Code keeps servers in .mcp.json and ~/.claude.json, and what must not
// be called as permissions.deny in its settings.
func claudeCode() Host {
	return Host{
		Name: "claude-code", Title: "Claude Code", parse: readJSON, encode: writeJSON,
		exact: func(root *policy.Node) bool {
			return isMap(field(root, "mcpServers")) && (!missing(path(root, "permissions")) || !missing(field(root, "projects")))
		},
		read: readClaudeCode,
		can: ability{stdio: true, http: true, sse: true, refs: true,
			cannot: "Claude Code keeps such rules in permissions.deny of its settings, not with the server"},
		write: func(o *outgoing) {
			o.rewrite(func(name string) (string, bool) { return "${" + name + "}", true })
			o.mcpServers(func(s *Server) *policy.Node { return s.plainEntry("type") })
		},
	}
}

func readClaudeCode(root *policy.Node, beside []*policy.Node) Reading {
	var r Reading
	list := field(root, "mcpServers")
	shape(&r, list, "mcpServers")
	var deny, off []string
	unreadable, settings := false, len(beside) > 0
	for _, tree := range append([]*policy.Node{root}, beside...) {
		rules := path(tree, "permissions", "deny")
		settings = settings || !missing(path(tree, "permissions"))
		texts, ok := textList(rules)
		if !ok && !missing(rules) {
			unreadable = true
		}
		if _, twice := repeated(path(tree, "permissions")); twice {
			unreadable = true
		}
		deny = append(deny, texts...)
		for _, key := range []string{"disabledMcpjsonServers", "disabledMcpServers"} {
			names, _ := textList(field(tree, key))
			off = append(off, names...)
		}
	}
	r.Servers = servers(list, func(e *entry) {
		e.connect(false)
		e.disabledKey("disabled")
		for _, name := range off {
			e.disabled(name == e.Name)
		}
		e.shellReferences(false)
		e.claudeRules(deny)
		if unreadable {
			e.Filter = Only()
			e.note("`permissions.deny` cannot be read: what to keep out cannot be known, so the server is locked")
		}
		if !settings {
			e.note("rules that deny tools stand in Claude Code's settings.json, which was not read")
		}
	})
	each(field(root, "projects"), func(key, project *policy.Node) {
		if own := field(project, "mcpServers"); isMap(own) && len(own.Children) > 0 {
			var names []string
			each(own, func(key, _ *policy.Node) { names = append(names, key.Value) })
			r.Problems = append(r.Problems, Problem{Line: own.Line,
				Message: fmt.Sprintf("the project %s has servers of its own that are not read: %s", key.Value, join(names))})
		}
	})
	return r
}

// claudeRules turns rules such as mcp__server__tool into a blacklist. Claude
// Code writes _ for every character but letters, digits, _ and -.
func (e *entry) claudeRules(deny []string) {
	prefix := "mcp__" + foreignName(e.Name)
	var keep []string
	loose := false
	for _, rule := range deny {
		glob, _, partial := strings.Cut(rule, "(")
		if glob == prefix {
			keep = append(keep, "*")
			continue
		}
		for _, rest := range after(glob, prefix+"__", false) {
			if rest == "" {
				continue
			}
			keep = append(keep, ours(rest, false, true))
			loose = loose || strings.Contains(rest, "_")
			if partial {
				e.note("a rule for certain arguments of " + rest + " keeps the whole tool out here")
			}
		}
	}
	keep = once(keep)
	e.Filter, e.Meaning = Except(keep...), "all tools"
	if len(keep) > 0 {
		e.Meaning = "`permissions.deny`: all tools but " + join(keep)
	}
	for _, pattern := range keep {
		if pattern == "*" {
			e.Filter, e.Meaning = Only(), "`permissions.deny` forbids the whole server"
			return
		}
	}
	if loose {
		e.looseNote("Claude Code")
	}
}

func (e *entry) looseNote(host string) {
	e.note("[!a-zA-Z0-9-] stands where " + host + " has _: it writes _ for a dot, a blank and others, too")
}

// foreignName is a name as Claude Code and opencode put it into a tool's name.
func foreignName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
}
