package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// hermes is a command of the real program in a home of its own.
func hermes(ctx context.Context, home string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asMain+"=1", "HERMES_HOME="+home, "HOME="+filepath.Dir(home), "NO_COLOR=1")
	return cmd
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func filesystemEntry(t *testing.T, dir, rules string) string {
	return "mcp_servers:\n  files:\n    command: node\n    args: [" +
		strconv.Quote(filepath.Join(npmPeers(t), "@modelcontextprotocol/server-filesystem/dist/index.js")) + ", " + strconv.Quote(dir) + "]\n" + rules
}

// TestGateway is a foreign client behind `hermes mcp gateway`: it sees exactly
// the allowed tools, hears of a change of the file, and cannot call the rest.
func TestGateway(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	data := filepath.Join(dir, "data")
	writeFile(t, filepath.Join(data, "note.txt"), "meet at noon")
	config := filepath.Join(home, "config.yaml")
	writeFile(t, config, filesystemEntry(t, data, "    tools: {include: [read_text_file, list_directory]}\n"))

	changed := make(chan struct{}, 16)
	client := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: hermes(ctx, home, "mcp", "gateway")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	expectTools := func(want ...string) {
		t.Helper()
		list, err := session.ListTools(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, tool := range list.Tools {
			got = append(got, tool.Name)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("the client sees %q, want %q", got, want)
		}
	}
	call := func(name string) (*mcp.CallToolResult, error) {
		return session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{"path": filepath.Join(data, "note.txt")}})
	}
	text := func(result *mcp.CallToolResult) string {
		out := ""
		for _, content := range result.Content {
			if part, ok := content.(*mcp.TextContent); ok {
				out += part.Text
			}
		}
		return out
	}

	expectTools("mcp__files__list_directory", "mcp__files__read_text_file")
	result, err := call("mcp__files__read_text_file")
	if err != nil || result.IsError || !strings.Contains(text(result), "meet at noon") {
		t.Fatalf("an allowed call failed: %v %+v", err, result)
	}
	if result, err := call("mcp__files__write_file"); err == nil && !result.IsError {
		t.Fatalf("a tool that is not allowed was called: %+v", result)
	}

	for len(changed) > 0 {
		<-changed
	}
	writeFile(t, config, filesystemEntry(t, data, "    tools: {include: []}\n"))
	select {
	case <-changed:
	case <-ctx.Done():
		t.Fatal("the client never heard of the change")
	}
	expectTools()
	if result, err := call("mcp__files__read_text_file"); err == nil && !result.IsError {
		t.Fatalf("a locked tool was called: %+v", result)
	}
}

// TestNothingIsLeftAfterKill kills the program the hard way while a server with
// a grandchild runs: both end.
func TestNothingIsLeftAfterKill(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	pids := filepath.Join(dir, "pids")
	entry := filepath.Join(npmPeers(t), "@modelcontextprotocol/server-filesystem/dist/index.js")
	script := "sleep 1000 & echo $! $$ > " + pids + "; node '" + entry + "' " + dir
	writeFile(t, filepath.Join(home, "config.yaml"), "mcp_servers:\n  files: {command: sh, args: [-c, "+strconv.Quote(script)+"]}\n")

	cmd := hermes(ctx, home, "mcp", "gateway")
	client := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil || len(list.Tools) == 0 {
		t.Fatalf("the server did not come up: %v", err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	session.Close()
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		waitGone(t, ctx, pid)
	}
}

// waitGone waits until a process is no longer there, or only a zombie of
// somebody else.
func waitGone(t *testing.T, ctx context.Context, pid int) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("process %d is left behind", pid)
		case <-ticker.C:
		}
	}
}

// TestForeignFilesAreUntouched runs the commands on a home of Hermes Agent and
// compares every file that is not ours (DESIGN invariant 11).
func TestForeignFilesAreUntouched(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	home := filepath.Join(t.TempDir(), "home")
	for name, text := range map[string]string{
		"config.yaml":                   "model: {provider: demo}\nmcp_servers:\n  gone: {command: no-such-program}\n  locked: {command: x, tools: {include: []}}\n",
		".env":                          "OPENAI_API_KEY=not-a-real-key\n",
		"state.db":                      "SQLite format 3\x00 of another program",
		"state.db-wal":                  "wal",
		"logs/agent.log":                "a log\n",
		"cache/mcp_schema_cache.json":   "{}",
		"shell-hooks-allowlist.json":    "[]",
		"mcp-tokens/files.json":         "{}",
		"profiles/work/config.yaml":     "mcp_servers: {}\n",
		"skills/one/SKILL.md":           "# a skill\nCall one tool at a time.\n",
		"config.yaml.bak":               "mcp_servers:\n  gone: {command: no-such-program, tools: {include: []}}\n",
		"memories/MEMORY.md":            "a memory\n",
		"gateway/platforms/slack.state": "state",
	} {
		writeFile(t, filepath.Join(home, name), text)
	}
	before := hashes(t, home)
	for _, args := range [][]string{
		{"mcp", "list"}, {"tools", "list", "--json"}, {"mcp", "why", "locked", "a"}, {"config", "check"}, {"doctor"},
		{"mcp", "audit", "--strict"}, {"mcp", "audit", "--sarif"}, {"mcp", "diff", filepath.Join(home, "config.yaml.bak"), filepath.Join(home, "config.yaml")},
		{"chat", "-q", "hello"}, {"mcp", "test", "gone"}, {"demo"},
	} {
		out, _ := hermes(ctx, home, args...).CombinedOutput()
		t.Logf("hermes %s: %s", strings.Join(args, " "), out)
	}
	after := hashes(t, home)
	for path := range after {
		if strings.HasPrefix(path, "native/") {
			delete(after, path)
		}
	}
	if len(before) != len(after) {
		t.Errorf("there were %d foreign files, now there are %d", len(before), len(after))
	}
	for path, sum := range before {
		if after[path] != sum {
			t.Errorf("%s was changed", path)
		}
	}
}

func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(name)] = fmt.Sprintf("%x %v %v", sha256.Sum256(data), info.Mode(), info.ModTime())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
