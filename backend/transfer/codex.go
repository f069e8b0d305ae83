package transfer

import (
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Codex keeps servers as TOML tables. enabled_tools that is there decides even
// when it is empty; disabled_tools is taken off afterwards. Names are plain.
func codex() Host {
	return Host{
		Name: "codex", Title: "Codex", parse: readTOML, encode: writeCodex,
		exact: never,
		read: func(root *policy.Node, _ []*policy.Node) Reading {
			var r Reading
			list := field(root, "mcp_servers")
			shape(&r, list, "mcp_servers")
			r.Servers = servers(list, readCodex)
			return r
		},
		can: ability{stdio: true, http: true, cwd: true, off: true, allow: true, deny: true, none: true, refs: true, times: true},
		write: func(o *outgoing) {
			o.entries("mcp_servers", func(s *Server) *policy.Node { return s.codexEntry(o) })
		},
	}
}

func readCodex(e *entry) {
	e.Command, e.Args, e.Env, e.Cwd = e.text("command"), e.list("args"), e.texts("env"), e.text("cwd")
	e.URL, e.Headers = e.text("url"), e.texts("http_headers")
	e.plainDollars("Codex")
	e.codexVariables()
	e.transport("", config.TransportHTTP)
	e.Timeout = duration(field(e.node, "tool_timeout_sec"), time.Second)
	e.ConnectTimeout = duration(field(e.node, "startup_timeout_sec"), time.Second)
	if e.ConnectTimeout == 0 {
		e.ConnectTimeout = e.millis("startup_timeout_ms")
	}
	e.enabledKey("enabled")
	lists{
		allow: readNames(field(e.node, "enabled_tools"), "enabled_tools"),
		deny:  readNames(field(e.node, "disabled_tools"), "disabled_tools"),
	}.filter(&e.Server)
	e.understood("enabled_tools", "disabled_tools")
	e.codexTools()
}

// codexTools takes off tools that are switched off one by one.
func (e *entry) codexTools() {
	var off []string
	if isMap(field(e.node, "tools")) {
		e.understood("tools")
	}
	each(field(e.node, "tools"), func(key, value *policy.Node) {
		if on, ok := switchOf(field(value, "enabled"), true); !on || !ok {
			off = append(off, literal(key.Value))
		}
	})
	if len(off) > 0 {
		e.Filter, _ = narrow(e.Filter, Except(off...))
		e.Meaning += "; switched off one by one: " + join(off)
	}
}

// codexVariables reads the keys that name variables instead of values.
func (e *entry) codexVariables() {
	set := func(m *map[string]string, name, value string) {
		if *m == nil {
			*m = map[string]string{}
		}
		(*m)[name] = value
	}
	if n := field(e.node, "env_vars"); !missing(n) {
		for _, item := range n.Children {
			name := textOf(item)
			if isMap(item) {
				name = textOf(field(item, "name"))
			}
			if !identifier(name) {
				e.refuse("`env_vars` holds something that is no variable")
				continue
			}
			if e.Env[name] == "" {
				set(&e.Env, name, "${"+name+"}")
			}
		}
	}
	if name := e.text("bearer_token_env_var"); name != "" {
		if !identifier(name) {
			e.refuse("`bearer_token_env_var` is no variable's name")
			return
		}
		set(&e.Headers, "Authorization", bearer(name))
	}
	if token := e.text("bearer_token"); token != "" {
		set(&e.Headers, "Authorization", "Bearer "+token)
	}
	for header, name := range e.texts("env_http_headers") {
		if !identifier(name) {
			e.refuse("`env_http_headers` holds something that is no variable")
			continue
		}
		set(&e.Headers, header, "${"+name+"}")
	}
}

// codexEntry writes a table; nil when a variable stands where Codex has no word
// for it.
func (s *Server) codexEntry(o *outgoing) *policy.Node {
	n := mapping()
	env, headers := map[string]string{}, map[string]string{}
	var pass []string
	fromEnv, token := map[string]string{}, ""
	for _, name := range sortedKeys(s.Env) {
		if variable, ok := reference(s.Env[name]); ok && variable == name {
			pass = append(pass, name)
			continue
		}
		env[name] = s.Env[name]
	}
	for _, name := range sortedKeys(s.Headers) {
		value := s.Headers[name]
		if variable, ok := reference(value); ok {
			fromEnv[name] = variable
		} else if variable, ok := reference(strings.TrimPrefix(value, "Bearer ")); ok && strings.EqualFold(name, "authorization") {
			token = variable
		} else {
			headers[name] = value
		}
	}
	rest := *s
	rest.Env, rest.Headers = env, headers
	if left := rest.references(); len(left) > 0 {
		o.refuse(s, "Codex has no word for the variable "+join(left)+" where it stands: it takes a variable for a whole header, or for an env entry of the same name")
		return nil
	}
	if s.URL != "" {
		put(n, "url", config.Text(s.URL))
		putText(n, "bearer_token_env_var", token)
		putMap(n, "http_headers", headers)
		putMap(n, "env_http_headers", fromEnv)
	} else {
		put(n, "command", config.Text(s.Command))
		if len(s.Args) > 0 {
			put(n, "args", config.List(s.Args...))
		}
		putText(n, "cwd", s.Cwd)
		putMap(n, "env", env)
		if len(pass) > 0 {
			put(n, "env_vars", config.List(pass...))
		}
	}
	if s.ConnectTimeout > 0 {
		put(n, "startup_timeout_sec", number(s.ConnectTimeout, time.Second))
	}
	if s.Timeout > 0 {
		put(n, "tool_timeout_sec", number(s.Timeout, time.Second))
	}
	if !s.Enabled {
		put(n, "enabled", boolean(false))
	}
	s.putLists(n, "enabled_tools", "disabled_tools")
	return n
}

func writeCodex(root *policy.Node) []byte {
	var b strings.Builder
	each(field(root, "mcp_servers"), func(key, entry *policy.Node) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("[mcp_servers." + tomlKey(key.Value) + "]\n")
		each(entry, func(key, value *policy.Node) {
			b.WriteString(tomlKey(key.Value) + " = " + tomlValue(value) + "\n")
		})
	})
	return []byte(b.String())
}
