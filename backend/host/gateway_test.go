package host

import (
	"strings"
	"testing"
	"time"
)

// TestListWaitsOnceForAServer: a server that hangs holds up the lists of its
// first moments, and a new one has its own.
func TestListWaitsOnceForAServer(t *testing.T) {
	const old, added = "  a: {command: x}\n  locked: {command: x, tools: {include: []}}\n", "  b: {command: x}\n"
	h, _ := following(t, "mcp: {start_wait: 10}\nmcp_servers:\n"+old)
	g := h.GatewayTools().(*gatewayTools)
	begin := time.Now()
	look := func(after time.Duration, want string, wait time.Duration) {
		t.Helper()
		names, until := g.awaited(begin.Add(after))
		if strings.Join(names, " ") != want || len(names) > 0 && !until.Equal(begin.Add(wait)) {
			t.Errorf("after %s it waits for %v, %s", after, names, until.Sub(begin))
		}
	}
	look(0, "a", 10*time.Second)
	look(9*time.Second, "a", 10*time.Second)
	look(10*time.Second, "", 0)
	save(t, h.Home().Config(), "mcp: {start_wait: 10}\nmcp_servers:\n"+old+added)
	h.Reload()
	look(20*time.Second, "b", 30*time.Second)
	look(30*time.Second, "", 0)
}

// TestGatewayCallOfAServerThatStarts waits for it.
func TestGatewayCallOfAServerThatStarts(t *testing.T) {
	p := newSlowPeer(t)
	p.letGo()
	h, _ := following(t, "mcp_servers:\n  slow:\n    url: "+p.url+"\n")
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	result := h.GatewayTools().Call(t.Context(), "mcp__slow__wait", nil, nil)
	if result.IsError || result.Text != "let go" {
		t.Errorf("%+v", result)
	}
}

// TestGatewayCallSaysWhy tells what is away, and nothing of what the rules deny.
func TestGatewayCallSaysWhy(t *testing.T) {
	p := newSlowPeer(t)
	h, _ := following(t, "mcp_servers:\n  gone: {command: no-such-program}\n  locked: {command: x, tools: {include: []}}\n  slow: {url: '"+p.url+"', tools: {exclude: [wait]}}\n")
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	g := h.GatewayTools()
	g.Ready(t.Context())
	for name, reason := range map[string]string{
		"mcp__gone__any":    "no-such-program",
		"mcp__locked__any":  "",
		"mcp__slow__wait":   "",
		"mcp__slow__nobody": "",
		"mcp__nobody__any":  "",
		"wait":              "",
	} {
		result := g.Call(t.Context(), name, nil, nil)
		if !result.IsError || result.Unknown != (reason == "") || !result.Unknown && !strings.Contains(result.Text, reason) {
			t.Errorf("%s: %+v", name, result)
		}
	}
}
