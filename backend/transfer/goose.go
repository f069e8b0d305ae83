package transfer

import (
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Goose keeps extensions in YAML. available_tools is asked for its length: an
// empty list is all tools, and "none" cannot be said.
func goose() Host {
	return Host{
		Name: "goose", Title: "Goose", parse: readYAML, encode: writeYAML,
		exact: func(root *policy.Node) bool { return isMap(field(root, "extensions")) },
		read: func(root *policy.Node, _ []*policy.Node) Reading {
			var r Reading
			m := field(root, "extensions")
			shape(&r, m, "extensions")
			r.Servers = servers(m, readGoose)
			return r
		},
		can: ability{stdio: true, http: true, sse: true, off: true, allow: true, refs: true, dollars: true, times: true,
			lockHint: "for Goose an empty list is all tools"},
		write: func(o *outgoing) {
			o.entries("extensions", func(s *Server) *policy.Node { return s.gooseEntry(o) })
		},
	}
}

func readGoose(e *entry) {
	e.enabledKey("enabled")
	said := !missing(field(e.node, "enabled"))
	if inner := field(e.node, "config"); isMap(inner) {
		// An older shape keeps everything but the switch one level deeper.
		e.strange = append(e.strange, ruleKeys(inner)...)
		e.node = inner
		e.permits()
		e.enabledKey("enabled")
		said = said || !missing(field(e.node, "enabled"))
	}
	if !said {
		e.disabled(true)
		e.note("it has no `enabled`, without which Goose does not read it: the server is taken over switched off")
	}
	kind := e.text("type")
	switch kind {
	case "builtin", "platform", "frontend", "inline_python":
		e.Foreign = "it is part of Goose itself (type " + kind + ")"
		return
	}
	e.Command, e.Args, e.Env = e.text("cmd"), e.list("args"), e.texts("envs")
	for name, value := range e.texts("env") {
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		e.Env[name] = value
	}
	e.Headers, e.URL = e.texts("headers"), e.text("uri")
	if e.URL == "" {
		e.URL = e.text("url")
	}
	// Goose expands in addresses and headers only.
	rest := e.Server
	e.Server = Server{URL: rest.URL, Headers: rest.Headers, Refused: rest.Refused}
	e.shellReferences(true)
	rest.URL, rest.Headers, rest.Refused = "", nil, e.Refused
	rest.Notes = append(rest.Notes, e.Notes...)
	address, headers := e.URL, e.Headers
	e.Server = rest
	e.plainDollars("Goose")
	e.URL, e.Headers = address, headers
	e.gooseKeys()
	e.transport(kind, config.TransportHTTP)
	e.Timeout = duration(field(e.node, "timeout"), time.Second)
	e.gooseFilter()
}

// gooseKeys reads the names of values that Goose keeps in its keyring.
func (e *entry) gooseKeys() {
	for _, name := range e.list("env_keys") {
		if !identifier(name) {
			e.refuse("`env_keys` holds something that is no variable")
			continue
		}
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		if e.Env[name] == "" {
			e.Env[name] = "${" + name + "}"
			e.note("Goose keeps the value of " + name + " in its keyring: write " + name + "=... into the `.env` of the Hermes home")
		}
	}
}

func (e *entry) gooseFilter() {
	n := field(e.node, "available_tools")
	e.understood("available_tools")
	allow := readNames(n, "available_tools")
	if n != nil && missing(n) {
		allow = names{key: "available_tools", given: true, broken: "`available_tools` has no value"}
	}
	lists{allow: allow, emptyIsAll: true}.filter(&e.Server)
}

func (s *Server) gooseEntry(o *outgoing) *policy.Node {
	n := mapping()
	env := map[string]string{}
	var keys []string
	for _, name := range sortedKeys(s.Env) {
		if variable, ok := reference(s.Env[name]); ok && variable == name {
			keys = append(keys, name)
			continue
		}
		env[name] = s.Env[name]
	}
	rest := *s
	rest.Env, rest.Headers = env, nil
	if left := rest.references(); len(left) > 0 {
		o.refuse(s, "Goose has no word for the variable "+join(left)+" where it stands: it takes a variable in a header, or for an env entry of the same name")
		return nil
	}
	header := Server{Headers: s.Headers}
	keys = once(append(keys, header.references()...))
	put(n, "name", config.Text(s.Name))
	put(n, "enabled", boolean(s.Enabled))
	switch s.Transport {
	case config.TransportHTTP, config.TransportSSE:
		put(n, "type", config.Text(strings.Replace(s.Transport, "http", "streamable_http", 1)))
		put(n, "uri", config.Text(s.URL))
		putMap(n, "headers", s.Headers)
	default:
		put(n, "type", config.Text("stdio"))
		put(n, "cmd", config.Text(s.Command))
		put(n, "args", config.List(s.Args...))
	}
	put(n, "envs", textMap(env))
	put(n, "env_keys", config.List(keys...))
	if s.Timeout > 0 {
		put(n, "timeout", number(s.Timeout.Round(time.Second), time.Second))
	}
	s.putLists(n, "available_tools", "")
	return n
}
