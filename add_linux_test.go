package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filesystemArgs are the words that add the npm filesystem server.
func filesystemArgs(t *testing.T, data string) []string {
	return []string{"--command", "node", "--args", filepath.Join(npmPeers(t), "@modelcontextprotocol/server-filesystem/dist/index.js"), data}
}

func TestAddInATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		keys  func(*person)
		code  int
		says  string
		tools string // what the file says, "-" for no entry
	}{
		{"all", func(p *person) { p.reads("Enable all 14 tools? [Y/n/select]").types("\r") }, 0, "(14/14 tools enabled)", ""},
		{"no", func(p *person) { p.reads("[Y/n/select]").types("n\r") }, 1, "was not saved", "-"},
		{"select", func(p *person) {
			p.reads("[Y/n/select]").types("s\r").reads("14 of 14 on").reads("ENTER").types("n/list_allowed\r \r")
		}, 0, "(1/14 tools enabled)", "    tools:\n      include: [list_allowed_directories]\n"},
		{"select and leave", func(p *person) {
			p.reads("[Y/n/select]").types("select\r").reads("ENTER").types("\x1b")
		}, 1, "was not saved", "-"},
		{"select nothing, locked", func(p *person) {
			p.reads("[Y/n/select]").types("s\r").reads("ENTER").types("n\r").reads("Save locked (nothing enabled)? [y/N]").types("y\r")
		}, 0, "(0/14 tools enabled)", "    tools:\n      include: []\n"},
		{"select nothing, no", func(p *person) {
			p.reads("[Y/n/select]").types("s\r").reads("ENTER").types("n\r").reads("[y/N]").types("\r")
		}, 1, "was not saved", "-"},
		{"ctrl-c", func(p *person) { p.reads("[Y/n/select]").types("\x03") }, 130, "", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			home, data := filepath.Join(dir, "home"), filepath.Join(dir, "data")
			writeFile(t, filepath.Join(data, "note.txt"), "x")
			p := sit(t, home, append([]string{"mcp", "add", "files", "--trust", "full"}, filesystemArgs(t, data)...)...)
			c.keys(p)
			if text := p.leaves(c.code); !strings.Contains(text, c.says) {
				t.Errorf("not said: %q\n%s", c.says, text)
			}
			config := filepath.Join(home, "config.yaml")
			if c.tools == "-" {
				if _, err := os.Stat(home); err == nil {
					t.Error("something was written")
				}
				return
			}
			if _, after, _ := strings.Cut(readText(t, config), "enabled: true\n"); after != c.tools {
				t.Errorf("the file says\n%s", readText(t, config))
			}
		})
	}
}

func TestAddWithATokenInATerminal(t *testing.T) {
	t.Parallel()
	const token = "typed-token-0123456789"
	url := guarded(t, token)
	home := filepath.Join(t.TempDir(), "home")
	config, env := filepath.Join(home, "config.yaml"), filepath.Join(home, ".env")

	p := sit(t, home, "mcp", "add", "web", "--url", url)
	p.reads("Does this server require authentication? [Y/n]").types("\r").reads("API key / Bearer token:").types("\r")
	if text := p.leaves(1); !strings.Contains(text, "Bearer token is required") {
		t.Errorf("%s", text)
	}
	p = sit(t, home, "mcp", "add", "web", "--url", url)
	p.reads("authentication?").types("\r").reads("token:").types("wrong-token-0123456789\r")
	p.reads("Failed to connect").reads("Save config anyway (you can test later)? [y/N]").types("\r")
	p.leaves(1)
	if _, err := os.Stat(home); err == nil {
		t.Fatal("something was written")
	}

	p = sit(t, home, "mcp", "add", "web", "--url", url)
	p.reads("authentication?").types("\r").reads("token:").types("Bearer " + token + "\r").reads("Enable all 1 tools?").types("y\r")
	text := p.leaves(0)
	noSecret(t, token, text, readText(t, config))
	if got := readText(t, env); got != "MCP_WEB_API_KEY="+token+"\n" {
		t.Errorf(".env: %q", got)
	}
	if got := readText(t, config); !strings.Contains(got, "Authorization: \"Bearer ${MCP_WEB_API_KEY}\"") || !strings.Contains(got, "trust: untrusted") {
		t.Errorf("%s", got)
	}

	// The name is taken, the token is known, the rules stay.
	p = sit(t, home, "mcp", "add", "web", "--url", url, "--auth", "header")
	p.reads("Server 'web' already exists. Overwrite? [y/N]").types("y\r").reads("MCP_WEB_API_KEY is already configured").reads("Saved 'web'")
	p.leaves(0)
	before := readText(t, config)
	p = sit(t, home, "mcp", "add", "web", "--url", url)
	p.reads("[y/N]").types("\r")
	p.leaves(1)

	p = sit(t, home, "mcp", "login", "web")
	p.reads("token for 'web':").types(token + "\r").reads("Authenticated 'web'")
	noSecret(t, token, p.leaves(0))
	p = sit(t, home, "mcp", "login", "web")
	p.reads("token for 'web':").types("\x03")
	p.leaves(130)

	p = sit(t, home, "mcp", "remove", "web")
	p.reads("Remove server 'web'? [Y/n]").types("n\r")
	p.leaves(1)
	if readText(t, config) != before {
		t.Error("the file changed")
	}
	p = sit(t, home, "mcp", "rm", "web")
	p.reads("[Y/n]").types("\r").reads("Removed 'web'")
	p.leaves(0)
	if strings.Contains(readText(t, config), "web") {
		t.Errorf("%s", readText(t, config))
	}
}

func TestAddOfAServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	p := sit(t, home, "mcp", "add", "gone", "--command", "no-such-program-here")
	p.reads("Failed to connect").reads("[y/N]").types("y\r").reads("It is disabled")
	p.leaves(0)
	config := readText(t, filepath.Join(home, "config.yaml"))
	if !strings.Contains(config, "enabled: false") || !strings.Contains(config, "include: []") {
		t.Errorf("%s", config)
	}
}
