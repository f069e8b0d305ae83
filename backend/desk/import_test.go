package desk

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/view"
)

const pasted = `{"mcpServers": {
	"one": {"command": "srv-one", "env": {"ONE_TOKEN": "fake-token-of-one"}},
	"two": {"url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer fake-token-of-two"}, "excludeTools": ["drop"]}}}`

func TestImportWritesAllAtOnce(t *testing.T) {
	d := openHome(t, "# mine\nmcp_servers:\n  old: {command: srv}\n", Options{})
	plan, err := d.Import(view.ImportRequest{Text: pasted})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(plan.Preview())
	if err != nil || strings.Contains(string(shown), "fake-token") {
		t.Errorf("%v: a secret is in the preview", err)
	}
	if plan.Ready() != 2 {
		t.Fatalf("%s", shown)
	}
	home := d.Paths()
	before, err := os.ReadFile(home.Config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(home.Env); err == nil {
		t.Error("a preview wrote .env")
	}
	result, err := plan.Save(t.Context())
	if err != nil || !result.Saved || strings.Join(result.Written, " ") != "one two" {
		t.Fatalf("%+v %v", result, err)
	}
	after, err := os.ReadFile(home.Config)
	if err != nil || !strings.HasPrefix(string(after), string(before)) || strings.Contains(string(after), "fake-token") {
		t.Errorf("%v\n%s", err, after)
	}
	env, err := os.ReadFile(home.Env)
	if err != nil || !strings.Contains(string(env), "ONE_TOKEN=fake-token-of-one") || !strings.Contains(string(env), "MCP_TWO_API_KEY=fake-token-of-two") {
		t.Errorf("%v: the secrets are not in .env", err)
	}
	info, err := os.Stat(home.Env)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for _, name := range []string{"one", "two"} {
		server, err := d.Server(name)
		if err != nil || server.Server.Line == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestImportOfAChangedFileWritesNothing(t *testing.T) {
	d := openHome(t, "mcp_servers: {}\n", Options{})
	plan, err := d.Import(view.ImportRequest{Text: pasted})
	if err != nil {
		t.Fatal(err)
	}
	home := d.Paths()
	const other = "mcp_servers: {mine: {command: x}}\n"
	if err := os.WriteFile(home.Config, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = plan.Save(t.Context())
	var conflict *config.Conflict
	if !errors.As(err, &conflict) {
		t.Errorf("%v", err)
	}
	if now, err := os.ReadFile(home.Config); err != nil || string(now) != other {
		t.Errorf("%v %s", err, now)
	}
	if _, err := os.Stat(home.Env); err == nil {
		t.Error(".env was written")
	}
}

func TestImportNeverReadsAnUnaskedFile(t *testing.T) {
	d := openHome(t, "mcp_servers: {}\n", Options{})
	for _, q := range []view.ImportRequest{{}, {From: "cursor"}, {From: "nobody", Text: "{}"}, {File: t.TempDir()}, {Text: "{}"}, {Text: "["}} {
		if plan, err := d.Import(q); err == nil {
			t.Errorf("%+v: %+v", q, plan.Preview())
		}
	}
}

// TestLockLeavesNowhereOpen exports a locked server to every host, and looks
// for its name.
func TestLockLeavesNowhereOpen(t *testing.T) {
	d := openHome(t, "mcp_servers:\n  locked: {command: srv, tools: {include: []}}\n  broken: {command: srv, tools: 5}\n", Options{})
	for _, host := range TransferHosts() {
		out, err := d.Export(view.ExportRequest{To: host})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.Text, "broken") {
			t.Errorf("%s writes a server whose rules cannot be read", host)
		}
		if len(out.Servers) == 0 {
			continue
		}
		dir := filepath.Join(t.TempDir(), host)
		if err := os.WriteFile(dir, []byte(out.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		back := openHome(t, "mcp_servers: {}\n", Options{})
		plan, err := back.Import(view.ImportRequest{From: host, File: dir})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range plan.Preview().Servers {
			if s.Rules.Text != "[include only: (none)]" {
				t.Errorf("%s: %s came back as %q", host, s.Name, s.Rules.Text)
			}
		}
	}
}
