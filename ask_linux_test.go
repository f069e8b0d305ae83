package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asker is a server whose one tool asks a person, and a model that calls it
// once. Outcomes are what became of the questions.
type asker struct {
	home string

	mu       sync.Mutex
	outcomes []string
}

func newAsker(t *testing.T, rules string) *asker {
	t.Helper()
	a := &asker{home: filepath.Join(t.TempDir(), "home")}
	server := mcp.NewServer(&mcp.Implementation{Name: "asker", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, func(ctx context.Context, request *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		result, err := request.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Which colour,\nand \u202ehow many?", RequestedSchema: json.RawMessage(
			`{"type":"object","properties":{"colour":{"type":"string","title":"Colour","enum":["red","blue"],"default":"red"},"count":{"type":"integer","title":"Count","default":3,"minimum":1,"maximum":5}},"required":["colour","count"]}`)})
		outcome := fmt.Sprint(err)
		if err == nil {
			content, _ := json.Marshal(result.Content)
			outcome = result.Action + " " + string(content)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.outcomes = append(a.outcomes, outcome)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "asked"}}}, nil, nil
	})
	peer := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(peer.Close)
	passes := 0
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		passes++
		w.Header().Set("Content-Type", "text/event-stream")
		if passes == 1 {
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mcp__asker__ask","arguments":"{}"}}]}}]}`+"\n\n")
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
			return
		}
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"It is done."}}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	writeFile(t, filepath.Join(a.home, "config.yaml"), fmt.Sprintf("mcp_servers:\n  asker: {url: %q%s}\nmodel: {provider: openai, default: scripted, base_url: %q, api_key: test-key-of-no-worth}\n", peer.URL, rules, model.URL))
	return a
}

// became wants the outcomes of all questions.
func (a *asker) became(t *testing.T, want string) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if got := strings.Join(a.outcomes, "; "); got != want {
		t.Errorf("the server was told %q, want %q", got, want)
	}
}

// TestQuestionInATerminal answers a server's question in `hermes chat -q`.
func TestQuestionInATerminal(t *testing.T) {
	t.Parallel()
	t.Run("accepted", func(t *testing.T) {
		a := newAsker(t, "")
		p := sit(t, a.home, "chat", "-q", "ask")
		p.reads("The server asker asks:").reads("Which colour,").reads(`and \u202ehow many?`).reads("Never type passwords").reads("Answer it?").types("a\n")
		p.reads("2  blue").reads("Colour").types("3\n").reads("from 1 to 2").types("2\n").reads("Count").types("9\n")
		p.reads("must be at most 5").reads("Answer it?").types("a\n").reads("Colour").types("2\n").reads("Count").types("4\n").reads("Sent.").reads("It is done.")
		p.leaves(0)
		a.became(t, `accept {"colour":"blue","count":4}`)
	})
	t.Run("as it is proposed", func(t *testing.T) {
		a := newAsker(t, "")
		p := sit(t, a.home, "chat", "-q", "ask")
		p.reads("Answer it?").types("accept\n").reads("Colour: one number [1]").types("\n").reads("Count [3]").types("\n").reads("Sent.").reads("It is done.")
		p.leaves(0)
		a.became(t, `accept {"colour":"red","count":3}`)
	})
	t.Run("declined", func(t *testing.T) {
		a := newAsker(t, "")
		p := sit(t, a.home, "chat", "-q", "ask", "--json")
		p.reads("Answer it?").types("\n").reads("Declined.").reads(`"stop_reason":"end"`)
		p.leaves(0)
		a.became(t, "decline null")
	})
	t.Run("left", func(t *testing.T) {
		a := newAsker(t, "")
		p := sit(t, a.home, "chat", "-q", "ask")
		p.reads("Answer it?").types("a\n").reads("Colour").types("\x04").reads("Declined.").reads("It is done.")
		p.leaves(0)
		a.became(t, "decline null")
	})
	t.Run("interrupted", func(t *testing.T) {
		a := newAsker(t, "")
		p := sit(t, a.home, "chat", "-q", "ask")
		p.reads("Answer it?").types("\x03")
		p.leaves(130)
	})
	t.Run("too late", func(t *testing.T) {
		a := newAsker(t, ", elicitation: {timeout: 1}")
		p := sit(t, a.home, "chat", "-q", "ask")
		p.reads("Answer it?").reads("The question is over.").reads("It is done.")
		p.leaves(0)
		a.became(t, "decline null")
	})
}

// TestQuestionWithoutATerminal cancels at once, and under a whitelist the server
// may not even ask.
func TestQuestionWithoutATerminal(t *testing.T) {
	t.Parallel()
	for rules, want := range map[string]string{
		"": "cancel null",
		", tools: {include: [ask]}, elicitation: true": "cancel null",
		", tools: {include: [ask]}":                    "client does not support elicitation",
		", elicitation: false":                         "client does not support elicitation",
	} {
		a := newAsker(t, rules)
		out, err := hermes(t.Context(), a.home, "chat", "-q", "ask").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "It is done.") {
			t.Fatalf("%s: %v\n%s", rules, err, out)
		}
		if want == "cancel null" && !strings.Contains(string(out), "nobody can be asked here") {
			t.Errorf("%s: nobody is told why: %s", rules, out)
		}
		a.became(t, want)
	}
}
