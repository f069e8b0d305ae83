package transfer

import (
	"slices"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Filter is which tools of a server may be used. Patterns are in the syntax of
// our own file. The zero value belongs to no state and allows nothing.
type Filter struct {
	State    policy.State
	Patterns []string
}

// Open is no filter: every tool, also those to come.
func Open() Filter { return Filter{State: policy.StateOpen} }

// Only is a whitelist; without patterns nothing may be used.
func Only(patterns ...string) Filter {
	return Filter{State: policy.StateOnly, Patterns: patterns}
}

// Except is a blacklist. Without patterns there is nothing to keep out.
func Except(patterns ...string) Filter {
	if len(patterns) == 0 {
		return Open()
	}
	return Filter{State: policy.StateExcept, Patterns: patterns}
}

// Locked tells a whitelist of nothing.
func (f Filter) Locked() bool { return f.State == policy.StateOnly && len(f.Patterns) == 0 }

// Server is one server as a host's file means it, in nobody's syntax but ours:
// ${NAME} in a text stands for a variable. Transport is one of config's words.
// A time limit of zero is not given. Line is where the entry stands in its
// file, 0 when unknown. Refused says why it must not be taken over.
type Server struct {
	Name           string
	Transport      string
	Command        string
	Args           []string
	Env            map[string]string
	Cwd            string
	URL            string
	Headers        map[string]string
	Timeout        time.Duration
	ConnectTimeout time.Duration
	Enabled        bool
	Filter         Filter
	// Tools is a block in our own syntax that is taken over as it stands, nil
	// for a filter of another host.
	Tools *policy.Node
	// Meaning says in the host's own words what its rules mean.
	Meaning string
	Notes   []string
	Refused string
	// Foreign says why the server cannot exist outside its host, which is no
	// failure of an import.
	Foreign string
	Line    int
	// strange are keys with the look of rules that the host's reader does not
	// know.
	strange []string
}

func (s *Server) note(text string) {
	if !slices.Contains(s.Notes, text) {
		s.Notes = append(s.Notes, text)
	}
}

// refuse keeps the first reason.
func (s *Server) refuse(reason string) {
	if s.Refused == "" {
		s.Refused = reason
	}
}

// Problem is what is wrong with a file apart from its servers. Line is 1-based,
// 0 when unknown.
type Problem struct {
	Message string
	Line    int
}

// literal gives the pattern that matches exactly this name. Our syntax has no
// escape, but a class of one character stands for itself.
func literal(name string) string {
	if !strings.ContainsAny(name, "*?[") {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		switch r {
		case '*', '?', '[':
			b.WriteString("[" + string(r) + "]")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plainName undoes literal; ok is false for a pattern that is more than a name.
func plainName(pattern string) (name string, ok bool) {
	const special = "*?["
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '[' && i+2 < len(pattern) && pattern[i+2] == ']' && strings.IndexByte(special, pattern[i+1]) >= 0:
			b.WriteByte(pattern[i+1])
			i += 2
		case strings.IndexByte(special, c) >= 0:
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// connection is the same server as package config knows it.
func (s *Server) connection() config.Connection {
	return config.Connection{
		Transport: s.Transport, Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers,
		Timeout: s.Timeout, ConnectTimeout: s.ConnectTimeout,
	}
}
