package config

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestReadAloneKnowsNothingAround(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HERMES_SAFE_MODE", "1")
	path := filepath.Join(dir, "other.yaml")
	for name, text := range map[string]string{"other.yaml": "mcp_servers:\n  a: {command: x, enabled: \"${ON}\"}\n", ".env": "ON=false\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := ReadAlone(path)
	if ok, p := s.MayRun("a"); !ok || s.Path != path || s.Broken || !s.Exists {
		t.Errorf("alone: %v %+v", ok, p)
	}
	for name, text := range map[string]*string{"missing.yaml": nil, "bad.yaml": ptr("mcp_servers: [\n")} {
		if text != nil {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(*text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if s := ReadAlone(filepath.Join(dir, name)); !s.Broken || len(s.Servers) != 0 || s.Problems[len(s.Problems)-1].File != filepath.Join(dir, name) {
			t.Errorf("%s: %+v", name, s.Problems)
		}
	}
	if s := ReadText(path, []byte("mcp_servers: {a: {tools: {include: []}}}")); s.Broken || !s.Servers[0].Rules.Locked() {
		t.Errorf("text: %+v", s)
	}
}

func ptr(s string) *string { return &s }

func TestExposed(t *testing.T) {
	for _, c := range []struct {
		name, config, env string
		mode              os.FileMode
		want              string
	}{
		{"literal token", "mcp_servers:\n  a:\n    command: x\n    env: {API_TOKEN: abcdefgh12345}\n", "", 0o644, "config.yaml:2"},
		{"readable by the group", "mcp_servers:\n  a:\n    url: https://x/?token=abcdefgh12345\n", "", 0o640, "config.yaml:2"},
		{"closed", "mcp_servers:\n  a:\n    command: x\n    env: {API_TOKEN: abcdefgh12345}\n", "", 0o600, ""},
		{"a reference", "mcp_servers:\n  a:\n    command: x\n    env: {API_TOKEN: \"${API_TOKEN}\"}\n", "", 0o644, ""},
		{"model key", "model:\n  provider: openai\n  api_key: abcdefgh12345\n", "", 0o644, "config.yaml:"},
		{"env file", "mcp_servers: {}\n", "K=v\n", 0o644, ".env:0"},
		{"empty env file", "mcp_servers: {}\n", "K=\n# x\n", 0o644, ""},
	} {
		h := home(t, c.config)
		if err := os.Chmod(h.Config(), c.mode); err != nil {
			t.Fatal(err)
		}
		if c.env != "" {
			if err := os.WriteFile(h.Env(), []byte(c.env), c.mode); err != nil {
				t.Fatal(err)
			}
		}
		s := Open(h, Options{Getenv: env("HOME", "/home/u")}).Load()
		var have []string
		for _, p := range s.Exposed() {
			have = append(have, filepath.Base(p.File)+":"+itoa(p.Line))
			if p.Hint != "type: chmod 600 "+p.File || strings.Contains(p.Message+p.Hint, "abcdefgh12345") {
				t.Errorf("%s: %q %q", c.name, p.Message, p.Hint)
			}
		}
		if got := strings.Join(have, " "); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := shellWord("/a b/it's"); got != `'/a b/it'\''s'` {
		t.Error(got)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

func TestForeignKeys(t *testing.T) {
	s := load(t, `model: {provider: openai, default: m}
mcp_servers: {a: {command: x, timeout: 3}}
mcp: {client: true, other: 1}
agent: {max_turns: 90, verbose: true, disabled_toolsets: [web], personalities: {a: x, b: y}}
terminal:
  backend: local
  empty: {}
  list: [1, 2, 3]
  maps: [{a: 1, b: 2}, {a: 3}]
display: compact
`)
	count, sections := s.ForeignKeys()
	if count != 1+3+1+1+1+3+1 || !slices.Equal(sections, []string{"mcp.other", "agent.verbose", "terminal", "display"}) {
		t.Errorf("%d %v", count, sections)
	}
	if count, _ := load(t, "").ForeignKeys(); count != 0 {
		t.Error(count)
	}
}

func TestHonoured(t *testing.T) {
	s := load(t, `mcp_servers: {a: {command: x}, b: {command: x}}
mcp: {client: false, stdio_servers: off}
platform_toolsets: {cli: [a]}
agent: {disabled_toolsets: [web, mcp-b]}
approvals: {mode: smart, deny: ["x*"]}
hooks: {pre_tool_call: [{matcher: "a", command: "b"}]}
`, "HERMES_SAFE_MODE", "yes")
	var have []string
	for _, p := range s.Honoured() {
		have = append(have, p.Code+":"+itoa(p.Line))
	}
	want := []string{"honoured.safe_mode:0", "honoured.client:2", "honoured.stdio:2", "honoured.platform_toolsets:3", "honoured.disabled_toolsets:4",
		"honoured.approvals:5", "honoured.deny:5", "honoured.hooks:6"}
	if !slices.Equal(have, want) {
		t.Errorf("have %v\nwant %v", have, want)
	}
	if have := load(t, "mcp_servers: {a: {command: x}}\napprovals: {mode: off}\n").Honoured(); len(have) != 0 {
		t.Errorf("a file without restrictions has %+v", have)
	}
}
