package host

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hermes/backend/config"
	"hermes/backend/watch"
)

// following is a host on a home with one server that allows one tool; said gets
// what a face is told.
func following(t *testing.T, text string) (*Host, chan config.Problem) {
	t.Helper()
	home := config.Home{Dir: t.TempDir()}
	if err := os.WriteFile(home.Config(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	said := make(chan config.Problem, 100)
	h := New(Options{Home: home, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler), Notice: func(p config.Problem) { said <- p }})
	t.Cleanup(func() { _ = h.Close() })
	return h, said
}

func page1(tool string) string {
	return "mcp_servers:\n  demo: {command: no-such-program, tools: {include: [" + tool + "]}}\n"
}

func allowed(h *Host, tool string) bool {
	server, ok := h.Snapshot().Server("demo")
	return ok && server.Rules.Allows(tool)
}

func save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestGlanceFindsWhatNoEventTold follows a file whose watcher hears nothing of
// it: only a glance finds the edit, at a turn, a call, a list.
func TestGlanceFindsWhatNoEventTold(t *testing.T) {
	h, _ := following(t, page1("a"))
	w, err := watch.Watch(h.ctx, filepath.Join(t.TempDir(), "elsewhere", "file"), watch.Options{}, h.look)
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock() // its first look may be under way
	h.watcher = w
	h.mu.Unlock()
	save(t, h.Home().Config(), page1("b"))
	for name, door := range map[string]func(){
		"glance": func() { h.Glance(t.Context()) },
		"list":   func() { h.GatewayTools().Ready(t.Context()) },
		"call":   func() { h.GatewayTools().Call(t.Context(), "mcp__demo__b", nil, nil) },
	} {
		before := h.Snapshot().Revision
		save(t, h.Home().Config(), page1("b")+"# "+name+"\n")
		if door(); h.Snapshot().Revision == before || !allowed(h, "b") || allowed(h, "a") {
			t.Errorf("%s: the edit is not in force", name)
		}
	}
	// A glance at a file that is as it was publishes nothing and asks for no look.
	if h.file.Moved(false) || h.file.Moved(true) {
		t.Error("moved although nothing happened")
	}
}

// TestGlanceWithoutAWatcher is for a face that only lists.
func TestGlanceWithoutAWatcher(t *testing.T) {
	h, _ := following(t, page1("a"))
	save(t, h.Home().Config(), page1("b"))
	if h.Glance(t.Context()); !allowed(h, "b") {
		t.Error("the edit is not in force")
	}
}

// TestBrokenFileIsSaidOnce breaks and repairs the file under a watching host: a
// face is told once with the place, and once that all is well.
func TestBrokenFileIsSaidOnce(t *testing.T) {
	h, said := following(t, page1("a"))
	if err := h.Watch(); err != nil {
		t.Fatal(err)
	}
	save(t, h.Home().Config(), page1("a")+"x: [\n")
	if p := <-said; p.Code != config.CodeBroken || p.Line == 0 || p.Column == 0 || p.File != h.Home().Config() {
		t.Errorf("%+v", p)
	}
	save(t, h.Home().Config(), page1("a")+"x: [\n# still\n")
	h.watcher.Look(t.Context())
	if !allowed(h, "a") || allowed(h, "b") {
		t.Error("a broken file changed the rules in force")
	}
	save(t, h.Home().Config(), page1("b"))
	for p := range said {
		if p.Code == config.CodeBroken {
			continue // the fault stands elsewhere now: another banner
		}
		if p.Code != "file.repaired" {
			continue // what the new file opens
		}
		break
	}
	if h.Snapshot().Broken || !allowed(h, "b") {
		t.Error("the repaired file is not in force")
	}
}

// TestUnreadableFileIsReadAgain has a reading fail and no event come after it: the
// next reading comes by itself.
func TestUnreadableFileIsReadAgain(t *testing.T) {
	h, said := following(t, page1("a"))
	path := h.Home().Config()
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	looks := 0
	w, err := watch.Watch(h.ctx, filepath.Join(t.TempDir(), "elsewhere", "file"), watch.Options{}, func(moving bool) bool {
		if looks++; looks == 2 {
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
			save(t, path, page1("b"))
		}
		return h.look(moving)
	})
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	h.watcher = w
	h.mu.Unlock()
	if p := <-said; p.Code != config.CodeBroken {
		t.Errorf("%+v", p)
	}
	eventually(t, "the file is in force without an event", func() bool { return allowed(h, "b") && !h.Snapshot().Broken })
}

// BenchmarkGlance is the price of a look at a file that did not change.
func BenchmarkGlance(b *testing.B) {
	h := demoHost(b, nil)
	if err := h.Watch(); err != nil {
		b.Fatal(err)
	}
	// A file that was just written is read again; this one is a day old.
	old := time.Now().Add(-24 * time.Hour)
	for _, path := range []string{h.Home().Config(), h.Home().Env(), h.Home().Ledger()} {
		if err := os.Chtimes(path, old, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		h.Glance(b.Context())
	}
}

func textOf(h *Host) string {
	data, err := os.ReadFile(h.Home().Config())
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func writeText(h *Host, text string) error {
	return os.WriteFile(h.Home().Config(), []byte(text), 0o600)
}
