//go:build unix

package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServerThatBecameNewestOnly: a server that was met as an older one, here or
// in an earlier run, is replaced by one that knows no handshake, and is reached.
func TestServerThatBecameNewestOnly(t *testing.T) {
	for _, fault := range []string{"newest-only", "newest-only-ends"} {
		t.Run(fault, func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "server")
			write := func(fault string) {
				text := "#!/bin/sh\nexec '" + os.Args[0] + "' __server " + fault + "\n"
				if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			w := stdioWant("s")
			w.conn.Command = script
			write("plain")
			m := testManager(t, Options{}, quickTiming())
			before := connect(t, m, w)
			write(fault)
			kill(t, before.PID)
			waitUntil(t, m, "s", func(s Status) bool { return s.State == StateConnected && s.Protocol == firstModern })

			modern := false
			later := testManager(t, Options{
				Modern:   func(string) (bool, bool) { return false, true },
				OnModern: func(_ string, now bool) { modern = now },
			}, quickTiming())
			if status := connect(t, later, w); status.Protocol != firstModern || !modern || starts(later, "s") != 2 {
				t.Errorf("status %+v, remembered as newest %v; log %q", status, modern, later.Log("s"))
			}
		})
	}
}

// TestRefusedHandshakeIsSaid keeps the server's own words, and how it ended
// after them, also where the older protocol was remembered.
func TestRefusedHandshakeIsSaid(t *testing.T) {
	for name, o := range map[string]Options{
		"first met":  {},
		"remembered": {Modern: func(string) (bool, bool) { return false, true }},
	} {
		t.Run(name, func(t *testing.T) {
			timing := quickTiming()
			timing.drain = 10 * time.Second // how it ended is waited for, however slow the machine
			m := testManager(t, o, timing)
			m.apply(wants(stdioWant("s", "__server", "licence")))
			status := waitUntil(t, m, "s", isStuck)
			if !strings.HasPrefix(status.Reason, "the server refused the handshake: licence expired (code -32000)") || !strings.Contains(status.Reason, "the process ended") {
				t.Errorf("reason %q", status.Reason)
			}
		})
	}
}
