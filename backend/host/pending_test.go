package host

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes/backend/mcp"
	"hermes/backend/registry"
)

// busyFile writes a file again and again until the test ends.
func busyFile(t *testing.T, path string, text func(n int) string) {
	t.Helper()
	stop := make(chan struct{})
	var writing sync.WaitGroup
	first := make(chan struct{})
	writing.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			if err := os.WriteFile(path, []byte(text(n)), 0o600); err != nil {
				t.Error(err)
			}
			if n == 0 {
				close(first)
			}
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	})
	<-first
	t.Cleanup(func() {
		close(stop)
		writing.Wait()
	})
}

// After a lock no door lets a call through, whatever keeps being written, and
// the server stops.
func TestLockWhileFilesKeepChanging(t *testing.T) {
	for _, busy := range []string{".env", "config.yaml"} {
		t.Run(busy, func(t *testing.T) {
			peer := newSlowPeer(t)
			peer.letGo()
			h := peer.hostOf(t, "finish")
			if err := h.Watch(); err != nil {
				t.Fatal(err)
			}
			entries := h.GatewayTools().Entries()
			if len(entries) != 1 {
				t.Fatalf("%+v", entries)
			}
			entry := entries[0]
			locked := "mcp_servers:\n  slow:\n    url: " + peer.url + "\n    tools: {include: []}\n"
			if busy == ".env" {
				busyFile(t, h.Home().Env(), func(n int) string { return fmt.Sprintf("A=%d\n", n) })
				if err := os.WriteFile(h.Home().Config(), []byte(locked), 0o600); err != nil {
					t.Fatal(err)
				}
			} else {
				busyFile(t, h.Home().Config(), func(n int) string { return locked + strings.Repeat("# again\n", n%50) })
			}
			doors := doorsOf(t, h, entry)
			h.Glance(t.Context())
			for name, open := range doors {
				if open() {
					t.Errorf("%s lets the call through", name)
				}
			}
			if len(peer.began) > 0 {
				t.Errorf("%d calls reached the server", len(peer.began))
			}
			eventually(t, "the server stops", func() bool { return h.Status("slow").State == mcp.StateLocked })
		})
	}
}

// doorsOf are the ways to a tool, each telling whether it is open.
func doorsOf(t *testing.T, h *Host, entry registry.Entry) map[string]func() bool {
	return map[string]func() bool{
		"gateway": func() bool { return !h.GatewayTools().Call(t.Context(), entry.Public, nil, nil).IsError },
		"list":    func() bool { return len(h.GatewayTools().Entries()) > 0 },
		"find": func() bool {
			_, denial := (&tools{host: h}).find(entry.Public, "{}")
			return denial == nil
		},
		"run": func() bool {
			_, err := h.call(t.Context(), entry, []byte("{}"))
			return err == nil
		},
		"admit": func() bool { return h.admit("slow", entry.Tool, nil) != errLockedBefore && h.refused(entry) == "" },
	}
}
