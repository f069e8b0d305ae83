package config

import (
	"strings"
	"testing"
)

func TestMisspeltKeysAreTold(t *testing.T) {
	for written, meant := range map[string]string{
		"Enabled": "enabled", "enable": "enabled", "ENABLED": "enabled", "enabeld": "enabled", "Command": "command", "comand": "command", "URL": "url", "Url": "url",
	} {
		s := load(t, "mcp_servers:\n  demo:\n    builtin: git\n    "+written+": x\n")
		p := server(t, s, "demo").Problems
		if len(p) != 1 || p[0].Code != "server.near_key" || p[0].Severity != "warning" || p[0].Line != 4 || p[0].Column != 5 ||
			p[0].Hint != "did you mean "+meant+"?" || !strings.Contains(p[0].Message, written) || p[0].File == "" {
			t.Errorf("%s: %+v", written, p)
		}
	}
	for _, written := range []string{"mcpServers", "MCP_servers", "mcp-servers", "mcp_server", "mcp_serves"} {
		s := load(t, "model: m\n"+written+": {}\n")
		if len(s.Problems) != 1 || s.Problems[0].Code != "file.near_key" || s.Problems[0].Line != 2 || s.Problems[0].Column != 1 || s.Problems[0].Hint != "did you mean mcp_servers?" {
			t.Errorf("%s: %+v", written, s.Problems)
		}
	}
	s := load(t, "mcp: {start_wait: 1}\nmodel: m\nservers: {}\nmcp_servers:\n  demo: {command: x, uri: y, env: {}, args: [], enabled_note: z, cwd: /}\n")
	if len(s.Problems) != 0 || len(server(t, s, "demo").Problems) != 0 {
		t.Errorf("%+v, %+v", s.Problems, server(t, s, "demo").Problems)
	}
}
