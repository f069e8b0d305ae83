package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// gated is a home with one server that is not trusted, and a model that calls its
// tool once for each text, in one batch.
type gated struct {
	home string

	mu   sync.Mutex
	sent []string
	told string // the results, as the model got them
}

func newGated(t *testing.T, more string, texts ...string) *gated {
	t.Helper()
	g := &gated{home: filepath.Join(t.TempDir(), "home")}
	server := mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "send"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
		Text string `json:"text"`
	}) (*mcp.CallToolResult, any, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.sent = append(g.sent, in.Text)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sent"}}}, nil, nil
	})
	peer := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	t.Cleanup(peer.Close)
	var entries []string
	for _, text := range texts {
		entry, err := json.Marshal(map[string]any{"name": "mcp__web__send", "arguments": map[string]string{"text": text}})
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, string(entry))
	}
	batch, err := json.Marshal(`{"calls":[` + strings.Join(entries, ",") + `]}`)
	if err != nil {
		t.Fatal(err)
	}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct {
				Role    string
				Content any
			}
		}
		_ = json.NewDecoder(r.Body).Decode(&body) // a body that is none holds no results
		w.Header().Set("Content-Type", "text/event-stream")
		if body.Messages[len(body.Messages)-1].Role != "tool" {
			fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"tool_call","arguments":%s}}]}}]}`+"\n\n", batch)
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
			return
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.told = ""
		for _, m := range body.Messages {
			if m.Role == "tool" {
				g.told += fmt.Sprintln(m.Content)
			}
		}
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"It is done."}}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	writeFile(t, filepath.Join(g.home, "config.yaml"), fmt.Sprintf("mcp_servers:\n  web: {url: %q, trust: untrusted}\nmodel: {provider: openai, default: scripted, base_url: %q, api_key: test-key-of-no-worth}\n%s", peer.URL, model.URL, more))
	return g
}

// became wants what reached the server, in any order, and words the model read.
func (g *gated) became(t *testing.T, sent, told string) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	slices.Sort(g.sent)
	if got := strings.Join(g.sent, " "); got != sent || !strings.Contains(g.told, told) {
		t.Errorf("the server got %q, want %q; the model was told %q, want %q", got, sent, g.told, told)
	}
	g.sent = nil
}

// TestApprovalInATerminal answers the card of a batch in `hermes chat -q`.
func TestApprovalInATerminal(t *testing.T) {
	t.Parallel()
	g := newGated(t, "", "a", "b\u202e", "c")
	p := sit(t, g.home, "chat", "-q", "go")
	p.reads("3 calls wait for your answer.").reads("1 of 3  web/send").reads("because").reads("not trusted").reads(`"text": "a"`)
	p.reads("Allow web/send?").types("o\n").reads("2 of 3").reads(`\u202e`).reads("Allow web/send?").types("\n").reads("Reason for the model").types("not that one\n")
	p.reads("3 of 3").reads("Allow web/send?").types("a\n").reads("Answered: web/send allowed (once), web/send denied, web/send allowed (always).").reads("It is done.")
	p.leaves(0)
	g.became(t, "a c", "A person denied this call and said: not that one.")

	// What was said for good holds in the next program, also without a terminal.
	out, err := hermes(t.Context(), g.home, "chat", "-q", "go").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	g.became(t, "a b\u202e c", "sent")
	out, err = hermes(t.Context(), g.home, "mcp", "grants").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "web/send") || !strings.Contains(string(out), "always") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err = hermes(t.Context(), g.home, "tools", "list").CombinedOutput(); err != nil || !strings.Contains(string(out), "    send: always allowed (take it back with `hermes mcp grants revoke 1`)") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err = hermes(t.Context(), g.home, "tools", "list", "--json").CombinedOutput(); err != nil || !strings.Contains(string(out), `"scope": "always"`) {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err = hermes(t.Context(), g.home, "mcp", "grants", "revoke", "7").CombinedOutput(); err == nil || !strings.Contains(string(out), "no grant 7") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err = hermes(t.Context(), g.home, "mcp", "grants", "revoke", "1").CombinedOutput(); err != nil || !strings.Contains(string(out), "Nothing is granted") {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err = hermes(t.Context(), g.home, "chat", "-q", "go").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "nobody can be asked") {
		t.Fatalf("%v\n%s", err, out)
	}
	g.became(t, "", "nobody can be asked")
	if out, err = hermes(t.Context(), g.home, "chat", "-q", "go", "--yolo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	g.became(t, "a b\u202e c", "sent")
}

// TestApprovalEndsInATerminal leaves a card in every other way: all of them send
// nothing.
func TestApprovalEndsInATerminal(t *testing.T) {
	t.Parallel()
	t.Run("left", func(t *testing.T) {
		g := newGated(t, "", "a", "b")
		p := sit(t, g.home, "chat", "-q", "go")
		p.reads("Allow web/send?").types("o\n").reads("2 of 2").reads("Allow web/send?").types("\x04").reads("Declined.").reads("It is done.")
		p.leaves(0)
		g.became(t, "", "A person denied this call.")
	})
	t.Run("interrupted", func(t *testing.T) {
		g := newGated(t, "", "a", "b")
		p := sit(t, g.home, "chat", "-q", "go")
		p.reads("Allow web/send?").types("\x03")
		p.leaves(130)
		g.became(t, "", "")
	})
	t.Run("too late", func(t *testing.T) {
		g := newGated(t, "approvals: {timeout: 1}\n", "a", "b")
		p := sit(t, g.home, "chat", "-q", "go")
		p.reads("Allow web/send?").reads("The question is over.").reads("It is done.")
		p.leaves(0)
		g.became(t, "", "nobody answered within 1s")
	})
}
