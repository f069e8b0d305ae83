//go:build unix

package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Whatever stands in the place of a file in our own folder: a home is looked at,
// locked, reloaded and told of without a wait, and nothing outside is touched.
func TestForeignFilesInOurFolder(t *testing.T) {
	const text = "of somebody else\n"
	pid := fmt.Sprint(os.Getpid())
	kinds := map[string]func(path, other string) error{
		"pipe":   func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"link":   func(path, other string) error { return os.Symlink(other, path) },
		"zero":   func(path, _ string) error { return os.Symlink("/dev/zero", path) },
		"folder": func(path, _ string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o700) },
		"long": func(path, _ string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<30))
		},
		"dirlink": func(path, other string) error { return os.Symlink(filepath.Dir(other), path) },
	}
	for _, name := range []string{
		"run", "logs", "confined", "run/reload", "run/7.json", "run/7.reloaded", "run/7.lock", "run/" + pid + ".json", "run/" + pid + ".reloaded", "run/" + pid + ".lock",
		"pins.json", "pins.lock", "config.lock", "ledger.json", "logs/mcp-demo.log",
	} {
		for kind, put := range kinds {
			t.Run(name+"/"+kind, func(t *testing.T) {
				home, outside := config.Home{Dir: t.TempDir()}, t.TempDir()
				other, path := filepath.Join(outside, "7.json"), filepath.Join(home.Native(), name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(other, []byte(text), 0o644), put(path, other),
					os.WriteFile(home.Config(), []byte("mcp_servers:\n  demo: {command: /bin/sh, args: [-c, \"echo a word >&2\"]}\n"), 0o600)); err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				h := New(Options{Home: home, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler)})
				defer func() { _ = h.Close() }()
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				if err := errors.Join(h.Watch(), h.Start()); err != nil {
					t.Fatal(err)
				}
				eventually(t, "the server has a log", func() bool { return len(h.Log("demo")) > 0 })
				if _, err := h.Apply(ctx, config.Edit{Server: "demo", Intent: policy.Intent{Action: policy.ActionLock}}); err != nil {
					t.Errorf("not locked: %v", err)
				}
				if server, ok := h.Snapshot().Server("demo"); !ok || !server.Rules.Locked() {
					t.Error("the lock is not in force")
				}
				h.Elsewhere()
				asking, stop := context.WithCancel(ctx)
				stop()
				_, _, _ = h.AskReload(asking)
				h.obey()
				h.Reload()
				_ = h.pins.Save()
				if ctx.Err() != nil {
					t.Error("it hung")
				}
				runtime.ReadMemStats(&after)
				if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<20 {
					t.Errorf("%d MB", grown>>20)
				}
				if data, err := os.ReadFile(other); err != nil || string(data) != text {
					t.Errorf("the foreign file holds %q: %v", data, err)
				}
				if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
					t.Errorf("%v %v", entries, err)
				}
			})
		}
	}
}
