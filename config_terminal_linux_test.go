package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A person who broke the file in the editor is asked whether to go on, and the
// text is kept when not.
func TestConfigEditInATerminal(t *testing.T) {
	const before = "model: gpt\n"
	home := filepath.Join(t.TempDir(), "home")
	config := filepath.Join(home, "config.yaml")
	writeFile(t, config, before)

	t.Setenv("VISUAL", "sed -i s/gpt/[/")
	p := sit(t, home, "config", "edit")
	p.reads("nothing was written").reads("config.yaml:1").reads("Edit it again?").types("n\r").reads("your text is in")
	p.leaves(1)
	if got := readText(t, config); got != before {
		t.Errorf("the file holds %q", got)
	}

	// The second time the editor mends what it broke.
	t.Setenv("VISUAL", "sed -i -e s/\\\\[/claude/ -e s/gpt/[/")
	p = sit(t, home, "config", "edit")
	p.reads("Edit it again?").types("\r").reads("Saved ")
	p.leaves(0)
	if got := readText(t, config); got != "model: claude\n" {
		t.Errorf("the file holds %q", got)
	}
}

// A secret that is typed is not shown.
func TestConfigSecretInATerminal(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	p := sit(t, home, "config", "set", "model.api_key", "--secret")
	p.reads("Value of model.api_key: ").types("typed-secret-value\r").reads("Stored the value as MODEL_API_KEY")
	if text := p.leaves(0); strings.Contains(text, "typed-secret") {
		t.Errorf("the secret was shown: %q", text)
	}
	if got := readText(t, filepath.Join(home, ".env")); got != "MODEL_API_KEY=typed-secret-value\n" {
		t.Errorf(".env holds %q", got)
	}
	if got := readText(t, filepath.Join(home, "config.yaml")); got != "model:\n  api_key: \"${MODEL_API_KEY}\"\n" {
		t.Errorf("the file holds %q", got)
	}
}
