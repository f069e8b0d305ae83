package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// installHome is an empty home whose npm knows no network and whose npx starts
// nothing; an entry of somebody else is in its catalogue.
func installHome(t *testing.T) (home string) {
	t.Helper()
	dir := t.TempDir()
	home = filepath.Join(dir, "home")
	outside := "manifest_version: 1\nname: outside\ndescription: Not ours\ntransport: {type: stdio, command: /opt/outside/run}\n" +
		"auth: {type: none, env: [{name: OUTSIDE_DIR, prompt: Folder, secret: false}]}\n"
	for path, text := range map[string]string{
		filepath.Join(dir, "bin", "npm"):                           "#!/bin/sh\nexit 1\n",
		filepath.Join(dir, "bin", "npx"):                           "#!/bin/sh\nexit 1\n",
		filepath.Join(home, "catalog", "outside", "manifest.yaml"): outside,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return home
}

func TestInstallAsksForASecretWithoutShowingIt(t *testing.T) {
	home := installHome(t)
	p := sit(t, home, "mcp", "install", "notion", "--skip-integrity")
	p.reads("runs:   npx -y @notionhq/notion-mcp-server@").reads("NOTION_TOKEN (Secret of an internal integration").reads(": ")
	p.types("ntn_typed0123456789\n")
	p.reads("Saved 'notion' to ").reads("(14 selected)").reads("✓ Installed 'notion' (enabled).")
	text := p.leaves(0)
	config := readText(t, filepath.Join(home, "config.yaml"))
	if strings.Contains(text, "ntn_typed") || strings.Contains(config, "ntn_typed") || !strings.Contains(config, `NOTION_TOKEN: "${NOTION_TOKEN}"`) {
		t.Errorf("the secret is shown or in the file:\n%s\n%s", text, config)
	}
	if env := readText(t, filepath.Join(home, ".env")); !strings.Contains(env, "NOTION_TOKEN=ntn_typed0123456789\n") {
		t.Errorf(".env: %q", env)
	}
	// The second time there is nothing to ask.
	sit(t, home, "mcp", "install", "notion", "--skip-integrity").reads("✓ NOTION_TOKEN already set").reads("up to date").leaves(0)
}

func TestInstallOfAnOutsideEntryAsks(t *testing.T) {
	home := installHome(t)
	p := sit(t, home, "mcp", "install", "outside")
	p.reads("origin: folder ").reads("runs:   /opt/outside/run").reads("OUTSIDE_DIR (Folder): ").types("/srv\n")
	p.reads("Install it? [y/N]").types("\n")
	p.reads("Nothing was written").leaves(1)
	// Leaving a question writes nothing either, and neither does no answer.
	p = sit(t, home, "mcp", "install", "outside")
	p.reads("OUTSIDE_DIR (Folder): ").types("\x04")
	p.reads("Nothing was written").leaves(1)
	p = sit(t, home, "mcp", "install", "outside")
	p.reads("OUTSIDE_DIR (Folder): ").types("\n")
	p.reads("needs OUTSIDE_DIR").leaves(1)
	for _, name := range []string{"config.yaml", ".env"} {
		if _, err := os.Stat(filepath.Join(home, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	p = sit(t, home, "mcp", "install", "outside")
	p.reads("OUTSIDE_DIR (Folder): ").types("/srv\n")
	p.reads("Install it? [y/N]").types("y\n")
	p.reads("Saved 'outside' to ").reads("(0 selected)").leaves(0)
}
