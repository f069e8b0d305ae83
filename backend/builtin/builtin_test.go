package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is a client of a built-in server over the in-memory transport, which is
// how the program runs it.
type peer struct {
	t       *testing.T
	session *mcp.ClientSession
}

func connect(t *testing.T, name, root string) peer {
	t.Helper()
	server, err := Server(name, root, Options{Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := mcp.NewInMemoryTransports()
	running, err := server.Connect(context.Background(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(context.Background(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = running.Wait()
	})
	return peer{t, session}
}

// call returns the tool's text and whether the tool failed.
func (p peer) call(tool string, args any) (string, bool) {
	p.t.Helper()
	result, err := p.session.CallTool(p.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	var parts []string
	for _, content := range result.Content {
		parts = append(parts, content.(*mcp.TextContent).Text)
	}
	return strings.Join(parts, "\n"), result.IsError
}

func (p peer) good(tool string, args any) string {
	p.t.Helper()
	text, failed := p.call(tool, args)
	if failed {
		p.t.Fatalf("%s %v: %s", tool, args, text)
	}
	return text
}

func (p peer) bad(tool string, args any) string {
	p.t.Helper()
	text, failed := p.call(tool, args)
	if !failed {
		p.t.Errorf("%s %v went through: %s", tool, args, text)
	}
	return text
}

type anything = map[string]any

func put(t *testing.T, root, name, content string) string {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHintsAreTrue compares what the tools say of themselves with what they do.
func TestHintsAreTrue(t *testing.T) {
	changing := map[string][]string{"files": {"write_file"}, "git": nil, "tickets": {"create_ticket"}}
	all := map[string][]string{
		"files":   {"list_directory", "read_file", "search_files", "write_file"},
		"git":     {"diff", "log", "show", "status"},
		"tickets": {"create_ticket", "get_ticket", "list_tickets"},
	}
	for name, tools := range all {
		list, err := connect(t, name, t.TempDir()).session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Annotations.ReadOnlyHint == slices.Contains(changing[name], tool.Name) {
				t.Errorf("%s/%s says read-only %v", name, tool.Name, tool.Annotations.ReadOnlyHint)
			}
			if tool.Name == "write_file" != (tool.Annotations.DestructiveHint != nil && *tool.Annotations.DestructiveHint) {
				t.Errorf("%s/%s says destructive %v", name, tool.Name, tool.Annotations.DestructiveHint)
			}
			if tool.Description == "" {
				t.Errorf("%s/%s says nothing", name, tool.Name)
			}
		}
		if !slices.Equal(names, tools) {
			t.Errorf("%s has %v", name, names)
		}
	}
}

func TestServerRefuses(t *testing.T) {
	file := put(t, t.TempDir(), "file", "")
	for _, test := range []struct{ name, root string }{
		{"files", ""}, {"files", "/no/such/folder"}, {"files", file}, {"shell", t.TempDir()}, {"", t.TempDir()},
	} {
		if _, err := Server(test.name, test.root, Options{}); err == nil {
			t.Errorf("%q at %q is made", test.name, test.root)
		}
	}
}

func TestFiles(t *testing.T) {
	root := t.TempDir()
	put(t, root, "notes/a.md", "One line\nNEEDLE here\n")
	put(t, root, "b.txt", "nothing")
	put(t, root, "node_modules/x/c.txt", "needle")
	put(t, root, "data.bin", "\x00needle")
	p := connect(t, "files", root)
	if got := p.good("list_directory", anything{}); got != "b.txt\ndata.bin\nnode_modules/\nnotes/\n" {
		t.Errorf("list: %q", got)
	}
	for _, path := range []string{"notes", "notes/", "./notes", "notes/../notes", filepath.Join(root, "notes")} {
		if got := p.good("list_directory", anything{"path": path}); got != "a.md\n" {
			t.Errorf("list %s: %q", path, got)
		}
	}
	if got := p.good("read_file", anything{"path": "notes/a.md"}); got != "One line\nNEEDLE here\n" {
		t.Errorf("read: %q", got)
	}
	if got := p.good("search_files", anything{"query": "needle"}); got != "notes/a.md:2: NEEDLE here\n" {
		t.Errorf("search: %q", got)
	}
	if got := p.good("search_files", anything{"query": "absent"}); got != "no line matches" {
		t.Errorf("search: %q", got)
	}
	for tool, args := range map[string]anything{
		"read_file": {"path": "data.bin"}, "search_files": {"query": " "}, "list_directory": {"path": "b.txt"}, "write_file": {"path": "notes", "content": "x"},
	} {
		p.bad(tool, args)
	}
	p.bad("read_file", anything{"path": "notes"})
	p.bad("read_file", anything{"path": "absent"})
}

func TestFilesStayInTheFolder(t *testing.T) {
	outside := t.TempDir()
	secret := put(t, outside, "secret", "keep out")
	root := t.TempDir()
	put(t, root, "inside", "fine")
	for link, target := range map[string]string{"out": outside, "file": secret, "good": "inside"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := connect(t, "files", root)
	for _, path := range []string{"../" + filepath.Base(outside) + "/secret", secret, "out/secret", "file", "notes/../../secret"} {
		if got := p.bad("read_file", anything{"path": path}); strings.Contains(got, "keep out") {
			t.Errorf("read %s: %s", path, got)
		}
		p.bad("write_file", anything{"path": path, "content": "overwritten"})
	}
	p.bad("list_directory", anything{"path": "out"})
	if got := p.good("read_file", anything{"path": "good"}); got != "fine" {
		t.Errorf("a link inside: %q", got)
	}
	if got := p.good("search_files", anything{"query": "keep"}); strings.Contains(got, "keep out") {
		t.Errorf("search: %s", got)
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "keep out" {
		t.Errorf("the file outside holds %q (%v)", data, err)
	}
}

func TestWriteFile(t *testing.T) {
	root := t.TempDir()
	kept := put(t, root, "kept", "old")
	if err := os.Chmod(kept, 0o640); err != nil {
		t.Fatal(err)
	}
	p := connect(t, "files", root)
	p.good("write_file", anything{"path": "kept", "content": "new"})
	p.good("write_file", anything{"path": "deep/er/file", "content": "x"})
	for _, test := range []struct {
		path, content string
		mode          os.FileMode
	}{{"kept", "new", 0o640}, {"deep/er/file", "x", 0o600}, {"deep", "", 0o700}} {
		info, err := os.Stat(filepath.Join(root, test.path))
		if err != nil || info.Mode().Perm() != test.mode {
			t.Errorf("%s: %v %v", test.path, info.Mode(), err)
		}
		if data, _ := os.ReadFile(filepath.Join(root, test.path)); string(data) != test.content {
			t.Errorf("%s holds %q", test.path, data)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(root, "*hermes*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, path := range []string{".git/config", "deep/.GIT/hooks/post-commit", "."} {
		p.bad("write_file", anything{"path": path, "content": "x"})
	}
	// A write that fails leaves the old content.
	if err := os.Symlink("kept", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	p.bad("write_file", anything{"path": "link", "content": "y"})
	if data, _ := os.ReadFile(kept); string(data) != "new" {
		t.Errorf("kept holds %q", data)
	}
}

func TestTickets(t *testing.T) {
	root := t.TempDir()
	p := connect(t, "tickets", root)
	if got := p.good("list_tickets", nil); got != "no tickets" {
		t.Errorf("list: %q", got)
	}
	if got := p.good("create_ticket", anything{"title": "  First\nof all ", "body": "line\nline"}); got != "ticket #1 filed: First of all" {
		t.Errorf("create: %q", got)
	}
	p.bad("create_ticket", anything{"title": " "})
	p.bad("create_ticket", anything{"title": strings.Repeat("x", 300)})
	p.good("create_ticket", anything{"title": "Second"})
	if got := p.good("list_tickets", nil); got != "#1 First of all\n#2 Second\n" {
		t.Errorf("list: %q", got)
	}
	if got := p.good("get_ticket", anything{"id": 1}); !strings.HasPrefix(got, "#1 First of all\ncreated ") || !strings.HasSuffix(got, "\n\nline\nline") {
		t.Errorf("get: %q", got)
	}
	p.bad("get_ticket", anything{"id": 9})
	info, err := os.Stat(filepath.Join(root, ticketsName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

// TestTicketsOfManyWriters files from several servers on one folder at once, as
// two programs do: every ticket has a number of its own.
func TestTicketsOfManyWriters(t *testing.T) {
	root := t.TempDir()
	const writers, each = 4, 10
	done := make(chan string, writers*each)
	for range writers {
		p := connect(t, "tickets", root)
		go func() {
			for range each {
				text, failed := p.call("create_ticket", anything{"title": "x"})
				if failed {
					text = "failed: " + text
				}
				done <- text
			}
		}()
	}
	seen := map[string]bool{}
	for range writers * each {
		text := <-done
		if seen[text] || strings.HasPrefix(text, "failed") {
			t.Errorf("again or failed: %s", text)
		}
		seen[text] = true
	}
	if got := strings.Count(connect(t, "tickets", root).good("list_tickets", nil), "\n"); got != writers*each {
		t.Errorf("%d tickets", got)
	}
}

// TestTicketsAfterACrash finds half a line at the end of the file, as a crash
// leaves it: no ticket before or after it is lost, and none changes its number.
func TestTicketsAfterACrash(t *testing.T) {
	root := t.TempDir()
	p := connect(t, "tickets", root)
	p.good("create_ticket", anything{"title": "one"})
	path := filepath.Join(root, ticketsName)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"title":"hal`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if got := p.good("create_ticket", anything{"title": "three"}); got != "ticket #3 filed: three" {
		t.Errorf("create: %q", got)
	}
	p.good("create_ticket", anything{"title": "four"})
	if got := p.good("list_tickets", nil); got != "#1 one\n#3 three\n#4 four\n" {
		t.Errorf("list: %q", got)
	}
}

func TestTicketsLinkLeadsNowhere(t *testing.T) {
	outside := put(t, t.TempDir(), "other.jsonl", "")
	root := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, ticketsName)); err != nil {
		t.Fatal(err)
	}
	p := connect(t, "tickets", root)
	p.bad("create_ticket", anything{"title": "x"})
	if data, _ := os.ReadFile(outside); len(data) > 0 {
		t.Errorf("written outside: %s", data)
	}
}

func TestDemoHome(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := DemoHome(home); err != nil {
		t.Fatal(err)
	}
	if err := DemoHome(home); err == nil {
		t.Error("an existing home is written over")
	}
	for name, mode := range map[string]os.FileMode{"config.yaml": 0o600, "project": 0o700, "project/notes.md": 0o600, "tracker": 0o700} {
		info, err := os.Stat(filepath.Join(home, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	files := connect(t, "files", filepath.Join(home, "project"))
	if got := files.good("read_file", anything{"path": "notes.md"}); len(got) < 50 {
		t.Errorf("notes.md: %q", got)
	}
	if got := connect(t, "git", filepath.Join(home, "project")).good("log", anything{"limit": 5}); strings.Count(got, "\n") < 3 {
		t.Errorf("log: %s", got)
	}
	if got := connect(t, "tickets", filepath.Join(home, "tracker")).good("create_ticket", anything{"title": "x", "body": "y"}); got != "ticket #1 filed: x" {
		t.Errorf("ticket: %s", got)
	}
	if _, err := json.Marshal(files.session.InitializeResult()); err != nil {
		t.Error(err)
	}
}
