package config

import (
	"fmt"
	"strings"
	"time"

	"hermes/backend/policy"
)

// The transports of a Connection.
const (
	TransportStdio   = "stdio"
	TransportHTTP    = "http"
	TransportSSE     = "sse"
	TransportBuiltin = "builtin"
)

const (
	defaultTimeout        = 300 * time.Second
	defaultConnectTimeout = 60 * time.Second
)

// Connection says how to reach a server, as the file writes it: ${VAR} stands
// unexpanded until Snapshot.Expand. Transport is empty where the entry does not
// say how. Builtin and Root belong to a server of ours. Timeout bounds a tool
// call, ConnectTimeout connecting and initialize together. Protocol is one of the
// constants of that name; Keepalive is the pause between signs of life of an idle
// session; IdleTimeout and MaxLifetime end a program that is not used, or that is
// old, until its next call (0 for never). StrictRedirects keeps configured headers
// from following any redirect to another origin. IdentityHeader is the one of
// Headers that comes from `identity_header` with a value written there, which is
// a secret. Auth is `auth`, such as oauth.
type Connection struct {
	Transport      string
	Command        string
	Args           []string
	Env            map[string]string
	Cwd            string
	URL            string
	Headers        map[string]string
	Builtin        string
	Root           string
	Timeout        time.Duration
	ConnectTimeout time.Duration

	Protocol        string
	Keepalive       time.Duration
	IdleTimeout     time.Duration
	MaxLifetime     time.Duration
	TLS             TLS
	StrictRedirects bool
	Confinement     Confinement
	Auth            string
	IdentityHeader  string
}

// entryReader reads the keys of one server's entry that are not tool rules,
// and keeps what is wrong with them to itself: a bad entry never touches its
// neighbours.
type entryReader struct {
	file     string
	scope    *scope
	entry    *policy.Node
	problems []Problem
}

// setting gives a key whose value is needed at once: a ${VAR} in it is replaced
// where it is set, as Python Hermes does before it reads the word.
func (r *entryReader) setting(name string) *policy.Node {
	_, n := pair(r.entry, name)
	if !isScalar(n) {
		return n
	}
	text, unset := r.scope.expand(n.Value)
	if len(unset) > 0 || text == n.Value {
		return n
	}
	out := *n
	out.Value = text
	return &out
}

func (r *entryReader) complain(severity policy.Severity, code string, n *policy.Node, hint, format string, args ...any) {
	p := Problem{Severity: severity, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, File: r.file}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	r.problems = append(r.problems, p)
}

func (r *entryReader) fail(n *policy.Node, hint, format string, args ...any) {
	r.complain(policy.SeverityError, CodeConnection, n, hint, format, args...)
}

func (r *entryReader) warn(n *policy.Node, hint, format string, args ...any) {
	r.complain(policy.SeverityWarning, "server.value", n, hint, format, args...)
}

// connection reads how the server is reached (hermes-mcp reference 1.1). A
// `builtin` key makes it one of ours, else a `url` key makes it HTTP, else it
// is a program.
func (r *entryReader) connection(toolTimeout time.Duration) Connection {
	c := Connection{
		Command: r.text("command"), Cwd: r.text("cwd"), URL: r.text("url"),
		Builtin: r.text("builtin"), Root: r.text("root"),
		Env: r.texts("env"), Headers: r.texts("headers"), Args: r.args(),
		Timeout:        r.limit("timeout", toolTimeout),
		ConnectTimeout: r.limit("connect_timeout", defaultConnectTimeout),
	}
	_, transport := pair(r.entry, "transport")
	switch {
	case c.Builtin != "":
		c.Transport = TransportBuiltin
		switch c.Builtin {
		case "files", "git", "tickets":
		default:
			_, n := pair(r.entry, "builtin")
			r.fail(n, "write `builtin: files`, `git` or `tickets`", "there is no built-in server %q", c.Builtin)
		}
	case c.URL != "":
		c.Transport = r.httpTransport(transport)
		if c.Command != "" {
			_, n := pair(r.entry, "command")
			r.warn(n, "remove one of the two", "`command` is ignored because `url` is there")
		}
	case c.Command != "":
		c.Transport = TransportStdio
	case len(r.problems) == 0:
		// Not where a problem was told: then the missing key is its consequence.
		r.fail(r.entry, "write `command: PROGRAM` or `url: https://...` below the server's name", "the server has no `command` and no `url`")
	}
	c.Auth = strings.ToLower(strings.TrimSpace(r.text("auth")))
	r.keeping(&c)
	return c
}

func (r *entryReader) httpTransport(n *policy.Node) string {
	switch word := strings.ToLower(scalarText(n)); word {
	case "sse":
		return TransportSSE
	case "", "http", "streamable-http", "streamable_http", "streamablehttp":
		return TransportHTTP
	default:
		r.warn(n, "write `transport: sse` or leave the key out", "the transport %q is not known; streamable HTTP is used", word)
		return TransportHTTP
	}
}

// text reads a key that must be a scalar; null and an empty text are as if the
// key were not there.
func (r *entryReader) text(name string) string {
	_, n := pair(r.entry, name)
	if isNull(n) {
		return ""
	}
	if n.Kind != policy.KindScalar {
		r.fail(n, fmt.Sprintf("write `%s: TEXT`", name), "`%s` must be text, not a %s", name, kindName(n))
		return ""
	}
	r.blanks(n, name)
	return n.Value
}

// blanks warns of white space at the edges of a value, which is invisible and
// nearly always a slip; the value itself is neither changed nor shown.
func (r *entryReader) blanks(n *policy.Node, name string) {
	if strings.TrimSpace(n.Value) != n.Value {
		r.warn(n, "remove the blanks, or ignore this if they are meant", "the value of `%s` begins or ends with white space", name)
	}
}

// texts reads a mapping of scalars. A null value is an empty text.
func (r *entryReader) texts(name string) map[string]string {
	_, n := pair(r.entry, name)
	if isNull(n) {
		return nil
	}
	if n.Kind != policy.KindMapping {
		r.fail(n, fmt.Sprintf("write `%s:` and below it `NAME: value` lines", name), "`%s` must be a mapping, not a %s", name, kindName(n))
		return nil
	}
	out := make(map[string]string, len(n.Children)/2)
	for i := 0; i+1 < len(n.Children); i += 2 {
		key, value := n.Children[i], n.Children[i+1]
		if key.Kind != policy.KindScalar || value.Kind != policy.KindScalar {
			r.fail(key, "write `NAME: value`", "`%s` has an entry that is not a name with a text", name)
			continue
		}
		if isNull(value) {
			out[key.Value] = ""
			continue
		}
		r.blanks(value, name+"."+key.Value)
		out[key.Value] = value.Value
	}
	return out
}

// args reads the list of arguments, or its legacy form as one text.
func (r *entryReader) args() []string {
	_, n := pair(r.entry, "args")
	const hint = "write a list, for example `args: [\"-y\", \"package\"]`"
	switch {
	case isNull(n):
		return nil
	case n.Kind == policy.KindScalar:
		list, err := argsText(n.Value)
		if err != nil {
			r.fail(n, hint, "`args` cannot be read: %v", err)
		}
		return list
	case n.Kind != policy.KindSequence:
		r.fail(n, hint, "`args` must be a list, not a %s", kindName(n))
		return nil
	}
	out := make([]string, 0, len(n.Children))
	for _, item := range n.Children {
		if !isScalar(item) {
			r.fail(item, hint, "`args` holds something that is not text")
			return nil
		}
		r.blanks(item, "args")
		out = append(out, item.Value)
	}
	return out
}

// limit reads a number of seconds; what is none leaves the default.
func (r *entryReader) limit(name string, normal time.Duration) time.Duration {
	n := r.setting(name)
	if isUnset(n) {
		return normal
	}
	d, ok := seconds(n)
	if !ok {
		r.warn(n, fmt.Sprintf("write `%s: 60`", name), "`%s` is not a number of seconds; %v is used", name, normal)
		return normal
	}
	return d
}

// flag reads a bool-like key; what is neither leaves the default and is told.
func (r *entryReader) flag(name string, normal bool) (value bool, note string) {
	n := r.setting(name)
	if isUnset(n) {
		return normal, ""
	}
	value, ok := boolLike(n)
	if !ok {
		note = fmt.Sprintf("`%s` is neither true nor false and counts as %v", name, normal)
		r.warn(n, fmt.Sprintf("write `%s: true` or `%s: false`", name, name), "%s", note)
		return normal, note
	}
	return value, ""
}

func kindName(n *policy.Node) string {
	switch n.Kind {
	case policy.KindMapping:
		return "mapping"
	case policy.KindSequence:
		return "list"
	case policy.KindScalar:
		return "single value"
	}
	return "value without a shape"
}
