package transfer

import (
	"strings"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Cursor keeps servers in mcp.json; which tools are on is a matter of its
// window.
func cursor() Host {
	return Host{
		Name: "cursor", Title: "Cursor", parse: readJSON, exact: never, encode: writeJSON,
		read: func(root *policy.Node, _ []*policy.Node) Reading {
			var r Reading
			m := field(root, "mcpServers")
			shape(&r, m, "mcpServers")
			r.Servers = servers(m, func(e *entry) {
				e.connect(false)
				e.editorReferences(nil)
				e.disabledKey("disabled")
				e.enabledKey("enabled")
				e.ruleless("all tools (Cursor's switches for tools are not in the file)")
			})
			return r
		},
		can: ability{stdio: true, http: true, sse: true, refs: true, words: true, cannot: "Cursor's file has no rules for tools"},
		write: func(o *outgoing) {
			o.rewrite(func(name string) (string, bool) { return "${env:" + name + "}", true })
			o.mcpServers(func(s *Server) *policy.Node { return s.plainEntry("") })
		},
	}
}

// VS Code keeps servers and inputs; its picker of tools is not in the file.
func vscode() Host {
	return Host{
		Name: "vscode", Title: "VS Code", parse: readJSON, encode: writeJSON,
		exact: func(root *policy.Node) bool {
			return isMap(field(root, "servers")) || isMap(path(root, "mcp", "servers"))
		},
		read: readVSCode,
		can:  ability{stdio: true, http: true, sse: true, cwd: true, refs: true, words: true, cannot: "VS Code's file has no rules for tools"},
		write: func(o *outgoing) {
			inputs := &policy.Node{Kind: policy.KindSequence, Tag: "!!seq"}
			seen := map[string]bool{}
			o.rewrite(func(name string) (string, bool) {
				if !config.NamesSecret(name) {
					return "${env:" + name + "}", true
				}
				if !seen[name] {
					seen[name] = true
					m := mapping()
					put(m, "type", config.Text("promptString"))
					put(m, "id", config.Text(name))
					put(m, "description", config.Text("Value of "+name))
					put(m, "password", boolean(true))
					inputs.Children = append(inputs.Children, m)
				}
				return "${input:" + name + "}", true
			})
			o.entries("servers", func(s *Server) *policy.Node { return s.plainEntry("type") })
			if len(inputs.Children) > 0 {
				put(o.root, "inputs", inputs)
			}
		},
	}
}

func readVSCode(root *policy.Node, _ []*policy.Node) Reading {
	var r Reading
	if inner := field(root, "mcp"); isMap(field(inner, "servers")) {
		// The older place, in settings.json.
		root = inner
	}
	m := field(root, "servers")
	if missing(m) {
		m = field(root, "mcpServers")
	}
	shape(&r, m, "servers")
	inputs := map[string]string{}
	if n := field(root, "inputs"); n != nil {
		for _, input := range n.Children {
			inputs[textOf(field(input, "id"))] = strings.TrimSpace(textOf(field(input, "description")))
		}
	}
	r.Servers = servers(m, func(e *entry) {
		e.connect(false)
		e.editorReferences(inputs)
		e.disabledKey("disabled")
		e.ruleless("all tools (VS Code's choice of tools is not in the file)")
		if e.Transport != config.TransportStdio && strings.HasPrefix(e.URL, "unix:") {
			e.refuse("it is reached over a socket file, which Hermes does not do")
		}
	})
	return r
}
