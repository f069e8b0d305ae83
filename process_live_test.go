package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/view"
)

// listedLive is one server as `hermes mcp list --json` shows it.
func listedLive(t *testing.T, ctx context.Context, home, name string) view.Server {
	t.Helper()
	out, err := hermes(ctx, home, "mcp", "list", "--json").Output()
	if err != nil {
		t.Fatal(err, string(out))
	}
	var list view.ServerList
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Servers {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no server %q in %s", name, out)
	return view.Server{}
}

// TestListShowsARunningHermes: the list tells the state of the servers that
// another process runs, and nothing of one that was killed.
func TestListShowsARunningHermes(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	writeFile(t, filepath.Join(home, "config.yaml"), filesystemEntry(t, dir, ""))
	if before := listedLive(t, ctx, home, "files"); before.Status != view.StatusReady || before.Connection.Process != 0 {
		t.Fatalf("before: %s %+v", before.Status, before.Connection)
	}
	cmd := hermes(ctx, home, "mcp", "gateway")
	client := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.ListTools(ctx, nil); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	shown := listedLive(t, ctx, home, "files")
	for ; shown.Status != view.StatusConnected; shown = listedLive(t, ctx, home, "files") {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("never connected: %s %+v", shown.Status, shown.Connection)
		}
	}
	if shown.Connection.Process != cmd.Process.Pid || shown.Connection.PID == 0 || shown.Connection.Protocol == "" {
		t.Errorf("shown %+v", shown.Connection)
	}
	// What this command cannot read is still in force there, and it says so.
	whole, err := os.ReadFile(filepath.Join(home, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"broken": "mcp_servers: [", "empty": ""} {
		writeFile(t, filepath.Join(home, "config.yaml"), text)
		out, _ := hermes(ctx, home, "mcp", "list").CombinedOutput()
		want := "a running Hermes (process " + strconv.Itoa(cmd.Process.Pid) + ") goes on with the last good state of the file: files (connected)"
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: %s", name, out)
		}
	}
	writeFile(t, filepath.Join(home, "config.yaml"), string(whole))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	session.Close()
	if after := listedLive(t, ctx, home, "files"); after.Status != view.StatusReady || after.Connection.Process != 0 {
		t.Errorf("after the kill: %s %+v", after.Status, after.Connection)
	}
	if files, _ := filepath.Glob(filepath.Join(home, "native", "run", "*")); len(files) > 0 {
		t.Errorf("left: %q", files)
	}
}

// TestFoldersThroughTheGateway: a server that was told it may read more than
// `folders` names cannot; where the kernel cannot hold that, it does not start.
func TestFoldersThroughTheGateway(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	writeFile(t, filepath.Join(dir, "data", "note"), "meet at noon")
	writeFile(t, filepath.Join(dir, "other"), "keep out")
	writeFile(t, filepath.Join(home, "config.yaml"), filesystemEntry(t, dir,
		"    folders: ["+strconv.Quote(filepath.Join(dir, "data"))+", {path: "+strconv.Quote(npmPeers(t))+", write: false}]\n"))
	client := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: hermes(ctx, home, "mcp", "gateway")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	read := ""
	for _, tool := range list.Tools {
		if strings.Contains(tool.Name, "read_text_file") {
			read = tool.Name
		}
	}
	if read == "" {
		out, err := hermes(ctx, home, "mcp", "test", "files").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "`folders` is set") {
			t.Errorf("the server does not run, and why is not said: %v %s", err, out)
		}
		return
	}
	for path, want := range map[string]string{"data/note": "meet at noon", "other": "EACCES"} {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: read, Arguments: map[string]any{"path": filepath.Join(dir, path)}})
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(result); !strings.Contains(string(text), want) {
			t.Errorf("%s: %s", path, text)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "native", "confined", "files")); err != nil {
		t.Errorf("the server's own folder: %v", err)
	}
}
