package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The headline of STORY 2: three servers, one request, the same scripted model.
// It wants two things done and puts both into one tool_call.

// headlineModel is that model, over chat-completions HTTP. What it does depends
// on what it reads alone: it describes tools whose parameters it was not told,
// sends the batch, retries entries that were rejected as two calls, and answers
// once both results are there. It counts what a vendor would: passes, and the
// messages of the longest conversation with its last answer.
type headlineModel struct {
	latency time.Duration

	mu               sync.Mutex
	passes, messages int
}

type headlineMessage struct {
	Role      string           `json:"role"`
	Content   string           `json:"content"`
	ToolCalls []map[string]any `json:"tool_calls,omitempty"`
	ID        string           `json:"tool_call_id,omitempty"`
}

type headlineRequest struct {
	Messages []headlineMessage `json:"messages"`
	Tools    []struct {
		Function struct {
			Name, Description string
		} `json:"function"`
	} `json:"tools"`
}

const (
	headlineRead = `{"name": "mcp__files__read_file", "arguments": {"path": "notes.txt"}}`
	headlineFile = `{"name": "mcp__tracker__create_issue", "arguments": {"title": "Gr\u00fc\u00dfe"}}`
	rejection    = "tool_call takes exactly one entry for local tools; you sent 2. Retry with only: "
)

func (m *headlineModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request headlineRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	time.Sleep(m.latency)
	m.mu.Lock()
	m.passes++
	m.messages = len(request.Messages)
	if request.Messages[0].Role == "system" {
		m.messages--
	}
	m.messages++ // its own answer
	m.mu.Unlock()

	told := ""
	for _, tool := range request.Tools {
		told += tool.Function.Description
	}
	results, rejected, described := 0, false, strings.Contains(told, "create_issue(")
	for _, message := range request.Messages {
		switch {
		case message.Role != "tool":
		case strings.Contains(message.Content, rejection):
			rejected = true
		case strings.Contains(message.Content, "done "):
			results++
		default:
			described = true
		}
	}
	call := func(calls ...string) {
		var out []map[string]any
		for i, arguments := range calls {
			name, rest, _ := strings.Cut(arguments, " ")
			out = append(out, map[string]any{"index": i, "id": fmt.Sprintf("call_%d_%d", m.passes, i), "type": "function", "function": map[string]any{"name": name, "arguments": rest}})
		}
		sendChunks(w, map[string]any{"role": "assistant", "tool_calls": out}, "tool_calls")
	}
	switch {
	case results == 2:
		sendChunks(w, map[string]any{"role": "assistant", "content": "Read, and filed."}, "stop")
	case rejected:
		call(`tool_call {"calls": [`+headlineRead+`]}`, `tool_call {"calls": [`+headlineFile+`]}`)
	case !described:
		call(`tool_describe {"names": ["mcp__files__read_file", "mcp__tracker__create_issue"]}`)
	default:
		call(`tool_call {"calls": [` + headlineRead + `, ` + headlineFile + `]}`)
	}
}

func sendChunks(w io.Writer, delta map[string]any, finish string) {
	for _, choice := range []map[string]any{{"index": 0, "delta": delta}, {"index": 0, "delta": map[string]any{}, "finish_reason": finish}} {
		chunk, err := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "choices": []any{choice}})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "data: %s\n\n", chunk)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// rejecting stands between the program and the model and does to a batch what
// Hermes Agent did before pull request #131249: the batch comes back with a
// correction, the model thinks again, and both stay in the conversation.
type rejecting struct {
	model http.Handler

	mu     sync.Mutex
	at     int // of the messages, where the two were put in
	before []json.RawMessage
}

func (p *rejecting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]json.RawMessage
	var messages []json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || json.Unmarshal(body["messages"], &messages) != nil {
		http.Error(w, "no conversation", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before != nil {
		messages = slices.Insert(messages, p.at, p.before...)
	}
	answer := p.ask(r, body, messages)
	if calls := batchOfTwo(answer); calls != "" && p.before == nil {
		p.at = len(messages)
		p.before = []json.RawMessage{
			json.RawMessage(`{"role":"assistant","content":null,"tool_calls":[{"id":"rejected","type":"function","function":{"name":"tool_call","arguments":` + calls + `}}]}`),
			json.RawMessage(fmt.Sprintf(`{"role":"tool","tool_call_id":"rejected","content":%q}`, rejection+headlineRead)),
		}
		answer = p.ask(r, body, append(messages, p.before...))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, answer) // the program's side tells a lost answer
}

func (p *rejecting) ask(r *http.Request, body map[string]json.RawMessage, messages []json.RawMessage) string {
	body["messages"], _ = json.Marshal(messages) // raw JSON in, raw JSON out
	raw, _ := json.Marshal(body)
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(strings.NewReader(string(raw)))
	recorder := httptest.NewRecorder()
	p.model.ServeHTTP(recorder, again)
	return recorder.Body.String()
}

// batchOfTwo is the arguments of a tool_call with two entries in an answer, as
// JSON text.
func batchOfTwo(answer string) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(answer, "data: "), "\n")
	var chunk struct {
		Choices []struct {
			Delta struct {
				ToolCalls []struct {
					Function struct {
						Name      string
						Arguments json.RawMessage
					}
				} `json:"tool_calls"`
			}
		}
	}
	if json.Unmarshal([]byte(line), &chunk) != nil || len(chunk.Choices) == 0 || len(chunk.Choices[0].Delta.ToolCalls) != 1 {
		return ""
	}
	function := chunk.Choices[0].Delta.ToolCalls[0].Function
	arguments := function.Arguments
	if function.Name != "tool_call" || !strings.Contains(string(arguments), headlineTitle(headlineRead)) || !strings.Contains(string(arguments), headlineTitle(headlineFile)) {
		return ""
	}
	return string(arguments)
}

// headlineTitle is the tool of an entry.
func headlineTitle(entry string) string {
	return strings.Split(entry, `"`)[3]
}

// headlineHome has the three servers; listing is `tools.tool_search.listing`.
func headlineHome(t testing.TB, model, listing string) (home, calls string) {
	dir := t.TempDir()
	home, calls = filepath.Join(dir, "home"), filepath.Join(dir, "calls.log")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var config strings.Builder
	fmt.Fprintf(&config, "model: {provider: openai, default: scripted, base_url: %q, api_key: test-key}\ntools: {tool_search: {listing: %q}}\nmcp_servers:\n", model, listing)
	for server, tool := range map[string]string{"files": "read_file path", "git": "log count", "tracker": "create_issue title"} {
		name, parameter, _ := strings.Cut(tool, " ")
		file := filepath.Join(dir, server+".json")
		write(file, fmt.Sprintf(`[{"Name": %q, "Description": "A tool of %s", "InputSchema": {"type": "object", "properties": {%q: {"type": "string"}}, "required": [%q]}}]`, name, server, parameter, parameter))
		fmt.Fprintf(&config, "  %s: {command: %q, args: [%q, %q], env: {%s: \"1\"}}\n", server, os.Args[0], file, calls, asToolStub)
	}
	write(filepath.Join(home, "config.yaml"), config.String())
	return home, calls
}

// headlineRuns are the three ways: the messages and model passes of each.
func headlineRuns() []struct {
	name, listing    string
	reject           bool
	messages, passes int
} {
	return []struct {
		name, listing    string
		reject           bool
		messages, passes int
	}{
		{"rejected and retried", "off", true, 9, 4},
		{"split", "off", false, 7, 3},
		{"split, signatures inlined", "auto", false, 5, 2},
	}
}

func headlineRun(t testing.TB, listing string, reject bool, latency time.Duration) (m *headlineModel, home, calls string, stop func()) {
	m = &headlineModel{latency: latency}
	var handler http.Handler = m
	if reject {
		handler = &rejecting{model: m}
	}
	server := httptest.NewServer(handler)
	home, calls = headlineHome(t, server.URL, listing)
	return m, home, calls, server.Close
}

// TestHeadline runs the real program with three servers against the same scripted
// model: what cost nine messages and four passes costs seven and three once the
// batch is split, and five and two where the signatures are told.
func TestHeadline(t *testing.T) {
	t.Parallel()
	for _, run := range headlineRuns() {
		t.Run(run.name, func(t *testing.T) {
			model, home, log, stop := headlineRun(t, run.listing, run.reject, 0)
			defer stop()
			out, err := hermes(t.Context(), home, "chat", "-q", "Skim these files and file a ticket", "--json").Output()
			if err != nil {
				t.Fatalf("%v\n%s%s", err, out, stderrOf(err))
			}
			if model.messages != run.messages || model.passes != run.passes {
				t.Errorf("%d messages and %d passes, want %d and %d\n%s", model.messages, model.passes, run.messages, run.passes, out)
			}
			called, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(called); strings.Count(text, "call read_file\n") != 1 || strings.Count(text, "call create_issue\n") != 1 || strings.Contains(text, "call log") {
				t.Errorf("the servers were called:\n%s", text)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			var done struct {
				Type, StopReason string
				Messages         int
				ModelPasses      int `json:"model_passes"`
			}
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &done); err != nil || done.Type != "done" {
				t.Fatalf("%v: %s", err, lines[len(lines)-1])
			}
			if !run.reject && (done.Messages != run.messages || done.ModelPasses != run.passes) {
				t.Errorf("the program counts %+v", done)
			}
		})
	}
}

func stderrOf(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return ""
}

// BenchmarkHeadline is the wall time of the three ways with a model that takes
// 300 ms for each pass, as whole processes.
func BenchmarkHeadline(b *testing.B) {
	program := built(b)
	for _, run := range headlineRuns() {
		b.Run(strings.ReplaceAll(run.name, " ", "-"), func(b *testing.B) {
			model, home, _, stop := headlineRun(b, run.listing, false, 300*time.Millisecond)
			defer stop()
			for b.Loop() {
				if run.reject {
					// The stand-in remembers one conversation.
					fresh, other, _, end := headlineRun(b, run.listing, true, 300*time.Millisecond)
					benchOnce(b, program, other)
					end()
					model = fresh
					continue
				}
				model.passes = 0
				benchOnce(b, program, home)
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/run")
			b.ReportMetric(float64(model.messages), "messages")
			b.ReportMetric(float64(model.passes), "passes")
		})
	}
}

func benchOnce(b *testing.B, program, home string) {
	b.Helper()
	cmd := exec.Command(program, "chat", "-q", "Skim these files and file a ticket")
	cmd.Env = append(os.Environ(), "HERMES_HOME="+home, "HOME="+filepath.Dir(home))
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
}
