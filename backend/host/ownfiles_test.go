package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/hook"
)

// TestOwnFiles: what decides about tools is known by its names of now.
func TestOwnFiles(t *testing.T) {
	user, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(user, ".hermes")
	home := filepath.Join(root, "profiles", "work")
	for name, text := range map[string]string{
		filepath.Join(home, "config.yaml"):     "hooks:\n  pre_tool_call:\n    - command: \"/usr/bin/env python3 ~/bin/check.py --strict\"\n    - command: sh -c 'sh \"$HOME/my hooks/in.sh\"'\n  post_tool_call:\n    - command: \"~/my\\\\ hooks/watch.sh --conf=~/my' 'hooks/conf\"\nmcp_servers:\n  s: {command: x, cwd: " + user + "}\n",
		filepath.Join(user, "bin", "check.py"): "", filepath.Join(user, "shelf", "a.yaml"): "", filepath.Join(root, "profiles", "other", "config.yaml"): "",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := New(Options{Home: config.Home{Dir: home, Profile: "work"}, Getenv: func(name string) string {
		return map[string]string{"HOME": user, "HERMES_OPTIONAL_MCPS": filepath.Join(user, "shelf")}[name]
	}})
	t.Cleanup(func() { _ = h.Close() })
	h.Remember()
	if err := h.HookConsents().Trust(hook.Consent{Event: hook.EventPreToolCall, Command: "x", Files: []hook.File{{Path: filepath.Join(user, "venv", "python")}, {Path: "/usr/bin/env"}}}); err != nil {
		t.Fatal(err)
	}
	files := h.ownFiles("s", "")
	for path, want := range map[string]string{
		"~/.hermes/profiles/work/config.yaml": "the configuration", "~/.hermes/profiles/work/.env": "keys", "~/.hermes/profiles/work/native/ledger.json": "folder of Hermes", "$HERMES_HOME/config.yaml": "the configuration",
		"~/.hermes/config.yaml": "the configuration", "~/.hermes/profiles/other/native/x": "folder of Hermes", "~/.hermes": "the home", "bin/check.py": "a hook", user + "/bin/check.py": "a hook",
		"~/my hooks/in.sh": "a hook", "~/my hooks/watch.sh": "a hook", "~/my hooks/conf": "a hook", "~/venv/python": "a hook",
		"~/shelf/new.yaml": "a catalogue", home + "/catalog/x.yaml": "a catalogue",
	} {
		if what, touched := files.Touches(`{"path":"` + path + `"}`); !touched || !strings.Contains(what, want) {
			t.Errorf("%s touches %q, want %q", path, what, want)
		}
	}
	for _, path := range []string{user, "/usr/bin/env", "~/bin/other.py", "~/.hermes/profiles/work/skills/x.md", "config.yaml"} {
		if what, touched := files.Touches(`{"path":"` + path + `"}`); touched {
			t.Errorf("%s touches %s", path, what)
		}
	}
}

// TestOwnFilesInTheFolderOfAServer: a relative name begins where its server works,
// also behind many servers that name other folders.
func TestOwnFilesInTheFolderOfAServer(t *testing.T) {
	user := t.TempDir()
	home, cwd := filepath.Join(user, ".hermes"), filepath.Join(user, "far", "away")
	text := "mcp_servers:\n"
	for i := range 50 {
		text += fmt.Sprintf("  a%d: {command: x, args: [/nowhere/%d]}\n", i, i)
	}
	for _, dir := range []string{home, cwd} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(text+"  z: {command: x, cwd: \"${FAR}/away\", env: {WORK: "+cwd+"}}\n  h: {command: x, cwd: "+home+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, "config.yaml"), filepath.Join(cwd, "lnk")); err != nil {
		t.Fatal(err)
	}
	h := New(Options{Home: config.Home{Dir: home}, Getenv: func(name string) string { return map[string]string{"HOME": user, "FAR": filepath.Dir(cwd)}[name] }})
	t.Cleanup(func() { _ = h.Close() })
	for server, touches := range map[string]bool{"h": true, "z": false} {
		if _, touched := h.ownFiles(server, "").Touches(`{"path":"."}`); touched != touches {
			t.Errorf("the folder of %s touches: %v", server, touched)
		}
	}
	for _, name := range []string{"lnk", "./lnk", "cat lnk", "x/../lnk", "/proc/self/cwd/lnk", "$PWD/lnk", "${WORK}/lnk"} {
		if _, touched := h.ownFiles("z", "").Touches(`{"path":"` + name + `"}`); !touched {
			t.Errorf("%s touches nothing", name)
		}
	}
}

// TestRedactorOfNow: the switch for what looks like a secret counts at once, and
// leaves what is one.
func TestRedactorOfNow(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("config.yaml", "security: {redact_secrets: false}\n")
	write(".env", "SHOP_PASSWORD=a1b2\nSHOP_KEY=hunter2hunter2\n")
	h := New(Options{Home: config.Home{Dir: dir}, Getenv: func(string) string { return "" }})
	t.Cleanup(func() { _ = h.Close() })
	const token = "sk-proj-abcDEF0123456789abcd"
	if got := h.redact(token + " a1b2 hunter2hunter2"); got != token+" [redacted] [redacted]" {
		t.Error(got)
	}
	write("config.yaml", "")
	h.file.Load()
	if got := h.redact(token); got != "sk-pro...abcd" {
		t.Error(got)
	}
}
