package host

import "testing"

// TestWaitedForToolsAreOffered wants the tools of a server in the catalogue as
// soon as the wait for it is over: the first request to a model is built then.
func TestWaitedForToolsAreOffered(t *testing.T) {
	p := newSlowPeer(t)
	h, _ := following(t, "mcp_servers:\n  slow:\n    url: "+p.url+"\n")
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	if missing := h.Wait(t.Context()); len(missing) > 0 {
		t.Fatalf("missing %v", missing)
	}
	if !offered(h, "mcp__slow__wait") {
		t.Error("the server is connected and its tool is not offered")
	}
}
