package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asEffects makes this test binary an MCP server whose tools write down what
// they did: the value is the file.
const asEffects = "HERMES_TEST_AS_EFFECTS"

// effects serves `add` and `wait`, which have an effect, and `look`, which has
// none; `wait` ends when it is cancelled, and so does a call whose arguments stand in
// FILE.hold. It starts a process of its own, which
// must not outlive anybody, and notes both.
func effects(file string) error {
	note := func(format string, args ...any) error {
		log, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer log.Close()
		_, err = fmt.Fprintf(log, format+"\n", args...)
		return err
	}
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		return err
	}
	if err := note("pids %d %d", os.Getpid(), child.Process.Pid); err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "effects", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"word":{"type":"string"},"checked":{"type":"boolean"}},"required":["n"]}`)
	for _, name := range []string{"add", "look", "wait"} {
		tool := &mcp.Tool{Name: name, Description: "Does " + name + ".", InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: name == "look"}}
		server.AddTool(tool, func(ctx context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if err := note("%s %s", name, q.Params.Arguments); err != nil {
				return nil, err
			}
			if held, err := os.ReadFile(file + ".hold"); err == nil && string(held) == string(q.Params.Arguments) || name == "wait" {
				<-ctx.Done()
				return nil, note("cancelled %s", q.Params.Arguments)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "did " + string(q.Params.Arguments)}}}, nil
		})
	}
	return server.Run(context.Background(), &mcp.StdioTransport{})
}

// turnStage is a home with that server and a model that follows a script and
// takes no history that a vendor would refuse.
type turnStage struct {
	t              *testing.T
	dir, home, log string
	model          *httptest.Server

	mu     sync.Mutex
	faults []string
	passes int
	last   []stageMessage
	asked  chan struct{} // a word for each pass, as far as somebody reads
}

type stageMessage struct {
	Role, Content string
	ToolCallID    string `json:"tool_call_id"`
	ToolCalls     []struct {
		ID string
	} `json:"tool_calls"`
}

func newTurnStage(t *testing.T, more string) *turnStage {
	t.Helper()
	dir := t.TempDir()
	s := &turnStage{t: t, dir: dir, home: filepath.Join(dir, "home"), log: filepath.Join(dir, "effects"), asked: make(chan struct{}, 64)}
	s.model = httptest.NewServer(s)
	t.Cleanup(s.model.Close)
	writeFile(t, filepath.Join(s.home, "config.yaml"), fmt.Sprintf("model: {provider: openai, default: scripted, base_url: %q, api_key: test-key-of-no-worth}\nmcp_servers:\n  desk:\n    command: %q\n    env: {%s: %q}\n%s",
		s.model.URL, os.Args[0], asEffects, s.log, more))
	return s
}

// ServeHTTP judges the history and answers the last question: "four" with a batch
// of four effects, "wait" with one that waits and two behind it, "look" with one
// call, anything else with words.
func (s *turnStage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct{ Messages []stageMessage }
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // a program that is killed ends in the middle of a request
	}
	if err := json.Unmarshal(body, &request); err != nil || len(request.Messages) == 0 {
		s.fault(fmt.Sprintf("no request: %v", err))
		return
	}
	s.judge(request.Messages)
	last := request.Messages[len(request.Messages)-1]
	s.mu.Lock()
	s.passes++
	pass := s.passes
	s.last = request.Messages
	s.mu.Unlock()
	select {
	case s.asked <- struct{}{}:
	default:
	}
	w.Header().Set("Content-Type", "text/event-stream")
	batch := func(entries ...string) {
		calls := map[string]any{"index": 0, "id": fmt.Sprintf("call_%d_%d", time.Now().UnixNano(), pass), "type": "function",
			"function": map[string]any{"name": "tool_call", "arguments": `{"calls": [` + strings.Join(entries, ", ") + `]}`}}
		sendChunks(w, map[string]any{"role": "assistant", "tool_calls": []any{calls}}, "tool_calls")
	}
	entry := func(tool string, n int) string {
		return fmt.Sprintf(`{"name": "mcp__desk__%s", "arguments": {"n": %d}}`, tool, n)
	}
	switch {
	case last.Role != "user":
		sendChunks(w, map[string]any{"role": "assistant", "content": "All of it is over."}, "stop")
	case strings.Contains(last.Content, "four"):
		batch(entry("add", 1), entry("add", 2), entry("add", 3), entry("add", 4))
	case strings.Contains(last.Content, "wait"):
		batch(entry("wait", 1), entry("add", 2), entry("add", 3))
	case strings.Contains(last.Content, "look"):
		batch(entry("look", 1))
	default:
		sendChunks(w, map[string]any{"role": "assistant", "content": "Said."}, "stop")
	}
}

// judge is what vendors demand: behind each assistant message the results of all
// its calls, in order, each once, and none elsewhere.
func (s *turnStage) judge(messages []stageMessage) {
	var open []string
	seen := map[string]bool{}
	for i, m := range messages {
		switch {
		case m.Role == "tool" && len(open) > 0 && m.ToolCallID == open[0]:
			open = open[1:]
		case m.Role == "tool":
			s.fault(fmt.Sprintf("message %d answers %q, open are %q", i, m.ToolCallID, open))
		case len(open) > 0:
			s.fault(fmt.Sprintf("message %d is of %s, and %q have no answer", i, m.Role, open))
			open = nil
		}
		for _, call := range m.ToolCalls {
			if seen[call.ID] {
				s.fault("the id " + call.ID + " is there twice")
			}
			seen[call.ID] = true
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		s.fault(fmt.Sprintf("%q have no answer", open))
	}
}

func (s *turnStage) fault(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, text)
}

// unjudged fails where the model was given a history that it may not be given.
func (s *turnStage) unjudged() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fault := range s.faults {
		s.t.Error(fault)
	}
}

// results are what the model read last from its calls.
func (s *turnStage) results() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.last {
		if m.Role == "tool" {
			out = append(out, m.Content)
		}
	}
	return out
}

// did are the lines the server wrote that begin so.
func (s *turnStage) did(word string) (out []string) {
	text, err := os.ReadFile(s.log)
	if err != nil && !os.IsNotExist(err) {
		s.t.Error(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, word); ok && strings.ContainsAny(rest[:1], " \n") && strings.HasSuffix(rest, "\n") {
			out = append(out, strings.TrimSpace(rest))
		}
	}
	return out
}

// until waits for a line of the server.
func (s *turnStage) until(ctx context.Context, word string) {
	s.t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for len(s.did(word)) == 0 {
		select {
		case <-ctx.Done():
			s.t.Fatalf("the server never wrote %q", word)
		case <-ticker.C:
		}
	}
}

// allGone waits until no process the server told of is left.
func (s *turnStage) allGone(ctx context.Context) {
	s.t.Helper()
	for _, line := range s.did("pids") {
		for _, field := range strings.Fields(line) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				s.t.Fatal(err)
			}
			waitGone(s.t, ctx, pid)
		}
	}
}

// hermes runs the program and gives what it said and its exit code.
func (s *turnStage) hermes(ctx context.Context, args ...string) (said string, code int) {
	s.t.Helper()
	return s.hermesFor(ctx, s.t, args...)
}

// hermesFor is hermes for a test within the one of the stage.
func (s *turnStage) hermesFor(ctx context.Context, t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	cmd := hermes(ctx, s.home, args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
