package transfer

import (
	"slices"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// mcpServers writes every server under that key.
func (o *outgoing) mcpServers(build func(*Server) *policy.Node) { o.entries("mcpServers", build) }

// plainEntry is the shape most hosts share. kind names the key of the transport
// where the host has one.
func (s *Server) plainEntry(kind string) *policy.Node {
	n := mapping()
	word := s.Transport
	if kind != "" {
		put(n, kind, config.Text(word))
	}
	if s.Transport == config.TransportStdio {
		put(n, "command", config.Text(s.Command))
		if len(s.Args) > 0 {
			put(n, "args", config.List(s.Args...))
		}
		putMap(n, "env", s.Env)
		putText(n, "cwd", s.Cwd)
		return n
	}
	put(n, "url", config.Text(s.URL))
	putMap(n, "headers", s.Headers)
	return n
}

func putText(n *policy.Node, name, value string) {
	if value != "" {
		put(n, name, config.Text(value))
	}
}

func putMap(n *policy.Node, name string, values map[string]string) {
	if len(values) > 0 {
		put(n, name, textMap(values))
	}
}

// putLists writes the filter as one of two lists of plain names.
func (s *Server) putLists(n *policy.Node, allow, deny string) {
	names := make([]string, 0, len(s.Filter.Patterns))
	for _, pattern := range s.Filter.Patterns {
		name, _ := plainName(pattern)
		names = append(names, name)
	}
	switch {
	case s.Filter.State == policy.StateOnly:
		put(n, allow, config.List(names...))
	case s.Filter.State == policy.StateExcept && deny != "":
		put(n, deny, config.List(names...))
	}
}

// references gives the variables a server names.
func (s *Server) references() []string {
	var found []string
	probe := *s
	probe.Args, probe.Env, probe.Headers = slices.Clone(s.Args), copyMap(s.Env), copyMap(s.Headers)
	probe.replaceTexts(func(value string) string {
		for _, m := range braced().FindAllString(value, -1) {
			if name, ok := reference(m); ok {
				found = append(found, name)
			}
		}
		return value
	})
	return once(found)
}

// limits gives the time limits that are written in the entry; a default is not
// written anywhere.
func (w Wanted) limits() (call, connect time.Duration) {
	return duration(field(w.Server.Entry, "timeout"), time.Second), duration(field(w.Server.Entry, "connect_timeout"), time.Second)
}

// unsaid gives the keys of an entry that no other host's file has.
func unsaid(entry *policy.Node, times bool) []string {
	var keys []string
	each(entry, func(key, _ *policy.Node) {
		switch key.Value {
		case "command", "args", "env", "cwd", "url", "headers", "transport", "enabled", "tools", "trust":
		case "timeout", "connect_timeout":
			if !times {
				keys = append(keys, key.Value)
			}
		default:
			keys = append(keys, key.Value)
		}
	})
	return once(keys)
}

func writeYAML(root *policy.Node) []byte {
	var out []byte
	each(root, func(key, value *policy.Node) {
		line, err := config.Render(key.Value, value)
		if err != nil {
			// Only a text that is no UTF-8 cannot be written, and none is read.
			return
		}
		out = append(out, line+"\n"...)
	})
	return out
}
