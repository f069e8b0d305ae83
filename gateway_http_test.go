package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const gatewayToken = "a-token-for-the-tests"

// bearer shows the token with every request.
type bearer struct{}

func (bearer) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context())
	q.Header.Set("Authorization", "Bearer "+gatewayToken)
	return http.DefaultTransport.RoundTrip(q)
}

// gatewayHTTP starts `hermes mcp gateway --http` and returns its endpoint. At the
// end it is interrupted, and must say so with its exit code.
func gatewayHTTP(t *testing.T, ctx context.Context, home string) string {
	t.Helper()
	// The test ends it itself, after its own context.
	cmd := hermes(context.WithoutCancel(ctx), home, "mcp", "gateway", "--http", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "HERMES_GATEWAY_TOKEN="+gatewayToken)
	said := &strings.Builder{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("interrupted, it ended with %d: %s", code, said)
		}
		if strings.Contains(said.String(), gatewayToken) {
			t.Errorf("the person's token was printed: %s", said)
		}
	})
	if err != nil {
		t.Fatalf("no address: %v", err)
	}
	return strings.TrimSpace(url)
}

// listener is a foreign client over HTTP.
type listener struct {
	session *mcp.ClientSession
	changed chan struct{}
}

func listenTo(t *testing.T, ctx context.Context, url, version string) listener {
	t.Helper()
	l := listener{changed: make(chan struct{}, 16)}
	client := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { l.changed <- struct{}{} },
	})
	var err error
	l.session, err = client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{}}},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.session.Close() })
	return l
}

func (l listener) sees(t *testing.T, ctx context.Context, want ...string) {
	t.Helper()
	list, err := l.session.ListTools(ctx, nil)
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

// TestGatewayHTTP has clients of both eras at one gateway: each sees exactly the
// allowed tools, hears of a change of the file, and cannot call the rest.
func TestGatewayHTTP(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	dir := t.TempDir()
	home, data := filepath.Join(dir, "home"), filepath.Join(dir, "data")
	writeFile(t, filepath.Join(data, "note.txt"), "meet at noon")
	config := filepath.Join(home, "config.yaml")
	writeFile(t, config, filesystemEntry(t, data, "    tools: {include: [read_text_file]}\n"))
	url := gatewayHTTP(t, ctx, home)
	clients := []listener{listenTo(t, ctx, url, "2025-11-25"), listenTo(t, ctx, url, "2025-11-25"), listenTo(t, ctx, url, "")}
	call := func(l listener, name string) (*mcp.CallToolResult, error) {
		return l.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{"path": filepath.Join(data, "note.txt")}})
	}
	for _, l := range clients {
		l.sees(t, ctx, "mcp__files__read_text_file")
		if result, err := call(l, "mcp__files__read_text_file"); err != nil || result.IsError {
			t.Fatalf("an allowed call failed: %v %+v", err, result)
		}
		if result, err := call(l, "mcp__files__write_file"); err == nil && !result.IsError {
			t.Fatalf("a tool that is not allowed was called: %+v", result)
		}
	}
	writeFile(t, config, filesystemEntry(t, data, "    tools: {include: []}\n"))
	for i, l := range clients {
		select {
		case <-l.changed:
		case <-ctx.Done():
			t.Fatalf("client %d never heard of the change", i)
		}
		l.sees(t, ctx)
		for _, name := range []string{"mcp__files__read_text_file", "read_text_file", "files:read_text_file"} {
			if result, err := call(l, name); err == nil && !result.IsError {
				t.Fatalf("client %d called the locked tool by %s: %+v", i, name, result)
			}
		}
	}
}

// oddServer answers every call with bytes that no decoding survives.
const oddServer = `
const odd = %s
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line)
  const results = {
    initialize: '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}',
    "tools/list": '{"tools":[{"name":"odd","inputSchema":{"type":"object"}}]}',
    "tools/call": odd,
  }
  if (id === undefined) return
  const answer = results[method] ? '"result":' + results[method] : '"error":{"code":-32601,"message":"no"}'
  process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + "," + answer + "}\n")
})
`

// TestGatewayForwardsBytes follows a result from a server through the whole
// program to a client, over both transports.
func TestGatewayForwardsBytes(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	const odd = `{"structuredContent":{"b":9007199254740993,"a":1.0,"t":"<b>&"},"content":[{"type":"hologram","depth":18446744073709551617}],"_meta":{"com.example/n":12345678901234567890}}`
	dir := t.TempDir()
	home, script := filepath.Join(dir, "home"), filepath.Join(dir, "odd.cjs")
	writeFile(t, script, fmt.Sprintf(oddServer, strconv.Quote(odd)))
	writeFile(t, filepath.Join(home, "config.yaml"), "mcp_servers:\n  odd: {command: node, args: ["+strconv.Quote(script)+"]}\n")
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"mcp__odd__odd","arguments":{}}}`,
	}
	want := `"id":3,"result":` + odd

	stdio := overStdio(t, hermes(ctx, home, "mcp", "gateway"), lines)
	if !strings.Contains(stdio, want) {
		t.Errorf("over stdio came %s, want %s", stdio, want)
	}
	url, session, answer := gatewayHTTP(t, ctx, home), "", ""
	for _, line := range lines {
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			q.Header.Set("Mcp-Session-Id", session)
			q.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		}
		response, err := bearer{}.RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		answer = string(data)
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
	}
	if !strings.Contains(answer, want) {
		t.Errorf("over HTTP came %s, want %s", answer, want)
	}
}

// overStdio sends lines one after the other and returns the last answer.
func overStdio(t *testing.T, cmd *exec.Cmd, lines []string) string {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	last := ""
	for _, line := range lines {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(line, `"id"`) {
			continue
		}
		for last = ""; !strings.Contains(last, `"id"`) && answers.Scan(); {
			last = answers.Text()
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return last
}

// otherClient is a client of the protocol's TypeScript library, which shares no
// code with ours.
const otherClient = `
const [sdk, url, token, tool, path] = process.argv.slice(2)
const { Client } = await import(sdk + "/dist/esm/client/index.js")
const { StreamableHTTPClientTransport } = await import(sdk + "/dist/esm/client/streamableHttp.js")
const client = new Client({ name: "other", version: "1" })
const headers = { Authorization: "Bearer " + token }
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
const { tools } = await client.listTools()
const said = await client.callTool({ name: tool, arguments: { path } }).catch((e) => ({ isError: true, content: [{ text: e.message }] }))
console.log(JSON.stringify({ tools: tools.map((t) => t.name), failed: said.isError === true, text: said.content[0].text }))
await client.close()
`

// TestGatewayIndependentClient has a client of another library at the gateway: it
// sees and calls what is allowed, and nothing where the list is empty.
func TestGatewayIndependentClient(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	for _, row := range []struct{ rules, token, want string }{
		{"[read_text_file]", gatewayToken, `{"tools":["mcp__files__read_text_file"],"failed":false,"text":"meet at noon"}`},
		{"[]", gatewayToken, `{"tools":[],"failed":true,`},
		{"[read_text_file]", "a-token-of-somebody", ""},
	} {
		dir := t.TempDir()
		home, note, script := filepath.Join(dir, "home"), filepath.Join(dir, "data", "note.txt"), filepath.Join(dir, "client.mjs")
		writeFile(t, note, "meet at noon")
		writeFile(t, script, otherClient)
		writeFile(t, filepath.Join(home, "config.yaml"), filesystemEntry(t, filepath.Dir(note), "    tools: {include: "+row.rules+"}\n"))
		out, err := exec.CommandContext(ctx, "node", script, filepath.Join(npmPeers(t), "@modelcontextprotocol/sdk"),
			gatewayHTTP(t, ctx, home), row.token, "mcp__files__read_text_file", note).CombinedOutput()
		if row.want == "" {
			if err == nil || !strings.Contains(string(out), "bearer token") {
				t.Errorf("without the token: %v %s", err, out)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(string(out), row.want) {
			t.Errorf("include: %s: %v %s, want %s", row.rules, err, out, row.want)
		}
	}
}
