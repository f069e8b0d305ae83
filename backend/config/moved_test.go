package config

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// Whoever is told that nothing moved since the latest reading may rely on what that
// denies: it is pending or in force by then.
func TestNothingMovedBeforeItCounts(t *testing.T) {
	dir := t.TempDir()
	f := Open(Home{Dir: dir}, Options{Getenv: func(string) string { return "" }})
	// Long enough that reading it takes a moment.
	text := func(tools string, n int) string {
		var b strings.Builder
		b.WriteString("mcp_servers:\n  demo: {command: x" + tools + "}\n")
		for i := range 300 {
			fmt.Fprintf(&b, "  other%d: {command: y, args: [%d]}\n", i, n)
		}
		return b.String()
	}
	put := func(text string) {
		t.Helper()
		next := dir + "/next"
		if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, f.home.Config()); err != nil {
			t.Fatal(err)
		}
	}
	denies := func() bool {
		for _, snap := range []*Snapshot{f.Pending(), f.Current()} {
			if snap == nil {
				continue
			}
			if server, ok := snap.Server("demo"); ok && server.Rules.Locked() {
				return true
			}
		}
		return false
	}
	for n := range 20 {
		put(text("", n))
		f.Load()
		put(text(", tools: {include: []}", n))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			f.ReloadMoving(time.Millisecond)
		}()
		for over := false; !over; {
			select {
			case <-ended:
				over = true
			default:
			}
			if !f.Moved(false) && !denies() {
				t.Fatalf("round %d: nothing moved, and the lock is neither pending nor in force", n)
			}
		}
	}
}
