package transfer

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestPlaces(t *testing.T) {
	unset := func(string) string { return "" }
	for _, c := range []struct {
		os, host, want string
		getenv         func(string) string
	}{
		{"linux", "claude", "/h/.config/Claude/claude_desktop_config.json", unset},
		{"darwin", "claude", "/h/Library/Application Support/Claude/claude_desktop_config.json", unset},
		{"windows", "claude", "/h/AppData/Roaming/Claude/claude_desktop_config.json", unset},
		{"linux", "claude-code", "/h/.claude.json", unset},
		{"linux", "claude-code", "/p/.mcp.json", unset},
		{"linux", "codex", "/h/.codex/config.toml", unset},
		{"linux", "codex", "/c/config.toml", func(name string) string { return map[string]string{"CODEX_HOME": "/c"}[name] }},
		{"linux", "gemini", "/h/.gemini/settings.json", unset},
		{"darwin", "goose", "/h/.config/goose/config.yaml", unset},
		{"windows", "goose", "/h/AppData/Roaming/Block/goose/config/config.yaml", unset},
		{"linux", "cursor", "/p/.cursor/mcp.json", unset},
		{"darwin", "vscode", "/h/Library/Application Support/Code/User/mcp.json", unset},
		{"linux", "opencode", "/h/.config/opencode/opencode.jsonc", unset},
		{"linux", "docker", "/h/.docker/mcp/registry.yaml", unset},
	} {
		found := slices.ContainsFunc(Places(Machine{OS: c.os, Home: "/h", Dir: "/p", Getenv: c.getenv}), func(p Place) bool {
			return p.Host == c.host && filepath.ToSlash(p.File) == c.want
		})
		if !found {
			t.Errorf("%s on %s: no %s", c.host, c.os, c.want)
		}
	}
}
