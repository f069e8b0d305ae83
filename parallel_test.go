package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asMeeting makes this test binary a server: its tool meet returns once as many
// calls of it as the variable says are there at the same time, its tool rest
// after 300 ms.
const asMeeting = "HERMES_TEST_AS_MEETING"

const slowCall = 300 * time.Millisecond

func meetingServer(ctx context.Context, size string) error {
	var want int
	if _, err := fmt.Sscan(size, &want); err != nil {
		return err
	}
	var mu sync.Mutex
	here, all := 0, make(chan struct{})
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	server := mcp.NewServer(&mcp.Implementation{Name: "meeting", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "meet", InputSchema: schema}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		mu.Lock()
		if here++; here == want {
			close(all)
		}
		mu.Unlock()
		select {
		case <-all:
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "met " + string(r.Params.Arguments)}}}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	server.AddTool(&mcp.Tool{Name: "rest", InputSchema: schema}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-time.After(slowCall):
		case <-ctx.Done():
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "rested"}}}, nil
	})
	return server.Run(ctx, &mcp.StdioTransport{})
}

// batchModel answers a conversation without results with one tool_call of ten
// entries, and one with results with the end.
func batchModel(tool string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if strings.Contains(string(body), `"role":"tool"`) {
			sendChunks(w, map[string]any{"role": "assistant", "content": "end"}, "stop")
			return
		}
		var entries []string
		for n := range 10 {
			entries = append(entries, fmt.Sprintf(`{"name": "mcp__s__%s", "arguments": {"n": %d}}`, tool, n))
		}
		sendChunks(w, map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"index": 0, "id": "batch", "type": "function",
			"function": map[string]any{"name": "tool_call", "arguments": `{"calls": [` + strings.Join(entries, ", ") + `]}`}}}}, "tool_calls")
	})
}

func meetingHome(t testing.TB, model string, parallel bool) string {
	home := filepath.Join(t.TempDir(), "home")
	text := fmt.Sprintf("model: {provider: openai, default: scripted, base_url: %q, api_key: test-key}\nmcp_servers:\n  s: {command: %q, env: {%s: \"10\"}, supports_parallel_tool_calls: %v}\n", model, os.Args[0], asMeeting, parallel)
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// TestBatchOverlapsOnOneServer lets ten entries of one batch wait for each other
// in one real server that takes any number at once: they end only if all ten are
// in flight together, and their results stand in call order.
func TestBatchOverlapsOnOneServer(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(batchModel("meet"))
	defer model.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	out, err := hermes(ctx, meetingHome(t, model.URL, true), "chat", "-q", "meet", "--json").Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderrOf(err))
	}
	if met := strings.Count(string(out), `"status":"ok"`); met != 10 {
		t.Errorf("%d of 10 calls met:\n%s", met, out)
	}
}

// BenchmarkTenSlowCalls is a batch of ten calls of 300 ms each on one server, as
// whole processes: where the server takes them at once, and one by one.
func BenchmarkTenSlowCalls(b *testing.B) {
	model := httptest.NewServer(batchModel("rest"))
	defer model.Close()
	for _, parallel := range []bool{true, false} {
		b.Run(fmt.Sprintf("parallel=%v", parallel), func(b *testing.B) {
			home, program := meetingHome(b, model.URL, parallel), built(b)
			for b.Loop() {
				benchOnce(b, program, home)
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/run")
		})
	}
}
