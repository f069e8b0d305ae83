package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestImportAsks is a person who is shown an import and says no, leaves, and
// says yes.
func TestImportAsks(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	config := filepath.Join(home, "config.yaml")
	file := filepath.Join(t.TempDir(), "paste.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers": {"demo": {"command": "srv"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		keys string
		code int
	}{{"n\r", 1}, {"\r", 1}, {"\x03", 130}} {
		sit(t, home, "mcp", "import", file).reads("+ demo").reads("Write 1 server(s) to").types(c.keys).reads("Nothing was written").leaves(c.code)
		if _, err := os.Stat(config); err == nil {
			t.Fatalf("%q wrote the file", c.keys)
		}
	}
	sit(t, home, "mcp", "import", file).reads("Write 1 server(s) to").types("y\r").reads("Saved 1 server(s) to").leaves(0)
	if _, err := os.Stat(config); err != nil {
		t.Fatal(err)
	}
}
