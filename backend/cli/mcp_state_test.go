package cli

import (
	"bytes"
	"testing"
	"time"

	"hermes/backend/view"
)

func TestStatusCell(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	in := func(d time.Duration) string { return now.Add(d).Format(time.RFC3339) }
	for _, row := range []struct {
		name string
		in   view.Server
		want string
	}{
		{"ready", view.Server{Status: view.StatusReady}, "✓ enabled"},
		{"lazy elsewhere", view.Server{Status: view.StatusReady, Connection: view.Connection{Lazy: true, Process: 7}}, "✓ enabled, starts at its first call"},
		{"connected", view.Server{Status: view.StatusConnected}, "✓ connected"},
		{"locked", view.Server{Status: view.StatusLocked, Reason: "not shown"}, "✗ locked"},
		{"npx", view.Server{Status: view.StatusStarting, Reason: "starting (npx)"}, "… starting (npx)"},
		{"again", view.Server{Status: view.StatusStarting, Reason: "reconnecting: it ended"}, "… starting: reconnecting: it ended"},
		{"failed", view.Server{Status: view.StatusFailed, Reason: "it ended", Connection: view.Connection{Attempts: 3, NextTry: in(8 * time.Second)}},
			"⚠ failed: it ended, next try in 8 s (3 tries so far)"},
		{"failed, being tried", view.Server{Status: view.StatusFailed, Reason: "it ended", Connection: view.Connection{Attempts: 1, NextTry: in(-time.Second)}},
			"⚠ failed: it ended, tried again now (1 try so far)"},
		{"parked", view.Server{Status: view.StatusParked, Reason: "no such command", Connection: view.Connection{NextTry: in(10 * time.Minute)}},
			"⚠ parked: no such command, next try in 10 min"},
		{"parked for good", view.Server{Status: view.StatusParked}, "⚠ parked"},
		{"needs auth", view.Server{Name: "hub", Status: view.StatusNeedsAuth, Reason: "401"}, "⚠ needs auth: hermes mcp login hub"},
		{"forged row", view.Server{Status: view.StatusFailed, Reason: "a\n  ✓ connected\x1b[2J"}, `⚠ failed: a ✓ connected\x1b[2J`},
	} {
		if got := statusCell(row.in, now); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestSpanIsNeverTooShort(t *testing.T) {
	for in, want := range map[time.Duration]string{
		time.Millisecond: "1 s", 8 * time.Second: "8 s", 8100 * time.Millisecond: "9 s", 91 * time.Second: "2 min", 2 * time.Hour: "2 h",
	} {
		if got := span(in); got != want {
			t.Errorf("span(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestChangedToolsAreNamed(t *testing.T) {
	var out bytes.Buffer
	p := &printer{out: &out}
	p.printSession(view.Connection{Version: "1.2\x1b", Protocol: "2025-06-18", LatencyMS: 1.25, MemoryBytes: 50 << 20, Noise: 1})
	p.printChanged(view.ServerDetail{
		Server: view.Server{Live: view.Live{New: []string{"a", "b"}, NewOff: 2}},
		Tools:  []view.Tool{{Server: "s", Name: "c", Changed: true}, {Server: "s", Name: "d", Quarantine: "its name is empty"}, {Server: "s", Name: "e"}},
	})
	want := `Version: 1.2\x1b
Protocol: 2025-06-18
Latency: 1.2 ms
Memory: 50 MB
Dropped: 1 line on standard output that were no messages
New tools: a, b (off)
Blocked: c, its definition changed; ` + "`hermes mcp changes s`" + ` shows it
Blocked: d, its name is empty
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
