package transfer

import (
	"strings"
	"testing"

	"hermes/backend/policy"
)

// TestEveryRuleCounts holds files with rules of several programs, in the wrong
// place or in the wrong program's words: none of them may get lost.
func TestEveryRuleCounts(t *testing.T) {
	mcp := func(extra string) string { return `{"mcpServers": {"demo": {"command": "srv"` + extra + `}}}` }
	gem := func(top string) string { return `{` + top + `, "mcpServers": {"demo": {"command": "srv"}}}` }
	for _, c := range []struct {
		host, text, want, note string
		off                    bool
	}{
		{"json", mcp(`,"disabledTools": ["delete_all"], "tools": {}`), "except delete_all", "", false},
		{"json", mcp(`,"allowedTools": ["read"], "tools": {"resources": false}`), "only read", "", false},
		{"json", mcp(`,"disabledTools": ["w"], "tools": {"resources": false, "prompts": false}`), "except w", "", false},
		{"json", mcp(`,"enabled_tools": [], "tools": {"exclude": ["z"]}`), "only", "", false},
		{"json", mcp(`,"excludeTools": ["a"], "tools": {"include": ["a", "b"]}`), "only b", "", false},
		{"json", mcp(`,"excludeTools": ["get_x"], "tools": {"include": ["get_*", "b"]}`), "only b", "allows less", false},
		{"json", mcp(`,"disabledTools": ["a"], "tools": ["*"]`), "except a", "", false},
		{"json", mcp(`,"disabledTools": 5, "tools": {"include": ["a"]}`), "only", "locked", false},
		{"json", mcp(`,"include": ["x"]`), "only", "a block `tools`", false},
		{"json", mcp(`,"exclude": ["x"]`), "only", "a block `tools`", false},
		{"json", mcp(`,"resources": false`), "only", "a block `tools`", false},
		{"json", mcp(`,"denied": ["x"]`), "only", "not known here", false},
		{"json", mcp(`,"blockTools": "x, y"`), "only", "not known here", false},
		{"json", mcp(`,"alwaysAllow": ["x"], "toolPrefix": "p_"`), "open", "`alwaysAllow` is not taken over", false},
		{"json", gem(`"excludeMCPServers": ["demo"]`), "open", "`excludeMCPServers` names it", true},
		{"cursor", mcp(`,"enabled_tools": []`), "open", "means nothing to Cursor", false},
		{"cursor", mcp(`,"include": ["a"], "autoApprove": ["b"]`), "open", "`autoApprove` is not taken over", false},
		{"claude", mcp(`,"tools": ["a"]`), "open", "means nothing to Claude Desktop", false},
		{"claude", mcp(`,"enabled": false`), "open", "switched off", true},
		{"claude-code", mcp(`,"allowedTools": ["a"]`), "open", "means nothing to Claude Code", false},
		{"vscode", `{"servers": {"demo": {"command": "srv", "excludeTools": ["a"]}}}`, "open", "means nothing to VS Code", false},
		{"opencode", `{"mcp": {"demo": {"type": "local", "command": ["srv"], "tools": {"a": false}}}}`, "open", "means nothing to opencode", false},
		{"codex", "[mcp_servers.demo]\ncommand = \"srv\"\ntools = [\"x\"]\n", "open", "`tools` means nothing to Codex", false},
		{"codex", "[mcp_servers.demo]\ncommand = \"srv\"\nenabledTools = [\"x\"]\n", "open", "`enabledTools` means nothing to Codex", false},
		{"codex", "[mcp_servers.demo]\ncommand = \"srv\"\ndisabled = true\n", "open", "switched off", true},
		{"goose", "extensions: {demo: {type: stdio, cmd: srv, enabled: true, excludeTools: [x]}}\n", "open", "means nothing to Goose", false},
		{"goose", "extensions: {demo: {enabled: true, config: {type: stdio, cmd: srv, tools: [x]}}}\n", "open", "means nothing to Goose", false},
		{"goose", "extensions: {demo: {type: stdio, cmd: srv}}\n", "open", "has no `enabled`", true},
		{"goose", "extensions: {demo: {config: {type: stdio, cmd: srv, enabled: true}}}\n", "open", "", false},
		{"gemini", mcp(`,"disabledTools": ["a"]`), "open", "means nothing to Gemini CLI", false},
		{"gemini", gem(`"excludeMCPServers": ["Demo "]`), "open", "`excludeMCPServers` names it", true},
		{"gemini", gem(`"allowMCPServers": ["other"]`), "open", "`allowMCPServers` does not name it", true},
		{"gemini", gem(`"allowMCPServers": ["demo"], "mcp": {"allowed": ["demo"]}`), "open", "", false},
		{"gemini", gem(`"mcp": {"allowed": []}`), "open", "`mcp.allowed` does not name it", true},
		{"gemini", gem(`"mcp": {"excluded": [5]}`), "open", "`mcp.excluded` cannot be read", true},
		{"gemini", gem(`"mcp": {"excluded": "demo"}`), "open", "`mcp.excluded` cannot be read", true},
		{"gemini", gem(`"tools": {"core": []}`), "open", "`tools.core` is there", false},
		{"gemini", gem(`"coreTools": ["x"]`), "open", "`coreTools` is there", false},
		{"gemini", gem(`"admin": {"mcp": {"enabled": false}}`), "open", "`admin.mcp.enabled`", true},
		{"claude-code", mcp("") + "\x00" + `{"permissions": {"deny": ["mcp__demo__x"]}, "permissions": {}}`, "only", "", false},
		{"claude-code", mcp("") + "\x00" + `{"permissions": {"deny": ["mcp__demo__x"], "deny": []}}`, "only", "locked", false},
	} {
		t.Run(c.host+"/"+c.text, func(t *testing.T) {
			parts := strings.Split(c.text, "\x00")
			s := readOne(t, c.host, parts[0], parts[1:]...)
			if s.Refused != "" {
				t.Fatalf("refused: %s", s.Refused)
			}
			if got := words(s.Filter); got != c.want || s.Enabled == c.off {
				t.Errorf("filter %q, want %q; enabled %v", got, c.want, s.Enabled)
			}
			if !strings.Contains(strings.Join(s.Notes, "\n"), c.note) {
				t.Errorf("no note with %q in %q", c.note, s.Notes)
			}
			planned, err := NewPlanner(nothing).Plan(s, "demo")
			if err != nil {
				t.Fatal(err)
			}
			rules := policy.ReadServer(planned.Entry)
			if got := words(Filter{rules.State(), rules.Patterns()}); got != c.want {
				t.Errorf("written as %q, want %q", got, c.want)
			}
			if strings.Contains(c.text, `"resources": false`) && rules.Resources() || strings.Contains(c.text, `"prompts": false`) && rules.Prompts() {
				t.Error("the helpers came open")
			}
		})
	}
}

// TestGuessedHostDropsNothing reads files of nobody's, in which one server has
// the words of one program and another those of the next.
func TestGuessedHostDropsNothing(t *testing.T) {
	for _, c := range []struct{ file, text, host, want string }{
		{"", `{"mcpServers": {"a": {"command": "x", "includeTools": ["r"]}, "demo": {"command": "y", "disabledTools": ["w"]}}}`, "json", "except w"},
		{"", `{"mcpServers": {"a": {"httpUrl": "https://example.com/mcp"}, "demo": {"command": "y", "enabled_tools": []}}}`, "json", "only"},
		{"", `{"mcpServers": {"a": {"httpUrl": "https://example.com/mcp"}, "demo": {"command": "y", "tools": ["read"]}}}`, "json", "only read"},
		{"", `{"mcpServers": {"a": {"httpUrl": "https://example.com/mcp"}, "demo": {"command": "y", "allowedTools": ["read"]}}}`, "json", "only read"},
		{"", `{"mcp": {"excluded": ["a"]}, "mcpServers": {"a": {"command": "x", "includeTools": ["r"]}, "demo": {"command": "y", "disabledTools": ["w"]}}}`, "gemini", "only"},
		{"/srv/p/.cursor/mcp.json", `{"mcpServers": {"demo": {"command": "y", "disabledTools": ["w"]}}}`, "cursor", "only"},
		{"/srv/p/.mcp.json", `{"mcpServers": {"demo": {"command": "y", "tools": ["read"]}}}`, "claude-code", "only"},
		{"", `{"permissions": {}, "mcpServers": {"demo": {"command": "y", "tools": {"include": ["a"]}}}}`, "claude-code", "only"},
		{"", `{"servers": {"demo": {"command": "y", "excludedTools": ["read"]}}}`, "vscode", "only"},
		{"", "[mcp_servers.demo]\ncommand = \"srv\"\nenabledTools = [\"x\"]\n", "codex", "only"},
		{"", "extensions: {demo: {type: stdio, cmd: srv, enabled: true, tools: [x]}}\n", "goose", "only"},
		{"", `{"mcp": {"demo": {"type": "local", "command": ["srv"], "available_tools": []}}}`, "opencode", "only"},
		{"", `{"mcpServers": {"demo": {"httpUrl": "https://example.com/mcp"}}}`, "gemini", "open"},
		{"", `{"mcpServers": {"demo": {"command": "y", "tools": ["*"]}}}`, "json", "open"},
		{"/srv/p/.cursor/mcp.json", `{"mcpServers": {"demo": {"command": "y", "tools": ["*"], "alwaysAllow": ["a"]}}}`, "cursor", "open"},
	} {
		src := Source{File: c.file, Data: []byte(c.text)}
		h, err := Detect(src)
		if err != nil || h.Name != c.host {
			t.Errorf("%s: %q %v", c.text, h.Name, err)
			continue
		}
		r, err := h.Read(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Servers {
			if s.Name == "demo" && words(s.Filter) != c.want {
				t.Errorf("%s: as %s %q, want %q", c.text, c.host, words(s.Filter), c.want)
			}
			if s.Name == "demo" && c.want == "only" && len(s.Notes) == 0 {
				t.Errorf("%s: locked without a word", c.text)
			}
		}
	}
}

// TestDoubledKeys refuses what cannot be known: of two values one would win.
func TestDoubledKeys(t *testing.T) {
	for host, text := range map[string]string{
		"json":   "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"tools\": [\"r\"]}},\n\"mcpServers\": {\"a\": {\"command\": \"x\"}}}",
		"cursor": "{\"mcpServers\": {},\n\"mcpServers\": {\"a\": {\"command\": \"x\"}}}",
		"gemini": "{\"mcp\": {\"excluded\": [\"a\"],\n\"excluded\": []}, \"mcpServers\": {\"a\": {\"command\": \"x\"}}}",
		"vscode": "{\"inputs\": [], \"servers\": {},\n\"servers\": {\"a\": {\"command\": \"x\"}}}",
	} {
		h, _ := Find(host)
		r, err := h.Read(Source{Data: []byte(text)})
		if err == nil || !strings.Contains(err.Error(), "at line 1 and line 2") {
			t.Errorf("%s: %v %+v", host, err, r)
		}
	}
	s := readOne(t, "json", "{\"mcpServers\": {\"demo\": {\"command\": \"x\"},\n\"demo\": {\"command\": \"y\"}}}")
	if !strings.Contains(s.Refused, "at line 1 and line 2") {
		t.Errorf("%q", s.Refused)
	}
	h, _ := Find("json")
	r, err := h.Read(Source{Data: []byte("{\"mcpServers\": {\"a\": {\"command\": \"x\"}},\n\"mcp_servers\": {\"b\": {\"command\": \"x\"}}}")})
	if err != nil || len(r.Problems) != 1 || r.Problems[0].Line != 2 {
		t.Errorf("%v %+v", err, r)
	}
}
