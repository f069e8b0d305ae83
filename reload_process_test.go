package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestReloadReachesOtherProcesses has a client at `hermes mcp gateway`, the page
// in `hermes serve`, and a third process that edits: a lock, a broken file, its
// repair, and a reload by force reach the others, which say so where they have
// a place for it.
func TestReloadReachesOtherProcesses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 120*time.Second)
	defer cancel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	config := filepath.Join(home, "config.yaml")
	text := fmt.Sprintf("mcp_servers:\n  files: {builtin: files, root: %q}\n  tickets: {builtin: tickets, root: %q}\n", dir, dir)
	writeFile(t, config, text)

	run := func(args ...string) (string, error) {
		out, err := hermes(ctx, home, args...).CombinedOutput()
		return string(out), err
	}
	if out, err := run("mcp", "reload"); err != nil || !strings.Contains(out, "No running Hermes process") {
		t.Errorf("with nobody there: %v: %s", err, out)
	}

	changed := make(chan struct{}, 64)
	client := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	process := hermes(ctx, home, "mcp", "gateway")
	said := make(chan string, 64)
	stderr, err := process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: process}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	go hear(stderr, said)
	page := hermes(ctx, home, "serve")
	pageOut, err := page.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = page.Process.Kill(); _ = page.Wait() }()
	if _, err := bufio.NewReader(pageOut).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	offers := func(server string) bool {
		list, err := session.ListTools(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return strings.HasPrefix(tool.Name, "mcp__"+server+"__") })
	}
	if !offers("files") || !offers("tickets") {
		t.Fatal("the gateway does not offer the tools")
	}

	for len(changed) > 0 {
		<-changed
	}
	if out, err := run("mcp", "lock", "files"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	select {
	case <-changed:
	case <-ctx.Done():
		t.Fatal("the client was not told of the lock")
	}
	if offers("files") || !offers("tickets") {
		t.Error("the lock did not reach the gateway, or it took more than its server")
	}

	locked, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, config, string(locked)+"x: [\n")
	line := until(ctx, t, said, "config.yaml:")
	if n := strings.Count(string(locked), "\n"); !strings.Contains(line, ":"+strconv.Itoa(n+1)) && !strings.Contains(line, ":"+strconv.Itoa(n+2)) {
		t.Errorf("the gateway does not say where: %q", line)
	}
	if out, err := run("mcp", "list"); err == nil || !strings.Contains(out, "config.yaml:") {
		t.Errorf("the list does not say where: %v: %s", err, out)
	}
	if offers("files") || !offers("tickets") {
		t.Error("a broken file changed what is offered")
	}
	// A reload by force does not pretend that a broken file is in force.
	if out, err := run("mcp", "reload"); err == nil || strings.Count(out, "not reloaded: process") != 2 || !strings.Contains(out, "config.yaml:") || strings.Contains(out, "Reloaded") {
		t.Errorf("reload of a broken file: %v: %s", err, out)
	}
	if out, err := run("mcp", "reload", "--json"); err == nil || strings.Count(out, `"line": `) != 2 || strings.Contains(out, `"line": 0`) {
		t.Errorf("reload of a broken file: %v: %s", err, out)
	}
	writeFile(t, config, string(locked))
	until(ctx, t, said, "can be read again")

	out, err := run("mcp", "reload")
	if err != nil || !strings.Contains(out, strconv.Itoa(process.Process.Pid)) || !strings.Contains(out, strconv.Itoa(page.Process.Pid)) {
		t.Errorf("reload: %v: %s, want processes %d and %d", err, out, process.Process.Pid, page.Process.Pid)
	}
}

// hear hands on the lines of a program.
func hear(r io.Reader, lines chan<- string) {
	for scanner := bufio.NewScanner(r); scanner.Scan(); {
		lines <- scanner.Text()
	}
}

// until waits for a line that holds a text.
func until(ctx context.Context, t *testing.T, lines <-chan string, text string) string {
	t.Helper()
	for {
		select {
		case line := <-lines:
			if strings.Contains(line, text) {
				return line
			}
		case <-ctx.Done():
			t.Fatalf("never said: %q", text)
		}
	}
}
