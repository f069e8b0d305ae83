package host

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/approval"
	"hermes/backend/gateway"
)

// requester is a server whose tools ask its client: `ask` a person, `complete`
// the model. What came back is the tool's result.
func requester(t *testing.T) string {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "requester", Version: "1"}, nil)
	type nothing struct{}
	sdk.AddTool(server, &sdk.Tool{Name: "ask"}, func(ctx context.Context, request *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		result, err := request.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which colour?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"colour":{"type":"string","enum":["red","blue"]}},"required":["colour"]}`)})
		return came(result, err), nil, nil
	})
	sdk.AddTool(server, &sdk.Tool{Name: "complete"}, func(ctx context.Context, request *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		result, err := request.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 9, SystemPrompt: "Be brief.", Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Which colour?"}}}})
		return came(result, err), nil, nil
	})
	peer := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(peer.Close)
	return peer.URL
}

func came(result any, err error) *sdk.CallToolResult {
	text := fmt.Sprint("error: ", err)
	if err == nil {
		raw, _ := json.Marshal(result)
		text = string(raw)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// served starts a host with that server under an entry, and the model beside it.
func served(t *testing.T, e *endpoint, entry string) *Host {
	t.Helper()
	h := quietHost(t, fmt.Sprintf("mcp_servers:\n  demo: {url: %q%s}\nmodel: {provider: openai, default: usual, base_url: %q, api_key: test-key-of-no-worth}\n", requester(t), entry, e.URL), nil)
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	if missing := h.Wait(t.Context()); len(missing) > 0 {
		t.Fatalf("%s is missing: %+v", missing, h.Status("demo"))
	}
	h.refresh()
	return h
}

func call(t *testing.T, h *Host, tool string) gateway.Result {
	t.Helper()
	return h.GatewayTools().Call(t.Context(), "mcp__demo__"+tool, nil, nil)
}

// TestServerRequests lets a real session ask: what is allowed is answered, what
// is not never reaches a person or the model.
func TestServerRequests(t *testing.T) {
	for name, test := range map[string]struct {
		entry            string
		asked, completed string
	}{
		"open, nothing written":  {"", `"action":"cancel"`, "error"},
		"sampling is written on": {", sampling: true", `"action":"cancel"`, `"text":"Blue."`},
		"a whitelist":            {", tools: {include: [ask, complete]}", "error", "error"},
		"a whitelist, both on":   {", tools: {include: [ask, complete]}, sampling: true, elicitation: true", `"action":"cancel"`, `"text":"Blue."`},
		"both off":               {", sampling: false, elicitation: false", "error", "error"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t)
			h := served(t, e, test.entry)
			signals := h.Subscribe(t.Context())
			if got := call(t, h, "ask"); !strings.Contains(got.Text, test.asked) {
				t.Errorf("ask: %+v, want %s", got, test.asked)
			}
			if got := call(t, h, "complete"); !strings.Contains(got.Text, test.completed) {
				t.Errorf("complete: %+v, want %s", got, test.completed)
			}
			if (test.completed != "error") != (len(e.bodies) > 0) {
				t.Errorf("the model was asked %d times", len(e.bodies))
			}
			for len(signals) > 0 {
				if s := <-signals; s.Topic == TopicQuestions {
					t.Error("a question was open although nobody listens")
				}
			}
		})
	}
}

// TestServerAsksAPerson answers the question of a real session, and locks another
// one away.
func TestServerAsksAPerson(t *testing.T) {
	h := served(t, newEndpoint(t), "")
	defer h.Attend()()
	signals := h.Subscribe(t.Context())
	wait := func() approval.Question {
		for s := range signals {
			if open := h.Questions(); s.Topic == TopicQuestions && len(open) == 1 {
				return open[0]
			}
		}
		t.Fatal("no question came")
		return approval.Question{}
	}
	results := make(chan gateway.Result, 1)
	go func() { results <- h.GatewayTools().Call(t.Context(), "mcp__demo__ask", nil, nil) }()
	if ok, err := h.Answer(wait().ID, approval.Answer{Action: approval.ActionAccept, Content: json.RawMessage(`{"colour":"blue"}`)}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if got := <-results; !strings.Contains(got.Text, `"colour":"blue"`) {
		t.Errorf("the server got %+v", got)
	}
	go func() { results <- h.GatewayTools().Call(t.Context(), "mcp__demo__ask", nil, nil) }()
	wait()
	rewrite(t, h, "mcp_servers: {}\n")
	h.Reload()
	if got := <-results; strings.Contains(got.Text, "colour") || len(h.Questions()) != 0 {
		t.Errorf("the server got %+v, open: %+v", got, h.Questions())
	}
}
