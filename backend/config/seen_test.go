package config

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// In the middle of a save nothing counts that is not read twice, a pause apart:
// not what takes away, and no fault.
func TestNothingIsTakenWhileTheFileMoves(t *testing.T) {
	const pause = 120 * time.Millisecond
	for name, c := range map[string]struct{ cut, whole string }{
		"cut":    {"mcp_servers:\n  demo: {command: x, tools: {include: []}}\n", loosened + "  two: {command: y}\n"},
		"broken": {loosened + "x: [", loosened + "  two: {command: y}\n"},
		"empty":  {"", loosened + "  two: {command: y}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := home(t, loosened+"  two: {command: y}\n")
				f := Open(h, Options{Getenv: env()})
				first := f.Load()
				if _, changed := f.ReloadMoving(pause); changed {
					t.Error("nothing changed")
				}
				start := time.Now()
				put(t, h.Config(), c.cut)
				time.AfterFunc(pause/2, func() { put(t, h.Config(), c.whole) })
				if s, changed := f.ReloadMoving(pause); changed || s != first || !f.Settled() {
					t.Errorf("changed %v: %+v", changed, s.Problems)
				}
				if took := time.Since(start); took < pause {
					t.Errorf("took %v", took)
				}
				// What stays is taken.
				put(t, h.Config(), locked)
				if s, changed := f.ReloadMoving(pause); !changed || !server(t, s, "demo").Rules.Locked() {
					t.Errorf("changed %v", changed)
				}
			})
		})
	}
}

// Moved costs nothing where nothing happened, and finds a file that was replaced
// by one of the same size and time.
func TestMoved(t *testing.T) {
	h := home(t, demo)
	f := Open(h, Options{Getenv: env()})
	if f.Moved(false) {
		t.Error("moved before the first reading")
	}
	f.Load()
	if f.Moved(false) || f.Moved(true) || !f.Settled() {
		t.Error("moved although nothing happened")
	}
	other := strings.Replace(demo, "[read_file", "[read_fild", 1)
	put(t, h.Config(), other)
	if !f.Moved(false) || !f.Moved(true) {
		t.Error("another content of the same size right after the reading is not seen")
	}
	f.Reload()
	info, err := os.Stat(h.Config())
	if err != nil {
		t.Fatal(err)
	}
	put(t, h.Config()+".new", demo)
	if err := os.Chtimes(h.Config()+".new", info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(h.Config()+".new", h.Config()); err != nil {
		t.Fatal(err)
	}
	if !f.Moved(false) {
		t.Error("a file of the same size and time is not seen")
	}
	f.Reload()
	for name, change := range map[string]func() error{
		"env":     func() error { return os.WriteFile(h.Env(), []byte("A=1\n"), 0o600) },
		"removed": func() error { return os.Remove(h.Config()) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if !f.Moved(false) {
			t.Errorf("%s: not seen", name)
		}
		if f.Reload(); f.Moved(false) {
			t.Errorf("%s: still moved after the reading", name)
		}
	}
	old := time.Now().Add(-time.Hour)
	put(t, h.Config(), demo)
	f.Reload()
	if err := os.Chtimes(h.Config(), old, old); err != nil {
		t.Fatal(err)
	}
	if f.Moved(false) {
		t.Error("a touch is taken for a change")
	}
}

// An endless writer leaves the state unsettled, so that it is asked again.
func TestUnreadableIsUnsettled(t *testing.T) {
	h := home(t, demo)
	f := quick(t, h)
	if err := os.Remove(h.Config()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(h.Config(), 0o700); err != nil {
		t.Fatal(err)
	}
	if s, _ := f.Reload(); !s.Broken || f.Settled() {
		t.Errorf("settled %v: %+v", f.Settled(), s.Problems)
	}
	if f.Moved(false) {
		t.Error("what cannot be read is the same as before")
	}
	if err := os.Remove(h.Config()); err != nil {
		t.Fatal(err)
	}
	put(t, h.Config(), demo)
	if !f.Moved(false) {
		t.Error("it can be read again, and that is not seen")
	}
	if s, _ := f.Reload(); s.Broken || !f.Settled() {
		t.Errorf("settled %v: %+v", f.Settled(), s.Problems)
	}
}
