package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"hermes/backend/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// offer is a set of tools that a test changes; called counts what got through.
type offer struct {
	mu      sync.Mutex
	entries []registry.Entry
	called  []string
	result  Result
	// steps are reported as progress before the result.
	steps []string
	// away are tools that are known and not offered.
	away map[string]bool
}

func (o *offer) Ready(context.Context) {}

func (o *offer) Entries() []registry.Entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.entries
}

func (o *offer) Call(_ context.Context, public string, _ json.RawMessage, progress Progress) Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.away[public] && !slices.ContainsFunc(o.entries, func(e registry.Entry) bool { return e.Public == public }) {
		return Result{Text: "no such tool", IsError: true, Unknown: true}
	}
	o.called = append(o.called, public)
	for i, step := range o.steps {
		if progress != nil {
			progress(float64(i+1), float64(len(o.steps)), step)
		}
	}
	return o.result
}

func (o *offer) set(names ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries = nil
	for _, name := range names {
		o.entries = append(o.entries, registry.Entry{Public: name, Schema: json.RawMessage(`{"type":"object"}`)})
	}
}

func connect(t *testing.T, o *offer, changed func()) (*Server, *mcp.ClientSession) {
	t.Helper()
	s := New(o, "test", slog.New(slog.DiscardHandler))
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), toServer, fromServer) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed() },
	})
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close(); fromClient.Close(); <-ended; fromServer.Close() })
	return s, session
}

// TestOfferFollows changes what is allowed: the client hears of it, and what is
// gone cannot be called.
func TestOfferFollows(t *testing.T) {
	o := &offer{result: Result{Text: "done"}}
	o.set("a", "b")
	changed := make(chan struct{}, 16)
	s, session := connect(t, o, func() { changed <- struct{}{} })
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 {
		t.Fatalf("%v %+v", err, list)
	}
	o.set("b")
	s.Update()
	<-changed
	if result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a"}); err == nil && !result.IsError {
		t.Fatalf("a tool that is gone was called: %+v", result)
	}
	if len(o.called) != 0 {
		t.Fatalf("the call got through: %v", o.called)
	}
}

// TestToolsAlone refuses what the gateway does not say it has.
func TestToolsAlone(t *testing.T) {
	_, session := connect(t, &offer{}, func() {})
	_, err := session.ListResources(t.Context(), nil)
	refused(t, err)
	_, err = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "p"})
	refused(t, err)
	refused(t, session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}))
	if c := session.InitializeResult().Capabilities; c.Tools == nil || c.Resources != nil || c.Prompts != nil || c.Logging != nil || c.Completions != nil {
		t.Errorf("it says it has %+v", c)
	}
}

func refused(t *testing.T, err error) {
	t.Helper()
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) || answer.Code != jsonrpc.CodeMethodNotFound {
		t.Errorf("answered %v", err)
	}
}

// TestOddSchema keeps one schema that the SDK refuses from taking the rest down.
func TestOddSchema(t *testing.T) {
	o := &offer{}
	o.entries = []registry.Entry{
		{Public: "odd", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"x-mcp-header":42}}}`)},
		{Public: "text", Schema: json.RawMessage(`"no schema"`)},
		{Public: "good", Schema: json.RawMessage(`{"type":"object"}`)},
	}
	_, session := connect(t, o, func() {})
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) < 2 {
		t.Fatalf("%v %+v", err, list)
	}
}

// TestLineThatIsNoJSON is answered, and the session goes on.
func TestLineThatIsNoJSON(t *testing.T) {
	s := New(&offer{}, "test", slog.New(slog.DiscardHandler))
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), toServer, fromServer) }()
	answers := bufio.NewScanner(toClient)
	ask := func(line, want string) {
		t.Helper()
		if _, err := io.WriteString(fromClient, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() || !strings.Contains(answers.Text(), want) {
			t.Fatalf("%s: answered %q, want %q", line, answers.Text(), want)
		}
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, `"id":1`)
	ask("not json", "-32700")
	ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, `"id":2`)
	fromClient.Close()
	if err := <-ended; err != nil {
		t.Errorf("the end of the input is an error: %v", err)
	}
	fromServer.Close()
}
