package gateway

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestCallOfWhatIsNotOffered asks the door: it waits for a server that starts, or
// says why the tool is not there. What nobody knows is the protocol's error.
func TestCallOfWhatIsNotOffered(t *testing.T) {
	o := &offer{result: Result{Text: "the server is starting", IsError: true}, away: map[string]bool{"late": true}}
	o.set("a")
	_, session := connect(t, o, func() {})
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "late", Arguments: map[string]any{"n": 1}})
	if err != nil || !result.IsError || result.Content[0].(*mcp.TextContent).Text != "the server is starting" {
		t.Errorf("away: %+v, %v", result, err)
	}
	o.result = Result{Raw: json.RawMessage(`{"content":[],"structuredContent":{"n":9007199254740993}}`)}
	if result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "late"}); err != nil || result.IsError || result.StructuredContent == nil {
		t.Errorf("there by now: %+v, %v", result, err)
	}
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nobody's"})
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) || answer.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("unknown: %v", err)
	}
}

// TestListIsPrivate: what is offered depends on whose file it is.
func TestListIsPrivate(t *testing.T) {
	o := &offer{}
	o.set("a")
	_, session := connect(t, o, func() {})
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || list.CacheScope != "private" {
		t.Errorf("%+v, %v", list, err)
	}
}
