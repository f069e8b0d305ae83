package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"pgregory.net/rapid"

	"hermes/backend/desk"
	"hermes/backend/registry"
)

// toolPool are the tools of every stub server; the random rules name these and
// some that do not exist.
func toolPool() []string {
	return []string{"read_file", "write_file", "a", "b", "ab", "x-1", "x.2", "ä", "42", "on", "READ_FILE"}
}

// stub is one HTTP server that plays every MCP server of a file and counts the
// calls that reach each tool.
type stub struct {
	url   string
	total atomic.Int64
}

func newStub(t *testing.T) *stub {
	s := &stub{}
	server := mcp.NewServer(&mcp.Implementation{Name: "stub", Version: "1"}, nil)
	for _, name := range toolPool() {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			s.total.Add(1)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name}}}, nil
		})
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	listener := httptest.NewServer(handler)
	t.Cleanup(listener.Close)
	s.url = listener.URL
	return s
}

// file writes a configuration with one server for each set of rules.
func (s *stub) file(servers []string) string {
	var b strings.Builder
	b.WriteString("lists:\n  names: &names [a, x-1]\n  block: &block {include: [b], resources: false}\n")
	b.WriteString("mcp_servers:\n")
	for i, rules := range servers {
		fmt.Fprintf(&b, "  s%03d:\n    url: %s/s%03d\n%s", i, s.url, i, rules)
	}
	return b.String()
}

// gateway is a foreign client: it sees exactly the allowed tools; an allowed
// call arrives, a denied one does not.
func (f *surfaces) gateway(ctx context.Context, d *desk.Desk) {
	ctx, cancel := context.WithCancel(ctx)
	fromClient, toHermes := io.Pipe()
	fromHermes, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- d.Gateway(ctx, fromClient, toClient) }()
	defer func() {
		cancel()
		toHermes.Close()
		fromHermes.Close()
		<-ended
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: fromHermes, Writer: toHermes}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	offered := map[string]bool{}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			f.t.Fatal(err)
		}
		offered[tool.Name] = true
	}
	for _, name := range f.names {
		public := registry.PublicNames(f.names, name, toolPool())
		got := make([]bool, len(toolPool()))
		for i, tool := range toolPool() {
			got[i] = offered[public[tool]]
		}
		f.same("a client of the gateway", name, got)
	}
	for range 20 {
		name := rapid.SampledFrom(f.names).Draw(f.t, "called server")
		i := rapid.IntRange(0, len(toolPool())-1).Draw(f.t, "called tool")
		f.call(ctx, session, name, i)
	}
}

func (f *surfaces) call(ctx context.Context, session *mcp.ClientSession, name string, i int) {
	tool := toolPool()[i]
	before := f.stub.total.Load()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: registry.PublicNames(f.names, name, toolPool())[tool], Arguments: map[string]any{}})
	arrived := f.stub.total.Load() - before
	worked := err == nil && !result.IsError
	if want := f.want[name][i]; worked != want || (arrived == 1) != want || arrived > 1 {
		f.t.Errorf("calling %s/%s through the gateway: worked %v, %d calls arrived, the policy says %v (%v)", name, tool, worked, arrived, want, err)
	}
}

// wasmModule is the module the page loads, in wazero.
type wasmModule struct{ mod api.Module }

func pageModule(t *testing.T) *wasmModule {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policy.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags", "-s -w", "-o", file, "./backend/policy/wasm")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	runtime := wazero.NewRuntime(context.Background())
	t.Cleanup(func() {
		if err := runtime.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	wasi_snapshot_preview1.MustInstantiate(t.Context(), runtime)
	mod, err := runtime.InstantiateWithConfig(t.Context(), code, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	return &wasmModule{mod}
}

// verdicts asks the module about every tool of the pool, as the page does.
func (m *wasmModule) verdicts(t *rapid.T, tree []byte) []bool {
	handle := m.ask(t, "read", m.put(t, tree))
	defer m.ask(t, "drop", handle)
	out := make([]bool, len(toolPool()))
	for i, tool := range toolPool() {
		out[i] = m.ask(t, "allows", handle, m.put(t, []byte(tool))) == 1
	}
	return out
}

func (m *wasmModule) ask(t *rapid.T, name string, args ...uint64) uint64 {
	out, err := m.mod.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(out) == 0 {
		return 0
	}
	return out[0]
}

func (m *wasmModule) put(t *rapid.T, data []byte) uint64 {
	at := m.ask(t, "input", uint64(len(data)))
	if !m.mod.Memory().Write(uint32(at), data) {
		t.Fatalf("%d bytes cannot be written at %d", len(data), at)
	}
	return uint64(len(data))
}

func fromBase64(t *rapid.T, text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
