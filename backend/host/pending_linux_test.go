package host

import (
	"os"
	"testing"

	"hermes/backend/mcp"
)

// A lock that somebody is still writing closes every door and every list before
// the server stops; a restriction that was never finished opens them again.
func TestLockThatIsStillBeingWritten(t *testing.T) {
	peer := newSlowPeer(t)
	peer.letGo()
	h := peer.hostOf(t, "finish")
	if err := h.Watch(); err != nil {
		t.Fatal(err)
	}
	entry := h.GatewayTools().Entries()[0]
	before, err := os.ReadFile(h.Home().Config())
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(h.Home().Config(), os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("mcp_servers:\n  slow:\n    url: " + peer.url + "\n    tools: {include: []}\n"); err != nil {
		t.Fatal(err)
	}
	h.Glance(t.Context())
	if h.file.Pending() == nil {
		t.Fatal("the lock is in force already, so this test shows nothing")
	}
	for name, open := range doorsOf(t, h, entry) {
		if open() {
			t.Errorf("%s lets the call through", name)
		}
	}
	if state := h.Status("slow").State; state != mcp.StateConnected {
		t.Errorf("the server is %s while the file is still being written", state)
	}
	if err := file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(before, 0); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the list is as it was", func() bool { return len(h.GatewayTools().Entries()) == 1 })
}
