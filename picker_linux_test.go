package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCatalogPicker(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	config := filepath.Join(home, "config.yaml")
	writeFile(t, config, "mcp_servers:\n  mine: {command: x, tools: {include: [a]}}   # note\n  fetch: {command: y, enabled: false}\n")

	p := sit(t, home, "mcp")
	p.reads("ENTER").types("q")
	if text := p.leaves(0); !strings.Contains(text, "Commands:") || !strings.Contains(text, "hermes mcp configure") {
		t.Errorf("%s", text)
	}
	p = sit(t, home, "mcp", "picker")
	p.reads("ENTER").types("\x03")
	p.leaves(130)

	p = sit(t, home, "mcp", "picker")
	p.reads("ENTER").types("/mine\r\r").reads("\x1b[?1049h").reads("configure").types("/disable\r\r").reads("'mine' is disabled")
	p.leaves(0)
	if got := readText(t, config); !strings.Contains(got, "mine: {command: x, tools: {include: [a]}, enabled: false}   # note") {
		t.Errorf("%s", got)
	}
	p = sit(t, home, "mcp", "picker")
	p.reads("ENTER").types("/mine\r\r").reads("\x1b[?1049h").reads("configure").types("/enable\r\r").reads("'mine' is enabled (1 selected)")
	p.leaves(0)
	p = sit(t, home, "mcp", "picker")
	p.reads("ENTER").types("/mine\r\r").reads("\x1b[?1049h").reads("configure").types("/remove\r\r").reads("Remove server 'mine'? [Y/n]").types("\r").reads("Removed 'mine'")
	p.leaves(0)
}

func TestCatalogPickerInstalls(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	p := sit(t, home, "mcp", "picker", "--plain")
	p.reads("available").reads("Type one number").types("1\n").reads("origin: built in").types("\x03")
	p.leaves(130)
	if _, err := os.Stat(home); err == nil {
		t.Error("something was written")
	}
}

// TestConfigureOfAHeldServer: the picker shows what is in force, and cannot be
// the way out of a hold.
func TestConfigureOfAHeldServer(t *testing.T) {
	t.Parallel()
	home, config := filesHome(t, "    tools: {include: [read_file, list_directory]}\n")
	runs(t, home, "", 0, "tools", "disable", "files:list_directory")
	before := strings.Replace(readText(t, config), "    tools: {include: [read_file]}\n", "", 1)
	writeFile(t, config, before)
	p := sit(t, home, "mcp", "configure", "files")
	p.reads("Hermes still holds it").reads("1 of 14 on").reads("ENTER").types("a\r").reads("No changes made.")
	p.leaves(0)
	if readText(t, config) != before {
		t.Error("the file changed")
	}
	p = sit(t, home, "mcp", "configure", "files")
	p.reads("1 of 14 on").reads("ENTER").types("n\r").reads("0/14 tools enabled")
	p.leaves(0)
	if got := readText(t, config); !strings.Contains(got, "include: []") {
		t.Errorf("%s", got)
	}
}
