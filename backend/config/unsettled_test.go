package config

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// rewriting runs a test while a file gets new content every 20 ms of the fake
// clock, from what text makes of a counter.
func rewriting(t *testing.T, f *File, path string, text func(n int) string, test func()) {
	t.Helper()
	stop := make(chan struct{})
	var writing sync.WaitGroup
	put(t, path, text(0))
	writing.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				put(t, path, text(n))
			}
		}
	})
	<-time.After(time.Millisecond)
	test()
	close(stop)
	writing.Wait()
}

// may asks both states, as every door does.
func may(f *File, server, tool string) bool {
	pending := f.Pending()
	return (pending == nil || allows(pending, server, tool)) && allows(f.Current(), server, tool)
}

// A lock counts although `.env` never settles, in both kinds of a look, and a
// file that keeps changing denies what its latest version denies and ends what
// every version locks.
func TestRestrictionsDoNotWaitForAnEndOfWriting(t *testing.T) {
	note := func(text string) func(int) string {
		return func(n int) string { return text + fmt.Sprintf("# %d\n", n) }
	}
	for name, c := range map[string]struct {
		env, after string
		moving     bool
	}{
		".env":                    {"env", locked + "  two: {command: y}\n", false},
		".env, moving":            {"env", locked, true},
		"the file":                {"", locked + "  two: {command: y}\n", false},
		"the file, moving":        {"", locked, true},
		"removed, moving":         {"", "mcp_servers:\n  two: {command: y}\n", true},
		"disabled":                {"", loosened + "    enabled: false\n  two: {command: y}\n", false},
		"all servers off, moving": {"", loosened + "mcp: {client: false}\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := home(t, loosened)
				put(t, h.Env(), "A=1\n")
				f := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
				f.Load()
				path, text := h.Config(), note(c.after)
				if c.env != "" {
					put(t, h.Config(), c.after)
					path, text = h.Env(), func(n int) string { return fmt.Sprintf("A=%d\n", n+2) }
				}
				rewriting(t, f, path, text, func() {
					if c.moving {
						f.ReloadMoving(120 * time.Millisecond)
					} else {
						f.Reload()
					}
				})
				if ok, _ := f.Current().MayRun("demo"); ok {
					t.Error("its process goes on")
				}
				if pending := f.Pending(); pending != nil {
					if ok, _ := pending.MayRun("demo"); ok {
						t.Error("the pending state lets it run")
					}
				}
				if f.Settled() || c.env == "" && allows(f.Current(), "two", "x") {
					t.Error("what never settled is in force")
				}
				if _, changed := f.Reload(); !changed || !f.Settled() || f.Pending() != nil {
					t.Errorf("the writing is over: changed %v, settled %v, pending %v", changed, f.Settled(), f.Pending())
				}
			})
		})
	}
}

// What the latest reading denies is denied while the wait goes on, and what it
// allows waits.
func TestPendingDeniesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := home(t, demo)
		f := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
		f.Load()
		put(t, h.Config(), strings.Replace(demo, "[read_file, list_directory]", "[list_directory, other]", 1))
		done := make(chan struct{})
		go func() {
			defer close(done)
			f.Reload()
		}()
		synctest.Wait()
		if may(f, "demo", "read_file") || may(f, "demo", "other") || !may(f, "demo", "list_directory") {
			t.Error("one of the two states does not count")
		}
		put(t, h.Config(), "a: b: c\n")
		<-time.After(50 * time.Millisecond)
		synctest.Wait()
		if may(f, "demo", "read_file") || !allows(f.Current(), "demo", "read_file") {
			t.Error("a broken file changes what is pending, or what is in force")
		}
		put(t, h.Config(), demo)
		<-done
		f.Reload()
		if !may(f, "demo", "read_file") || f.Pending() != nil {
			t.Error("the old file is back and something is pending")
		}
	})
}

// A `.env` that is cut for a moment does not count, with one reading.
func TestCutEnvIsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := home(t, "mcp_servers: {demo: {command: x, env: {T: \"${TOKEN}\"}}}")
		put(t, h.Env(), "TOKEN=first-value\n")
		f := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
		f.Load()
		put(t, h.Env(), "TOKEN=fir")
		done := make(chan bool)
		go func() {
			_, changed := f.Reload()
			done <- changed
		}()
		synctest.Wait()
		put(t, h.Env(), "TOKEN=first-value\n")
		if <-done {
			t.Error("a cut value was published")
		}
	})
}

// begun is a save in place whose end has not come.
func begun(t *testing.T, path, text string) *os.File {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return file
}
