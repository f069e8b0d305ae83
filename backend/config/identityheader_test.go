package config

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"hermes/backend/policy"
)

// TestIdentityHeader reads the block: what it adds, what wins over it, and what
// has no effect but a warning.
func TestIdentityHeader(t *testing.T) {
	for name, test := range map[string]struct {
		entry   string
		want    map[string]string
		secret  string
		warning string
	}{
		"static":          {"url: https://x.example/\n    identity_header: {name: X-User, value_from: static, value: ada}", map[string]string{"X-User": "ada"}, "X-User", ""},
		"profile":         {"url: https://x.example/\n    identity_header: {name: X-User, value_from: Profile}", map[string]string{"X-User": "default"}, "", ""},
		"header wins":     {"url: https://x.example/\n    headers: {x-user: bob}\n    identity_header: {name: X-User, value_from: static, value: ada}", map[string]string{"x-user": "bob"}, "", ""},
		"beside headers":  {"url: https://x.example/\n    headers: {A: b}\n    identity_header: {name: X-User, value_from: static, value: '${WHO}'}", map[string]string{"A": "b", "X-User": "${WHO}"}, "X-User", ""},
		"on sse":          {"url: https://x.example/\n    transport: sse\n    identity_header: {name: X-User, value_from: static, value: ada}", map[string]string{"X-User": "ada"}, "X-User", ""},
		"on a program":    {"command: x\n    identity_header: {name: X-User, value_from: static, value: ada}", nil, "", "has no effect on this server"},
		"no mapping":      {"url: https://x.example/\n    identity_header: X-User", nil, "", "cannot be read"},
		"no name":         {"url: https://x.example/\n    identity_header: {value_from: static, value: ada}", nil, "", "cannot be read"},
		"odd name":        {"url: https://x.example/\n    identity_header: {name: 'X User', value_from: profile}", nil, "", "cannot be read"},
		"two lines":       {"url: https://x.example/\n    identity_header: {name: X-User, value_from: static, value: \"a\\nB: c\"}", nil, "", "cannot be read"},
		"no value":        {"url: https://x.example/\n    identity_header: {name: X-User, value_from: static}", nil, "", "does not say its value"},
		"unknown source":  {"url: https://x.example/\n    identity_header: {name: X-User, value_from: moon, value: a}", nil, "", "does not say its value"},
		"null":            {"url: https://x.example/\n    identity_header: null", nil, "", ""},
		"empty and there": {"url: https://x.example/\n    headers: {X-USER: ''}\n    identity_header: {name: X-User, value_from: profile}", map[string]string{"X-USER": ""}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, "mcp_servers:\n  s:\n    "+test.entry+"\n")
			sv := server(t, s, "s")
			if !maps.Equal(sv.Conn.Headers, test.want) || sv.Conn.IdentityHeader != test.secret {
				t.Errorf("headers %v, identity %q", sv.Conn.Headers, sv.Conn.IdentityHeader)
			}
			told := slices.ContainsFunc(sv.Problems, func(p Problem) bool {
				return test.warning != "" && strings.Contains(p.Message, test.warning) && p.Line > 0 && p.Hint != ""
			})
			if told != (test.warning != "") {
				t.Errorf("problems %+v", sv.Problems)
			}
			if ok, problem := s.MayRun("s"); !ok {
				t.Errorf("it may not run: %+v", problem)
			}
		})
	}
}

// TestSecretsByPlace hides what no name tells to be secret: the password of a
// key and the value of an identity header, in the file's parts and elsewhere.
func TestSecretsByPlace(t *testing.T) {
	s := load(t, "mcp_servers:\n  s:\n    url: https://x.example/\n    client_cert: [a.pem, b.pem, opensesame]\n"+
		"    identity_header: {name: X-User, value_from: static, value: ada.lovelace}\n")
	sv := server(t, s, "s")
	for _, secret := range []string{"opensesame", "ada.lovelace"} {
		if !slices.Contains(sv.Conn.Secrets(), secret) || !slices.Contains(s.secrets(), secret) {
			t.Errorf("%s is no secret: %q", secret, sv.Conn.Secrets())
		}
		if text := Masked([]string{"mcp_servers", "s"}, sv.Entry); strings.Contains(flat(text), secret) || !strings.Contains(flat(text), "b.pem") {
			t.Errorf("%s is shown: %s", secret, flat(text))
		}
	}
	s = load(t, "mcp_servers:\n  s:\n    url: https://x.example/\n    client_cert: [a.pem, b.pem, '${CERT_WORD}']\n", "CERT_WORD", "from-the-environment")
	if !slices.Contains(s.secrets(), "from-the-environment") {
		t.Errorf("the value of a reference is no secret: %q", s.secrets())
	}
	if text := flat(Masked(nil, server(t, s, "s").Entry)); !strings.Contains(text, "${CERT_WORD}") {
		t.Errorf("a reference is hidden: %s", text)
	}
}

// TestStrictRedirectsOverSSE is said at the server, with its line.
func TestStrictRedirectsOverSSE(t *testing.T) {
	s := load(t, "mcp_servers:\n  s:\n    url: https://x.example/\n    transport: sse\n    strict_redirect_headers: true\n")
	if ok, problem := s.MayRun("s"); ok || problem.Line != 5 || !strings.Contains(problem.Message, "strict_redirect_headers") || problem.Hint == "" {
		t.Errorf("%v %+v", ok, problem)
	}
}

// flat writes the values of a node in one line.
func flat(n *policy.Node) string {
	text := n.Value
	for _, child := range n.Children {
		text += " " + flat(child)
	}
	return text
}
