package host

import (
	"slices"
	"testing"

	"hermes/backend/config"
)

// TestReplacedServerIsTold: another address under a server's name is another
// server, and nobody has looked at its tools.
func TestReplacedServerIsTold(t *testing.T) {
	entry := func(p *slowPeer) string { return "mcp_servers:\n  slow:\n    url: " + p.url + "\n" }
	first, second := newSlowPeer(t), newSlowPeer(t)
	h, _ := following(t, entry(first))
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first one is offered", func() bool { return offered(h, "mcp__slow__wait") })
	replaced := func() bool {
		return slices.ContainsFunc(h.Notices(), func(p config.Problem) bool {
			return p.Code == CodeReplaced && p.Message == "slow is another program now: its tool is met anew"
		})
	}
	if replaced() || h.Marks("slow")["wait"].New {
		t.Errorf("the first one: %+v", h.Notices())
	}
	save(t, h.Home().Config(), entry(second))
	h.Reload()
	eventually(t, "the other one is told", replaced)
	eventually(t, "its tool is new", func() bool { return h.Marks("slow")["wait"].New })
	if store, key, ok := h.Pins("slow"); !ok {
		t.Error("it has no pins")
	} else if _, added := store.Changes(key); !slices.Equal(added, []string{"wait"}) {
		t.Errorf("new: %v", added)
	}
}
