package transfer

import (
	"fmt"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// entry reads one server of a host's file. Whatever is wrong with it is a
// refusal of this server and touches no other.
type entry struct {
	Server
	node *policy.Node
}

func newEntry(key, node *policy.Node) *entry {
	e := &entry{node: node}
	e.strange = ruleKeys(node)
	e.permits()
	e.Name, e.Line, e.Enabled, e.Filter = key.Value, key.Line, true, Only()
	switch name, twice := repeated(node); {
	case key.Value == "":
		e.refuse("it has no name")
	case !isMap(node):
		e.refuse(fmt.Sprintf("its entry is no mapping but %s", kindName(node)))
	case twice:
		e.refuse(fmt.Sprintf("`%s` stands twice in it", name))
	}
	return e
}

// text reads a key that must be a text.
func (e *entry) text(name string) string {
	n := field(e.node, name)
	if !missing(n) && !isText(n) {
		e.refuse(fmt.Sprintf("`%s` is no text but %s", name, kindName(n)))
		return ""
	}
	return textOf(n)
}

func (e *entry) list(name string) []string {
	n := field(e.node, name)
	if missing(n) {
		return nil
	}
	if n.Kind != policy.KindSequence {
		e.refuse(fmt.Sprintf("`%s` is no list but %s", name, kindName(n)))
		return nil
	}
	out := make([]string, 0, len(n.Children))
	for _, item := range n.Children {
		if missing(item) || item.Kind != policy.KindScalar {
			e.refuse(fmt.Sprintf("`%s` holds something that is no text", name))
			return nil
		}
		out = append(out, item.Value)
	}
	return out
}

// texts reads a mapping of names to texts; numbers and bools are texts to a
// process.
func (e *entry) texts(name string) map[string]string {
	n := field(e.node, name)
	if missing(n) {
		return nil
	}
	if !isMap(n) {
		e.refuse(fmt.Sprintf("`%s` is no mapping but %s", name, kindName(n)))
		return nil
	}
	out := map[string]string{}
	each(n, func(key, value *policy.Node) {
		switch {
		case missing(value):
			e.note(fmt.Sprintf("`%s.%s` has no value and is left out", name, key.Value))
		case value.Kind != policy.KindScalar:
			e.refuse(fmt.Sprintf("`%s.%s` is no text", name, key.Value))
		default:
			out[key.Value] = value.Value
		}
	})
	return out
}

// disabled switches the server off; nothing switches it on again.
func (e *entry) disabled(off bool) {
	e.Enabled = e.Enabled && !off
}

func (e *entry) enabledKey(name string) {
	on, ok := switchOf(field(e.node, name), true)
	if !ok {
		e.note(fmt.Sprintf("`%s` is neither true nor false; the server is taken over switched off", name))
	}
	e.disabled(!on || !ok)
}

func (e *entry) disabledKey(name string) {
	off, ok := switchOf(field(e.node, name), false)
	if !ok {
		e.note(fmt.Sprintf("`%s` is neither true nor false; the server is taken over switched off", name))
	}
	e.disabled(off || !ok)
}

// switchedOff obeys a switch that the host itself does not read: the one who
// wrote it meant the server to be off.
func (e *entry) switchedOff() {
	off, fine := switchOf(field(e.node, "disabled"), false)
	on, ok := switchOf(field(e.node, "enabled"), true)
	if e.Enabled && (off || !fine || !on || !ok) {
		e.disabled(true)
		e.note("it is switched off there by a key that its host does not read, and is taken over switched off")
	}
}

// connect reads the shape that most hosts share: command, args, env, cwd or
// url, headers, and a word for the transport. An address that is already known
// is kept.
func (e *entry) connect(urlIsSSE bool) {
	e.Command, e.Args, e.Env, e.Cwd = e.text("command"), e.list("args"), e.texts("env"), e.text("cwd")
	e.Headers = e.texts("headers")
	for _, name := range []string{"url", "serverUrl"} {
		if e.URL == "" {
			e.URL = e.text(name)
		}
	}
	if e.Cwd == "" {
		e.Cwd = e.text("workingDirectory")
	}
	word := e.text("type")
	if word == "" {
		word = e.text("transport")
	}
	http := config.TransportHTTP
	if urlIsSSE {
		http = config.TransportSSE
	}
	e.transport(word, http)
	if !missing(field(e.node, "envFile")) {
		e.note("`envFile` is not read: put its lines into the `.env` of the Hermes home and name the variables in `env`")
	}
	for _, name := range []string{"oauth", "auth", "authProviderType", "authentication"} {
		if !missing(field(e.node, name)) {
			e.note(fmt.Sprintf("`%s` is not taken over: log in again with `hermes mcp login`", name))
		}
	}
	if !missing(field(e.node, "headersHelper")) {
		e.refuse("`headersHelper` starts a program for its headers, which Hermes does not do")
	}
}

// transport decides the transport from its word and the keys that are there.
func (e *entry) transport(word, http string) {
	switch strings.ToLower(word) {
	case "", "local", "remote":
		word = ""
	case "stdio":
		http = config.TransportStdio
	case "sse":
		http = config.TransportSSE
	case "http", "streamable-http", "streamablehttp", "streamable_http", "streaming":
		http = config.TransportHTTP
	default:
		e.refuse(fmt.Sprintf("its transport %q is not known here", word))
	}
	switch {
	case e.URL != "" && http != config.TransportStdio:
		e.Transport = http
		if e.Command != "" {
			e.refuse("it has a command and a url; which one is meant cannot be known")
		}
	case e.Command != "" && (http == config.TransportStdio || word == ""):
		e.Transport = config.TransportStdio
	case e.Command == "" && e.URL == "":
		e.refuse("it says neither a command nor a url")
	default:
		e.refuse(fmt.Sprintf("its transport %q does not fit its keys", word))
	}
	if e.Transport == config.TransportStdio {
		e.Headers = nil
		return
	}
	if len(e.Env) > 0 {
		e.note("`env` means nothing for a server with a url and is left out")
	}
	e.Args, e.Env, e.Cwd = nil, nil, ""
}

// millis reads a time limit in milliseconds.
func (e *entry) millis(name string) time.Duration {
	return duration(field(e.node, name), time.Millisecond)
}

// ruleless is the meaning of a host whose file has no rules for tools.
func (e *entry) ruleless(meaning string) {
	e.Filter, e.Meaning = Open(), meaning
}
