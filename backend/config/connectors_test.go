package config

import (
	"slices"
	"strings"
	"testing"
)

func TestConnectors(t *testing.T) {
	const gateway = "connectors: {url: 'https://gate.test/v1', token: '${GATE}'}\n"
	for name, c := range map[string]struct {
		text, reason string // empty: may be reached
		trusted      bool
		warns        string
	}{
		"nothing":             {"", "connectors.url", false, ""},
		"a gateway":           {gateway, "", false, ""},
		"trusted":             {"connectors: {url: 'https://gate.test', trust: full}", "", true, ""},
		"a slip in trust":     {"connectors: {url: 'https://gate.test', trust: ful}", "", false, "connectors.trust"},
		"no mapping":          {"connectors: https://gate.test", "connectors.url", false, "must be a mapping"},
		"turned off":          {gateway + "tools: {connectors: {enabled: false}}", "tools.connectors.enabled", false, ""},
		"turned on":           {gateway + "tools: {connectors: {enabled: true}}", "", false, ""},
		"neither":             {gateway + "tools: {connectors: {enabled: maybe}}", "tools.connectors.enabled", false, "counts as false"},
		"no client":           {gateway + "mcp: {client: false}", "mcp.client", false, ""},
		"disabled":            {gateway + "agent: {disabled_toolsets: [connectors]}", "disabled_toolsets", false, ""},
		"unreadable disabled": {gateway + "agent: {disabled_toolsets: {a: b}}", "platform_toolsets", false, "disabled_toolsets"},
		"not listed":          {gateway + oneServer("command: x") + "platform_toolsets: {cli: [demo]}", "platform_toolsets", false, ""},
		"listed":              {gateway + oneServer("command: x") + "platform_toolsets: {cli: [demo, connectors]}", "", false, ""},
		"no_mcp":              {gateway + "platform_toolsets: {cli: [no_mcp, connectors]}", "platform_toolsets", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := home(t, c.text)
			s := Open(h, Options{Getenv: env("HOME", h.Dir, "GATE", "gate-secret-1")}).Load()
			ok, why := s.MayConnect()
			if ok != (c.reason == "") || !strings.Contains(why.Message, c.reason) {
				t.Errorf("%t: %+v", ok, why)
			}
			if s.Settings.Connectors.Trusted != c.trusted {
				t.Error("trusted")
			}
			warned := slices.ContainsFunc(s.Problems, func(p Problem) bool { return strings.Contains(p.Message, c.warns) })
			if c.warns != "" && !warned {
				t.Errorf("%+v", s.Problems)
			}
		})
	}
	if ok, _ := (&Snapshot{}).MayConnect(); ok {
		t.Error("the zero value reaches something")
	}
}

func TestConnectorsTokenIsASecret(t *testing.T) {
	h := home(t, "connectors: {url: 'https://gate.test', token: '${GATE}'}\n")
	f := Open(h, Options{Getenv: env("HOME", h.Dir, "GATE", "gate-secret-1")})
	s := f.Load()
	access, err := s.ResolveConnectors(env("GATE", "gate-secret-1"))
	if err != nil || access != (ConnectorAccess{URL: "https://gate.test", Token: "gate-secret-1"}) {
		t.Errorf("%+v, %v", access, err)
	}
	if !slices.Contains(f.Secrets(), "gate-secret-1") {
		t.Error("the value of the variable is not known as a secret")
	}
	if _, err := s.ResolveConnectors(env()); err == nil || !strings.Contains(err.Error(), "GATE") {
		t.Errorf("an unset variable: %v", err)
	}
	h = home(t, "connectors: {url: 'https://gate.test', token: written-secret-2}\n")
	f = Open(h, Options{Getenv: env("HOME", h.Dir)})
	if f.Load(); !slices.Contains(f.Secrets(), "written-secret-2") {
		t.Error("a written token is not known as a secret")
	}
}

// TestConnectorsTakenAway: what closes the door counts at once, also while an agent
// is at work.
func TestConnectorsTakenAway(t *testing.T) {
	const before = "connectors: {url: 'https://gate.test', trust: full}\n"
	for name, text := range map[string]string{
		"gone": "# nothing\n", "off": before + "tools: {connectors: {enabled: false}}\n", "not trusted": strings.Replace(before, "full", "untrusted", 1),
	} {
		h, f, _ := atWork(t, before, "")
		put(t, h.Config(), text)
		s, _ := f.Reload()
		if ok, _ := s.MayConnect(); ok && s.Settings.Connectors.Trusted || len(s.Waiting) > 0 {
			t.Errorf("%s: %t, %+v", name, ok, s.Waiting)
		}
	}
}
