package transfer

import (
	"path/filepath"
	"slices"
)

// Machine is what decides where hosts keep their files. Dir is the working
// folder, OS a word of runtime.GOOS.
type Machine struct {
	OS, Home, Dir string
	Getenv        func(string) string
}

// Place is where a host may keep its servers. Beside are the files that may
// keep tools of them out. A place of a project belongs to the working folder.
type Place struct {
	Host    string
	File    string
	Beside  []string
	Project bool
}

// Places gives every known place, a person's own before those of the working
// folder. It looks at nothing.
func Places(m Machine) []Place {
	home := func(steps ...string) string { return filepath.Join(append([]string{m.Home}, steps...)...) }
	here := func(steps ...string) string { return filepath.Join(append([]string{m.Dir}, steps...)...) }
	claude := m.or("CLAUDE_CONFIG_DIR", home(".claude"))
	settings := []string{filepath.Join(claude, "settings.json"), filepath.Join(claude, "settings.local.json")}
	state := home(".claude.json")
	if m.Getenv("CLAUDE_CONFIG_DIR") != "" {
		state = filepath.Join(claude, ".claude.json")
	}
	goose := home(".config", "goose", "config.yaml")
	if m.OS == "windows" {
		goose = filepath.Join(m.appData(), "Block", "goose", "config", "config.yaml")
	}
	open := filepath.Join(m.or("XDG_CONFIG_HOME", home(".config")), "opencode")
	box := home(".docker", "mcp")
	return []Place{
		{Host: "claude", File: filepath.Join(m.appData(), "Claude", "claude_desktop_config.json")},
		{Host: "claude-code", File: state, Beside: settings},
		{Host: "codex", File: filepath.Join(m.or("CODEX_HOME", home(".codex")), "config.toml")},
		{Host: "gemini", File: home(".gemini", "settings.json")},
		{Host: "goose", File: goose},
		{Host: "cursor", File: home(".cursor", "mcp.json")},
		{Host: "vscode", File: filepath.Join(m.appData(), "Code", "User", "mcp.json")},
		{Host: "opencode", File: filepath.Join(open, "opencode.json")},
		{Host: "opencode", File: filepath.Join(open, "opencode.jsonc")},
		{Host: "docker", File: filepath.Join(box, "registry.yaml"), Beside: []string{filepath.Join(box, "tools.yaml")}},
		{Host: "claude-code", File: here(".mcp.json"), Project: true,
			Beside: append(slices.Clone(settings), here(".claude", "settings.json"), here(".claude", "settings.local.json"))},
		{Host: "codex", File: here(".codex", "config.toml"), Project: true},
		{Host: "gemini", File: here(".gemini", "settings.json"), Project: true},
		{Host: "cursor", File: here(".cursor", "mcp.json"), Project: true},
		{Host: "vscode", File: here(".vscode", "mcp.json"), Project: true},
		{Host: "opencode", File: here("opencode.json"), Project: true},
		{Host: "opencode", File: here("opencode.jsonc"), Project: true},
	}
}

func (m Machine) or(name, normal string) string {
	if value := m.Getenv(name); value != "" {
		return value
	}
	return normal
}

// appData is where programs with a window keep their settings.
func (m Machine) appData() string {
	switch m.OS {
	case "windows":
		return m.or("APPDATA", filepath.Join(m.Home, "AppData", "Roaming"))
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support")
	}
	return m.or("XDG_CONFIG_HOME", filepath.Join(m.Home, ".config"))
}

// Beside gives the files that may keep tools out, for a file of this host that
// stands at no known place.
func (h Host) Beside(file string) []string {
	folder := filepath.Dir(file)
	switch h.Name {
	case "docker":
		switch filepath.Base(file) {
		case "registry.yaml":
			return []string{filepath.Join(folder, "tools.yaml")}
		case "tools.yaml":
			return []string{filepath.Join(folder, "registry.yaml")}
		}
	case "claude-code":
		if filepath.Base(file) == ".mcp.json" {
			return []string{filepath.Join(folder, ".claude", "settings.json"), filepath.Join(folder, ".claude", "settings.local.json")}
		}
	}
	return nil
}
