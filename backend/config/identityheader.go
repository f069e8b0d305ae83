package config

import (
	"strings"

	"hermes/backend/policy"
)

const (
	keyIdentity   = "identity_header"
	keyClientCert = "client_cert"
)

// identityHeader reads the key of that name: one more header, with a value
// written there or with the name of the profile (hermes-mcp reference 1.1). A
// header of that name under `headers` wins; a block that cannot be read is told
// and has no effect.
func (r *entryReader) identityHeader(c *Connection) {
	_, n := pair(r.entry, keyIdentity)
	if isNull(n) {
		return
	}
	const hint = "write `identity_header: {name: X-User, value_from: static, value: ...}`, or `value_from: profile` without a value"
	if c.Transport != TransportHTTP && c.Transport != TransportSSE {
		r.warn(n, "remove the key; it is for servers with a `url`", "`identity_header` has no effect on this server")
		return
	}
	text := func(name string) string {
		_, value := pair(n, name)
		return strings.TrimSpace(scalarText(value))
	}
	name, value := text("name"), text("value")
	source := strings.ToLower(text("value_from"))
	switch {
	case n.Kind != policy.KindMapping, !isHeaderName(name), strings.ContainsAny(value, "\r\n"):
		r.warn(n, hint, "`identity_header` cannot be read and has no effect")
		return
	case source == "profile":
		if value = r.scope.home.Profile; value == "" {
			value = "default"
		}
	case source == "static" && value != "":
		c.IdentityHeader = name
	default:
		r.warn(n, hint, "`identity_header` does not say its value and has no effect")
		return
	}
	for given := range c.Headers {
		if strings.EqualFold(given, name) {
			c.IdentityHeader = ""
			return
		}
	}
	if c.Headers == nil {
		c.Headers = map[string]string{}
	}
	c.Headers[name] = value
}

// isHeaderName tells a token of RFC 9110 section 5.6.2.
func isHeaderName(name string) bool {
	for _, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", c) {
			return false
		}
	}
	return name != ""
}

// maskSpecial hides what is secret by its place in an entry and not by a name:
// the password of a certificate's key, and the value of an identity header.
func maskSpecial(key string, n *policy.Node) (*policy.Node, bool) {
	var hide func(i int) bool
	switch {
	case key == keyClientCert && n.Kind == policy.KindSequence:
		hide = func(i int) bool { return i == 2 }
	case key == keyIdentity && n.Kind == policy.KindMapping:
		hide = func(i int) bool { return i%2 == 1 && n.Children[i-1].Value == "value" }
	default:
		return nil, false
	}
	out := *n
	out.Children = make([]*policy.Node, len(n.Children))
	for i, child := range n.Children {
		one := *child
		if hide(i) && one.Kind == policy.KindScalar && maskValue(one.Value) != one.Value {
			one.Value, one.Tag = maskValue(one.Value), "!!str"
		}
		out.Children[i] = &one
	}
	return &out, true
}

// KeyLine is the line of a key of the entry, the entry's own where the key is
// not written.
func (s *Server) KeyLine(key string) int {
	if k, _ := pair(s.Entry, key); k != nil {
		return k.Line
	}
	return s.Line
}
