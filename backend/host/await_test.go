package host

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"hermes/backend/message"
)

// TestSilentServerHoldsUpItsOwnCallsAlone asks both doors for tools of a server that
// never answers and of one that does: the turn's door says at once whom a call waits
// for, a client's call of the other server is answered while one of the silent server
// waits, and the end of the wait sends nothing.
func TestSilentServerHoldsUpItsOwnCallsAlone(t *testing.T) {
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(release); silent.CloseClientConnections(); silent.Close() })
	p := newSlowPeer(t)
	p.letGo()
	h, _ := following(t, "mcp_servers:\n  slow:\n    url: "+p.url+"\n  silent_one:\n    url: "+silent.URL+"\n")
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	h.waitFor(t.Context(), "slow")
	door := &tools{host: h}
	target, denial := door.Resolve(message.ToolCall{Name: "mcp__silent_one__write", Arguments: `{"a":1}`})
	if target.Awaits != "silent_one" || target.Server != "silent_one" || target.Tool != "write" || target.Arguments != `{"a":1}` || target.Handle != nil || denial == nil {
		t.Errorf("got %+v, %+v", target, denial)
	}
	if target, denial := door.Resolve(message.ToolCall{Name: "mcp__slow__wait", Arguments: "{}"}); target.Awaits != "" || denial != nil {
		t.Errorf("got %+v, %+v", target, denial)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan string, 1)
	go func() { ended <- h.GatewayTools().Call(ctx, "mcp__silent_one__write", nil, nil).Text }()
	if got := h.GatewayTools().Call(t.Context(), "mcp__slow__wait", nil, nil); got.IsError {
		t.Errorf("got %+v", got)
	}
	select {
	case text := <-ended:
		t.Fatalf("the call of the silent server ended: %s", text)
	default:
	}
	stop()
	if text := <-ended; text != "the MCP server silent_one is not connected right now (starting); nothing was sent. starting" {
		t.Errorf("got %q", text)
	}
}
