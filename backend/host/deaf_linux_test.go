package host

import (
	"os"
	"strings"
	"testing"
)

// TestDeafnessIsToldOnce puts `.env` on a file system that tells of nothing.
func TestDeafnessIsToldOnce(t *testing.T) {
	h, said := following(t, page1("a"))
	if err := os.Symlink("/proc/version", h.Home().Env()); err != nil {
		t.Fatal(err)
	}
	if err := h.Watch(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		h.watcher.Look(t.Context())
	}
	p := <-said
	if p.Code != CodeDeaf || !strings.Contains(p.Message, "(proc)") || p.Hint == "" || len(said) != 0 {
		t.Errorf("%+v, and %d more", p, len(said))
	}
	if n := h.Notices(); len(n) != 1 || n[0].Code != CodeDeaf {
		t.Errorf("%+v", n)
	}
	if err := os.Remove(h.Home().Env()); err != nil {
		t.Fatal(err)
	}
	h.watcher.Look(t.Context())
	if n := h.Notices(); len(n) != 0 {
		t.Errorf("still told: %+v", n)
	}
}
