package transfer

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Secret is a value that goes into `.env` under a name, and never into the
// configuration. It keeps itself out of logs.
type Secret struct {
	Name  string
	value string
}

// Value gives the value, for the one who writes `.env`.
func (s Secret) Value() string { return s.value }

// String names the secret without its value.
func (s Secret) String() string { return s.Name }

// GoString does the same for %#v.
func (s Secret) GoString() string { return s.Name }

// Planned is what an import would write for one server. Entry is the whole
// entry; Keys are those of its keys that replace the keys of an entry that is
// already there, which keeps everything else.
type Planned struct {
	Name    string
	Entry   *policy.Node
	Secrets []Secret
	Notes   []string
}

// Variables looks up what a variable holds now, from `.env` or the environment.
type Variables func(name string) (value string, set bool)

// Planner turns servers into entries, and keeps the names of variables apart
// that hold different values.
type Planner struct {
	variables Variables
	taken     map[string]string
}

// NewPlanner makes a planner.
func NewPlanner(v Variables) *Planner {
	return &Planner{variables: v, taken: map[string]string{}}
}

// Plan gives the entry for a server under a name. The error is a reason not to
// import the server. A new entry is never trusted, whatever the other host said.
func (p *Planner) Plan(s Server, name string) (Planned, error) {
	if s.Refused != "" || s.Foreign != "" {
		return Planned{}, errors.New(s.Refused + s.Foreign)
	}
	out := Planned{Name: name, Notes: slices.Clone(s.Notes)}
	s.Args, s.Env, s.Headers = slices.Clone(s.Args), copyMap(s.Env), copyMap(s.Headers)
	h := &hider{planner: p, server: name}
	h.hide(&s)
	c := s.connection()
	for _, variable := range h.used {
		if value, set := h.lookup(variable); set && value != "" {
			out.Notes = append(out.Notes, fmt.Sprintf("%s is set here already and will be %s", variable, goesTo(c)))
		}
	}
	if left := s.hidesSomething(); left || len(c.Secrets()) > 0 {
		return Planned{}, errors.New("a secret in it cannot be moved to `.env`: put it there by hand and write ${NAME} in its place")
	}
	for _, secret := range h.found {
		p.taken[secret.Name] = secret.value
		out.Notes = append(out.Notes, fmt.Sprintf("the value of %s goes into `.env`, not into the configuration", secret.Name))
	}
	out.Secrets = h.found
	out.Entry = s.entry()
	if c.Transport == config.TransportHTTP && strings.HasPrefix(strings.ToLower(c.URL), "http://") && len(c.Headers) > 0 && !isLocal(c.URL) {
		out.Notes = append(out.Notes, "its headers would travel unencrypted: the url begins with http://")
	}
	rules := policy.ReadServer(out.Entry)
	if rules.State() == policy.StateInvalid || !rules.Untrusted() {
		return Planned{}, fmt.Errorf("its entry would not be understood: %s", rules.List().Text)
	}
	if !readsBack(name, out.Entry, rules) {
		return Planned{}, errors.New("it holds a text that YAML cannot hold")
	}
	if s.Tools == nil && rules.State() == policy.StateOnly && !rules.Locked() {
		out.Notes = append(out.Notes, "a whitelist closes the server's resources and prompts as well")
	}
	return out, nil
}

// goesTo says where the value of a variable of an entry ends up.
func goesTo(c config.Connection) string {
	if c.Transport == config.TransportStdio {
		return "handed to " + config.MaskArgs([]string{c.Command})[0]
	}
	if address, err := url.Parse(c.URL); err == nil && address.Host != "" {
		return "sent to " + address.Host
	}
	return "sent to the address of its `url`"
}

// readsBack tells whether an entry, written and read again, is under its name
// and has the same rules.
func readsBack(name string, entry *policy.Node, rules policy.Rules) bool {
	written, err := config.Render(name, entry)
	if err != nil {
		return false
	}
	tree, err := config.Tree([]byte(written + "\n"))
	if err != nil {
		return false
	}
	return policy.ReadServer(field(tree, name)).Equal(rules)
}

func isLocal(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]"} {
		if strings.HasPrefix(rest, host) {
			return true
		}
	}
	return false
}

// entry is the server in our syntax.
func (s *Server) entry() *policy.Node {
	n := mapping()
	if s.Transport == config.TransportStdio {
		put(n, "command", config.Text(s.Command))
		if len(s.Args) > 0 {
			put(n, "args", config.List(s.Args...))
		}
		putMap(n, "env", s.Env)
		putText(n, "cwd", s.Cwd)
	} else {
		put(n, "url", config.Text(s.URL))
		if s.Transport == config.TransportSSE {
			put(n, "transport", config.Text("sse"))
		}
		putMap(n, "headers", s.Headers)
	}
	if s.Timeout > 0 {
		put(n, "timeout", number(s.Timeout, time.Second))
	}
	if s.ConnectTimeout > 0 {
		put(n, "connect_timeout", number(s.ConnectTimeout, time.Second))
	}
	if !s.Enabled {
		put(n, "enabled", boolean(false))
	}
	put(n, "trust", config.Text("untrusted"))
	if s.Tools != nil {
		put(n, "tools", s.Tools)
	} else if block := s.Filter.block(); block != nil {
		put(n, "tools", block)
	}
	return n
}

// Overwrite gives what replaces the keys of an entry that is there: how the
// server is reached, and nothing else. Its rules, its trust, its time limits,
// its switch and the keys nobody here knows stay. gone are keys of the old
// transport that the new one does not have.
func (p Planned) Overwrite(existing *policy.Node) (set *policy.Node, gone []string) {
	set = mapping()
	each(p.Entry, func(key, value *policy.Node) {
		if slices.Contains(transportKeys(), key.Value) {
			put(set, key.Value, value)
		}
	})
	each(existing, func(key, _ *policy.Node) {
		if slices.Contains(transportKeys(), key.Value) && field(set, key.Value) == nil && !slices.Contains(gone, key.Value) {
			gone = append(gone, key.Value)
		}
	})
	return set, gone
}

func transportKeys() []string {
	return []string{"command", "args", "env", "cwd", "url", "transport", "headers"}
}
