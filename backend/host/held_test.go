package host

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// eventually asks until the answer is yes; what it waits for comes from the
// watcher.
func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !yes() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("never: " + what)
		}
	}
}

// TestRunningHostHolds deletes the key of a server, then the ledger, under a host
// that watches; and lets another process accept.
func TestRunningHostHolds(t *testing.T) {
	const locked = "mcp_servers:\n  demo: {command: no-such-program, tools: {include: []}}\n  list: {command: no-such-program, tools: {include: [a]}}\n"
	dir := t.TempDir()
	home := config.Home{Dir: dir}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(home.Config(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(locked)
	said := make(chan string, 100)
	h := New(Options{Home: home, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler), Notice: func(p config.Problem) { said <- p.Message }})
	t.Cleanup(func() { _ = h.Close() })
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	if err := h.Watch(); err != nil {
		t.Fatal(err)
	}
	held := func() bool {
		server, ok := h.Snapshot().Server("demo")
		return ok && server.Hold != nil
	}
	write(strings.Replace(locked, ", tools: {include: []}", "", 1))
	eventually(t, "the deleted key is held", held)
	eventually(t, "the hold is recorded", func() bool { _, err := os.Stat(home.Ledger()); return err == nil })
	if len(said) != 0 {
		t.Errorf("said to be opened: %s", <-said)
	}
	if err := os.Remove(home.Ledger()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the deleted ledger is there again", func() bool { _, err := os.Stat(home.Ledger()); return err == nil })
	if !held() {
		t.Error("forgotten with the ledger")
	}
	// What a present key says acts at once, and is told.
	write(strings.Replace(strings.Replace(locked, ", tools: {include: []}", "", 1), "[a]", "[a, b]", 1))
	eventually(t, "the name is allowed", func() bool {
		server, _ := h.Snapshot().Server("list")
		return server.Rules.Allows("b")
	})
	if line := <-said; line != "opened: list/b (config.yaml:3)" {
		t.Errorf("said %q", line)
	}
	if n := h.Notices(); len(n) != 1 || n[0].Code != config.CodeOpened {
		t.Errorf("%+v", n)
	}
	// Another process accepts.
	other := New(Options{Home: home, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler)})
	defer other.Close()
	if _, err := other.Apply(t.Context(), config.Edit{Server: "demo", Intent: policy.Intent{Action: policy.ActionOpen}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the grant of another process counts", func() bool { return !held() })
}
