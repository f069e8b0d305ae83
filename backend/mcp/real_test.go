//go:build unix

package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/builtin"
	"hermes/backend/config"
	"hermes/backend/policy"
)

// script is the program of a server from npm. The set-up of the tests installs
// them.
func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "npm", "node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("%v; run `npm ci` in testdata/npm", err)
	}
	return path
}

// home writes a config.yaml and opens it.
type testHome struct {
	t    *testing.T
	dir  string
	file *config.File
}

func newHome(t *testing.T, text string, variables map[string]string) testHome {
	t.Helper()
	h := testHome{t: t, dir: t.TempDir()}
	getenv := func(name string) string {
		if name == "HOME" {
			return h.dir
		}
		return variables[name]
	}
	h.file = config.Open(config.Home{Dir: h.dir}, config.Options{Getenv: getenv})
	h.write(text)
	return h
}

func (h testHome) write(text string) *config.Snapshot {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, "config.yaml"), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return h.file.Load()
}

func (h testHome) snapshot() *config.Snapshot { return h.file.Load() }

func quote(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

func TestRealServers(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "note.txt"), []byte("from the real file"), 0o600); err != nil {
		t.Fatal(err)
	}
	memory := filepath.Join(t.TempDir(), "memory.json")
	h := newHome(t, fmt.Sprintf(`
mcp_servers:
  files:
    command: node
    args: [%s, %s]
  everything:
    command: node
    args: [%s]
  memory:
    command: node
    args: [%s]
    env: {MEMORY_FILE_PATH: "${MEMORY}"}
  broken:
    command: node
    args: [/no/such/script.js]
`, quote(script(t, "server-filesystem")), quote(folder), quote(script(t, "server-everything")), quote(script(t, "server-memory"))),
		map[string]string{"MEMORY": memory})
	m := testManager(t, Options{ClientVersion: "1", Guard: guardArgs()}, quickTiming())
	m.Sync(h.snapshot())
	if missing := m.Wait(testContext(t), nil); !slices.Equal(missing, []string{"broken"}) {
		t.Fatalf("missing %v: %+v", missing, m.Statuses())
	}
	if reason := m.Status("broken").Reason; !strings.Contains(reason, "Cannot find module") {
		t.Errorf("broken: %s", reason)
	}
	t.Run("filesystem", func(t *testing.T) {
		status := m.Status("files")
		if len(status.Tools) != 14 || status.Protocol != olderProtocol || status.PID == 0 {
			t.Errorf("%d tools, %s", len(status.Tools), status.Protocol)
		}
		for _, tool := range status.Tools {
			if len(tool.InputSchema) == 0 || tool.Description == "" {
				t.Errorf("tool %+v", tool)
			}
		}
		args := fmt.Sprintf(`{"path":%s}`, quote(filepath.Join(folder, "note.txt")))
		if got := call(t, m, "files", "read_text_file", args); got.Content != "from the real file" {
			t.Errorf("got %+v", got)
		}
		if got := call(t, m, "files", "read_text_file", `{"path":"/etc/passwd"}`); !got.IsError || !strings.Contains(got.Content, "denied") {
			t.Errorf("outside: %+v", got)
		}
		if got := call(t, m, "files", "read_text_file", `{}`); !got.IsError {
			t.Errorf("without a path: %+v", got)
		}
	})
	t.Run("everything", func(t *testing.T) {
		if got := call(t, m, "everything", "echo", `{"message":"héllo"}`); !strings.Contains(got.Content, "héllo") {
			t.Errorf("got %+v", got)
		}
		status := m.Status("everything")
		if !status.Resources || !status.Prompts {
			t.Errorf("status %+v", status)
		}
		checkHelpers(t, m)
	})
	t.Run("memory", func(t *testing.T) {
		call(t, m, "memory", "create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["wrote notes"]}]}`)
		if got := call(t, m, "memory", "read_graph", `{}`); !strings.Contains(got.Content, "Ada") {
			t.Errorf("got %+v", got)
		}
		if data, err := os.ReadFile(memory); err != nil || !strings.Contains(string(data), "Ada") {
			t.Errorf("the variable did not reach the server: %v", err)
		}
	})
}

func checkHelpers(t *testing.T, m *Manager) {
	t.Helper()
	list, err := m.Helper(testContext(t), "everything", policy.HelperListResources, nil)
	var resources struct {
		Resources []struct{ URI string }
		Templates []json.RawMessage `json:"resourceTemplates"`
	}
	if err != nil || json.Unmarshal([]byte(list.Content), &resources) != nil || len(resources.Resources) < 5 || len(resources.Templates) == 0 {
		t.Fatalf("resources: %+v %v", list, err)
	}
	args := fmt.Sprintf(`{"uri":%s}`, quote(resources.Resources[0].URI))
	if got, err := m.Helper(testContext(t), "everything", policy.HelperReadResource, []byte(args)); err != nil || len(got.Content) < 20 {
		t.Errorf("read: %+v %v", got, err)
	}
	list, err = m.Helper(testContext(t), "everything", policy.HelperListPrompts, nil)
	var prompts struct{ Prompts []struct{ Name string } }
	if err != nil || json.Unmarshal([]byte(list.Content), &prompts) != nil || len(prompts.Prompts) == 0 {
		t.Fatalf("prompts: %+v %v", list, err)
	}
	i := slices.IndexFunc(prompts.Prompts, func(p struct{ Name string }) bool { return p.Name == "simple-prompt" })
	if i < 0 {
		t.Fatalf("prompts: %s", list.Content)
	}
	if got, err := m.Helper(testContext(t), "everything", policy.HelperGetPrompt, []byte(`{"name":"simple-prompt"}`)); err != nil || !strings.Contains(got.Content, "user: ") {
		t.Errorf("prompt: %+v %v", got, err)
	}
	for _, bad := range []struct {
		helper policy.Helper
		args   string
	}{{policy.HelperReadResource, `{}`}, {policy.HelperGetPrompt, ``}, {policy.HelperGetPrompt, `{"name":"x","arguments":[1]}`}, {"other", ``}, {policy.HelperReadResource, `[]`}} {
		if _, err := m.Helper(testContext(t), "everything", bad.helper, []byte(bad.args)); !errors.Is(err, ErrNotSent) {
			t.Errorf("%s %s: %v", bad.helper, bad.args, err)
		}
	}
	var refused *ServerError
	if _, err := m.Helper(testContext(t), "everything", policy.HelperReadResource, []byte(`{"uri":"no:such"}`)); !errors.As(err, &refused) {
		t.Errorf("an unknown resource: %v", err)
	}
}

// TestRealServerOverHTTP runs server-everything's streamable transport.
func TestRealServerOverHTTP(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	server := exec.Command("node", script(t, "server-everything"), "streamableHttp")
	server.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	server.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var said bytes.Buffer
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL)
		_ = server.Wait()
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	eventually(t, "the server listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	h := newHome(t, fmt.Sprintf("mcp_servers:\n  web:\n    url: http://%s/mcp\n    headers: {Authorization: Bearer x}\n", address), nil)
	m := testManager(t, Options{}, quickTiming())
	m.Sync(h.snapshot())
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatalf("missing: %s; log %q", m.Status("web").Reason, m.Log("web"))
	}
	if got := call(t, m, "web", "echo", `{"message":"over the wire"}`); !strings.Contains(got.Content, "over the wire") {
		t.Errorf("got %+v", got)
	}
}

// TestBuiltinServers runs the demo's home through a snapshot.
func TestBuiltinServers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	if err := builtin.DemoHome(dir); err != nil {
		t.Fatal(err)
	}
	file := config.Open(config.Home{Dir: dir}, config.Options{Getenv: func(string) string { return "" }})
	m := testManager(t, Options{Builtin: func(name string, conn config.Connection) (*sdk.Server, error) {
		return builtin.Server(name, conn.Root, builtin.Options{})
	}}, quickTiming())
	m.Sync(file.Load())
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatalf("missing %v: %+v", missing, m.Statuses())
	}
	for _, step := range []struct{ server, tool, args, want string }{
		{"files", "read_file", `{"path":"notes.md"}`, "Notes"},
		{"git", "log", `{"limit":5}`, "Start the shop"},
		{"tickets", "create_ticket", `{"title":"Mend the date"}`, "ticket #1 filed"},
	} {
		if got := call(t, m, step.server, step.tool, step.args); got.IsError || !strings.Contains(got.Content, step.want) {
			t.Errorf("%s/%s: %+v", step.server, step.tool, got)
		}
	}
	if got := call(t, m, "files", "read_file", `{"path":"absent"}`); !got.IsError {
		t.Errorf("an absent file: %+v", got)
	}
}

// TestSnapshotDecidesWhatRuns holds the states to the file.
func TestSnapshotDecidesWhatRuns(t *testing.T) {
	self := quote(os.Args[0])
	entry := "    command: " + self + "\n    args: [__server, tools]\n"
	h := newHome(t, "mcp_servers:\n"+
		"  open:\n"+entry+
		"  locked:\n"+entry+"    tools: {include: []}\n"+
		"  invalid:\n"+entry+"    tools: {include: 42}\n"+
		"  off:\n"+entry+"    enabled: false\n"+
		"  nowhere: {}\n"+
		"  unset:\n"+entry+"    env: {A: \"${NOT_SET_ANYWHERE}\"}\n", nil)
	m := testManager(t, Options{}, quickTiming())
	m.Sync(h.snapshot())
	m.Wait(testContext(t), nil)
	for name, state := range map[string]State{
		"open": StateConnected, "locked": StateLocked, "invalid": StateInvalid, "off": StateDisabled, "nowhere": StateInvalid, "unset": StateFailed,
	} {
		if got := m.Status(name); got.State != state || (state != StateConnected && got.Reason == "") {
			t.Errorf("%s is %s (%s), want %s", name, got.State, got.Reason, state)
		}
	}
	for name, part := range map[string]string{"unset": "NOT_SET_ANYWHERE", "off": "enabled: true", "locked": "config.yaml:"} {
		if got := m.Status(name).Reason; !strings.Contains(got, part) {
			t.Errorf("%s: the reason lacks %q: %s", name, part, got)
		}
	}
	if got := len(members(nil, m.launcher.token+".")); got != 1 {
		t.Errorf("%d processes run", got)
	}

	// Looking starts one for the look only, whatever the rules say.
	for _, name := range []string{"locked", "invalid", "off"} {
		status, err := m.Look(testContext(t), h.snapshot(), name)
		if err != nil || len(status.Tools) == 0 {
			t.Errorf("looking at %s: %+v %v", name, status, err)
		}
		if got := m.Status(name).State; got == StateConnected {
			t.Errorf("%s runs after a look", name)
		}
	}
	if status, err := m.Look(testContext(t), h.snapshot(), "open"); err != nil || status.PID != m.Status("open").PID {
		t.Errorf("looking at a running server: %+v %v", status, err)
	}
	if _, err := m.Look(testContext(t), h.snapshot(), "nobody"); !errors.Is(err, config.ErrUnknownServer) {
		t.Errorf("looking at an unknown one: %v", err)
	}
	if _, err := m.Look(testContext(t), h.snapshot(), "nowhere"); err == nil {
		t.Error("looking at a server without a command went well")
	}
	if got := len(members(nil, m.launcher.token+".")); got != 1 {
		t.Errorf("%d processes run after the looks", got)
	}

	// A filter-only change restarts nothing; switching the client off stops all.
	before := m.Status("open")
	m.Sync(h.write("mcp_servers:\n  open:\n" + entry + "    tools: {include: [echo]}\n"))
	if got := m.Status("open"); got.PID != before.PID || got.State != StateConnected {
		t.Errorf("open is %+v", got)
	}
	off := h.write("mcp: {client: false}\nmcp_servers:\n  open:\n" + entry + "  locked:\n" + entry + "    tools: {include: []}\n")
	m.Sync(off)
	if got := m.Status("open"); got.State != StateDisabled || !strings.Contains(got.Reason, "mcp.client") {
		t.Errorf("open is %+v", got)
	}
	if _, err := m.Look(testContext(t), off, "locked"); err == nil || !strings.Contains(err.Error(), "mcp.client") {
		t.Errorf("a look passed `mcp.client: false`: %v", err)
	}
	eventually(t, "all stop", func() bool { return len(members(nil, m.launcher.token+".")) == 0 })
}
