package config

import (
	"fmt"
	"slices"
	"strings"

	"hermes/backend/policy"
)

// Connectors are `connectors`, the gateway behind which hosted tools are
// (docs/CONNECTORS.md), and `tools.connectors.enabled`. URL and Token are
// templates. Trusted is `trust: full`; otherwise a person approves every call.
// The zero value reaches nothing.
type Connectors struct {
	URL, Token string
	Trusted    bool
	// Off is `tools.connectors.enabled: false`.
	Off bool

	// listed tells that `platform_toolsets.cli` names the connectors.
	listed       bool
	line, column int
}

// named tells that the file names a gateway and does not turn it off.
func (c Connectors) named() bool { return c.URL != "" && !c.Off }

func (c Connectors) placeless() Connectors {
	c.line, c.column = 0, 0
	return c
}

// Line is where `connectors` stands, 0 for nowhere.
func (c Connectors) Line() int { return c.line }

func (r *settingsReader) connectors(root *policy.Node) Connectors {
	var out Connectors
	if n := at(root, "tools.connectors.enabled"); !isUnset(n) {
		on, ok := boolLike(n)
		if out.Off = !on || !ok; !ok {
			r.warn(n, "write `enabled: true` or `false`", "`tools.connectors.enabled` is neither true nor false and counts as false")
		}
	}
	list, wrong := section(root, "platform_toolsets.cli")
	names, readable := words(list)
	out.listed = !wrong && readable && slices.Contains(names, toolsetConnectors) && !slices.Contains(names, "no_mcp")
	key, n := pair(root, toolsetConnectors)
	if key != nil {
		out.line, out.column = key.Line, key.Column
	}
	switch {
	case isNull(n):
		return out
	case n.Kind != policy.KindMapping:
		r.warn(n, "write a mapping with `url` and `token`", "`connectors` must be a mapping, not a %s, and is not used", kindName(n))
		return out
	}
	out.URL, out.Token = strings.TrimSpace(scalarText(at(n, "url"))), scalarText(at(n, "token"))
	if trust := at(n, "trust"); !isUnset(trust) {
		switch strings.ToLower(scalarText(trust)) {
		case "full":
			out.Trusted = true
		case "untrusted":
		default:
			r.warn(trust, "write `trust: untrusted` or `full`", "`connectors.trust` is neither untrusted nor full and counts as untrusted")
		}
	}
	return out
}

// ConnectorAccess is where the gateway is and what it asks for; Token is a secret.
type ConnectorAccess struct{ URL, Token string }

// ResolveConnectors gives the gateway, or the *Refused that names a variable that
// is not set. getenv replaces the process's environment; nil keeps it. It does not
// ask MayConnect.
func (s *Snapshot) ResolveConnectors(getenv func(string) string) (ConnectorAccess, error) {
	scope := *s.scope
	if getenv != nil {
		scope.getenv = getenv
	}
	url, unset := scope.expand(s.Settings.Connectors.URL)
	token, more := scope.expand(s.Settings.Connectors.Token)
	if unset = append(unset, more...); len(unset) > 0 {
		return ConnectorAccess{}, unsetError(scope.home, unset)
	}
	return ConnectorAccess{URL: strings.TrimSpace(url), Token: strings.TrimSpace(token)}, nil
}

// toolsetConnectors is the key of the file and the name among toolsets.
const toolsetConnectors = "connectors"

// MayConnect answers whether tools behind the gateway may be called; where not, the
// problem says why. Whatever keeps every MCP server from running keeps these, too,
// and so does a list of toolsets that does not name them.
func (s *Snapshot) MayConnect() (bool, Problem) {
	c, r := s.Settings.Connectors, s.Restrictions
	deny := func(path, hint, format string, args ...any) (bool, Problem) {
		at := r.places[path]
		if path == toolsetConnectors {
			at = place{c.line, c.column}
		}
		return false, Problem{Severity: policy.SeverityError, Code: CodeBlocked, Message: fmt.Sprintf(format, args...), Hint: hint,
			File: s.Path, Line: at.line, Column: at.column}
	}
	if c.Off {
		return deny(toolsetConnectors, "write `tools: {connectors: {enabled: true}}` or remove the key", "`tools.connectors.enabled: false`: no connector is called")
	}
	if c.URL == "" {
		return deny(toolsetConnectors, "write `connectors: {url: ..., token: ${VAR}}`", "no connectors gateway is configured here (`connectors.url` is not set)")
	}
	// A name that is no server's: what is said of all of them.
	if r.SafeMode || r.ClientOff {
		_, p := r.server("", TransportHTTP)
		p.File = s.Path
		return false, p
	}
	if slices.ContainsFunc(r.Disabled, func(name string) bool { return strings.TrimSpace(name) == toolsetConnectors }) {
		return deny("agent.disabled_toolsets", "remove the name there", "`agent.disabled_toolsets` names the connectors")
	}
	if r.Limited && !c.listed {
		return deny("platform_toolsets.cli", "add `connectors` there", "`platform_toolsets.cli` names what may run, and the connectors are not among them")
	}
	return true, Problem{}
}

// connectors keeps the gateway that was in force where another one, or one that was
// turned off, would be reached, and the question to a person.
func (w *waiter) connectors(was, is Connectors) Connectors {
	out := is
	if is.named() && (!was.named() || was.URL != is.URL || was.Token != is.Token) {
		w.opens("connectors", is.line)
		out.URL, out.Token, out.Off = was.URL, was.Token, was.Off
	}
	if is.listed && !was.listed && w.base.Restrictions.Limited {
		w.opens("platform_toolsets.cli (connectors)", w.line("platform_toolsets.cli"))
		out.listed = false
	}
	if is.Trusted && !was.Trusted {
		w.opens("connectors.trust", w.line("connectors.trust"))
		out.Trusted = false
	}
	return out
}
