package host

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/message"
	"hermes/backend/registry"
)

// oddPeer is a server whose one tool has parameters that vendors refuse.
func oddPeer(t *testing.T) *peer {
	p := &peer{}
	schema := json.RawMessage(`{"type":"object","properties":{"$filter":{"type":"string"},"page size":{"type":"integer"},"rows":{"type":"array","items":{"type":"object","properties":{"@id":{"type":"string"}},"required":["@id"],"additionalProperties":false}}},"required":["$filter"],"additionalProperties":false}`)
	server := mcp.NewServer(&mcp.Implementation{Name: "odd", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "list", Description: "Lists rows.", InputSchema: schema}, func(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sent = append(p.sent, "list "+string(request.Params.Arguments))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	})
	listener := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	t.Cleanup(listener.Close)
	p.url = listener.URL
	return p
}

// servers puts a configuration with two servers into the scene's home.
func (s *scene) servers(web, notes string) {
	s.t.Helper()
	text := fmt.Sprintf("mcp_servers:\n  web: %s\n  notes: %s\nmodel: {provider: openai, default: scripted, base_url: %q, api_key: test-key-of-no-worth}\n", web, notes, s.model)
	if err := os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// TestDirectAndBlindCalls: a deferred tool is called by its name without the bridge,
// and blind; what does not fit is answered with the schema and not sent. The server
// gets its own names of parameters, whichever the model wrote.
func TestDirectAndBlindCalls(t *testing.T) {
	s := newScene(t)
	s.web = oddPeer(t)
	s.servers(fmt.Sprintf("{url: %q}", s.web.url), fmt.Sprintf("{url: %q}", s.note.url))
	h := s.open()
	const name = "mcp__web__list"
	got := s.say(h, Turn{}, s.never, []scripted{
		{name, `{"_filter":"a","page_size":"7"}`},
		batch(name + ` {"$filter":"b","rows":[{"_id":"1"}]}`),
		batch(name + ` {"page_size":1}`),
		{"list", `{"_filter":"c","rows":[{"@id":"2"}]}`},
		{name, `{"_filter":"d","$filter":"e"}`},
	})
	s.check("odd names", got, "ok ok error ok error",
		`list {"$filter":"a","page size":7}; list {"$filter":"b","rows":[{"@id":"1"}]}; list {"$filter":"c","rows":[{"@id":"2"}]}`, "")
	for _, want := range []string{"is missing required argument(s): _filter. The tool was NOT invoked.", `"properties":{"_filter":{"type":"string"},"page_size"`, "given twice"} {
		if !strings.Contains(strings.Join(got.contents, "\n"), want) {
			t.Errorf("nothing says %s: %s", want, strings.Join(got.contents, "\n"))
		}
	}
}

// TestEveryDoorAsksThePolicy goes to a denied tool through every door there is, and
// counts what reached its server: nothing.
func TestEveryDoorAsksThePolicy(t *testing.T) {
	s := newScene(t)
	s.servers(fmt.Sprintf("{url: %q}", s.web.url), fmt.Sprintf("{url: %q, tools: {include: [read]}}", s.note.url))
	h := s.open()
	const name = "mcp__notes__send"
	doors := []scripted{
		{name, `{}`}, batch(name + ` {}`), batch(name+` {}`, name+` {"text":"x"}`), {"MCP__Notes__Send", `{}`},
		{message.NameToolCall, `{"name":"` + name + `"}`}, {message.NameToolCall, `{"calls":"[{\"name\":\"` + name + `\"}]"}`},
		batch(name+` {}`, `mcp__notes__read {}`),
	}
	got := s.say(h, Turn{Yolo: true}, s.never, doors)
	refused := strings.Count(" "+got.statuses+" ", " denied") + strings.Count(" "+got.statuses+" ", " error")
	if calls := len(strings.Fields(got.statuses)); calls != 9 || refused != calls-1 {
		t.Errorf("%d of %d calls were refused: %s", refused, calls, got.statuses)
	}
	if sent := s.note.took(); sent != "read {}" {
		t.Errorf("the server got %s", sent)
	}
	looks := s.say(h, Turn{}, s.never, []scripted{{message.NameToolSearch, `{"queries":["send"]}`}, {message.NameToolDescribe, `{"names":["` + name + `"]}`}})
	for _, answer := range looks.contents {
		if strings.Contains(answer, `"`+name+`":`) || strings.Contains(answer, `"matches":["`+name) {
			t.Error(answer)
		}
	}
	for _, mode := range []string{registry.ModeAuto, registry.ModeOff} {
		o := registry.DefaultOptions()
		o.Mode = mode
		for _, def := range h.Catalog().ModelTools(o) {
			if strings.Contains(def.Name+def.Description, name) {
				t.Errorf("%s offers it", mode)
			}
		}
	}
	foreign := h.GatewayTools()
	for _, entry := range foreign.Entries() {
		if entry.Public == name {
			t.Error("the gateway offers it")
		}
	}
	for _, asked := range []string{name, "connectors__mail__send"} {
		if result := foreign.Call(t.Context(), asked, nil, nil); !result.IsError {
			t.Errorf("the gateway calls %s: %+v", asked, result)
		}
	}
	s.check("afterwards", s.say(h, Turn{}, s.never), "", "", "")
}

// TestTheListingFitsTheWindow: threshold_pct is a share of the model's window.
func TestTheListingFitsTheWindow(t *testing.T) {
	h := demoHost(t, nil)
	size := func(window int) int {
		defs := (&tools{host: h, offer: &offer{}, window: window}).Definitions()
		return len(defs[0].Description)
	}
	if wide, unknown, narrow := size(200_000), size(0), size(2000); wide != unknown || narrow >= wide {
		t.Errorf("a wide window gives %d, an unknown one %d, a narrow one %d", wide, unknown, narrow)
	}
}
