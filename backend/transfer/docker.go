package transfer

import (
	"regexp"
	"strings"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// The Docker MCP gateway keeps the names of enabled servers in registry.yaml
// and lists of tools in tools.yaml, where an empty list is none and a missing
// or null one all. How a server runs stands in Docker's catalogue, so that here
// the gateway starts it.
func docker() Host {
	return Host{
		Name: "docker", Title: "Docker MCP", parse: readYAML, encode: writeYAML,
		exact: func(root *policy.Node) bool { return isMap(field(root, "registry")) },
		read:  readDocker,
		can:   ability{docker: true, allow: true, none: true},
		write: func(o *outgoing) {
			o.each(func(s *Server) {
				name, ok := dockerServer(s)
				if !ok {
					o.refuse(s, "Docker's files name servers of its catalogue; this one is none: its command is not `docker mcp gateway run --servers NAME`")
					return
				}
				o.written = append(o.written, s.Name)
				if s.Filter.State == policy.StateOpen {
					o.note(s, "has no filter, so tools.yaml must not name it: enable it with `docker mcp server enable "+name+"`")
					return
				}
				var tools []string
				for _, pattern := range s.Filter.Patterns {
					plain, _ := plainName(pattern)
					tools = append(tools, plain)
				}
				put(o.root, name, config.List(tools...))
			})
		},
	}
}

func readDocker(root *policy.Node, beside []*policy.Node) Reading {
	var r Reading
	var registry, tools *policy.Node
	for _, tree := range append([]*policy.Node{root}, beside...) {
		if n := field(tree, "registry"); n != nil {
			registry = n
			continue
		}
		tools = tree
	}
	shape(&r, registry, "registry")
	catalogueName := regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._/-]*$`)
	known := map[string]bool{}
	one := func(key, value *policy.Node, enabled bool) {
		e := newEntry(key, value)
		e.Refused, e.Name, e.Line = "", key.Value, key.Line
		known[key.Value] = true
		if !catalogueName.MatchString(key.Value) {
			e.refuse("its name is none of Docker's catalogue")
		}
		e.Transport, e.Command = config.TransportStdio, "docker"
		e.Args = []string{"mcp", "gateway", "run", "--servers", key.Value}
		e.Enabled = enabled
		lists{allow: readNames(field(tools, key.Value), "tools.yaml")}.filter(&e.Server)
		times := 0
		each(tools, func(name, _ *policy.Node) {
			if name.Value == key.Value {
				times++
			}
		})
		if times > 1 {
			e.refuse("tools.yaml names it twice")
		}
		r.Servers = append(r.Servers, e.Server)
	}
	each(registry, func(key, value *policy.Node) { one(key, value, true) })
	each(tools, func(key, value *policy.Node) {
		if !known[key.Value] {
			// Without a registry it is not known whether Docker runs it.
			one(key, value, registry == nil)
		}
	})
	for i := range r.Servers {
		s := &r.Servers[i]
		s.note("Docker's catalogue knows how it runs, so the Docker MCP gateway starts it")
		if !s.Enabled {
			s.note("registry.yaml does not name it, so it is taken over switched off")
		}
		if tools == nil {
			s.note("tools.yaml, which may keep tools out, was not read")
		}
	}
	return r
}

// dockerServer gives the catalogue's name of a server that the gateway starts.
func dockerServer(s *Server) (name string, ok bool) {
	a := s.Args
	if s.Command != "docker" || len(a) < 4 || strings.Join(a[:3], " ") != "mcp gateway run" || len(s.Env) > 0 {
		return "", false
	}
	switch {
	case len(a) == 5 && a[3] == "--servers":
		name = a[4]
	case len(a) == 4 && strings.HasPrefix(a[3], "--servers="):
		name = strings.TrimPrefix(a[3], "--servers=")
	}
	return name, name != "" && !strings.Contains(name, ",")
}
