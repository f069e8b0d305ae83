package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// eye watches a file and keeps what each look saw.
type eye struct {
	t    *testing.T
	w    *Watcher
	path string
	seen chan string
}

const missing = "(missing)"

func open(t *testing.T, path string, quiet time.Duration, also ...string) *eye {
	t.Helper()
	e := &eye{t: t, path: path, seen: make(chan string, 1024)}
	w, err := Watch(context.Background(), path, Options{Quiet: quiet, Also: also}, func(bool) bool {
		data, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			e.seen <- missing
		case err != nil:
			e.seen <- err.Error()
		default:
			e.seen <- string(data)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	e.w = w
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// until waits for a look that saw want and returns how many looks it took.
func (e *eye) until(want string) int {
	e.t.Helper()
	deadline := time.After(10 * time.Second)
	for looks := 1; ; looks++ {
		select {
		case got := <-e.seen:
			if got == want {
				return looks
			}
		case <-deadline:
			e.t.Fatalf("no look saw %q within 10 s", want)
		}
	}
}

func (e *eye) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

const short = 20 * time.Millisecond

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLooksOnceAtTheStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "config.yaml")
	put(t, path, "a")
	open(t, path, short).until("a")
}

func TestTruncateAndWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "config.yaml")
	put(t, path, "a")
	e := open(t, path, short)
	e.until("a")
	put(t, path, "b")
	e.until("b")
}

func TestRenameOverFiveTimes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "config.yaml")
	put(t, path, "0")
	e := open(t, path, short)
	e.until("0")
	for _, next := range []string{"1", "2", "3", "4", "5"} {
		put(t, path+".new", next)
		e.must(os.Rename(path+".new", path))
		e.until(next)
	}
}

func TestDeleteAndRecreateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "config.yaml")
	put(t, path, "a")
	e := open(t, path, short)
	e.until("a")
	e.must(os.Remove(path))
	e.until(missing)
	put(t, path, "b")
	e.until("b")
}

func TestFolderRenamedAwayAndMadeAnew(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "home", "config.yaml")
	put(t, path, "a")
	e := open(t, path, short)
	e.until("a")
	e.must(os.Rename(filepath.Join(root, "home"), filepath.Join(root, "old")))
	e.until(missing)
	put(t, path, "b")
	e.until("b")
	put(t, path, "c")
	e.until("c")
}

func TestFolderDeletedAndMadeAnew(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "home", "config.yaml")
	put(t, path, "a")
	e := open(t, path, short)
	e.until("a")
	e.must(os.RemoveAll(filepath.Join(root, "home")))
	e.until(missing)
	put(t, path, "b")
	e.until("b")
}

func TestNothingThereYet(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "not", "yet", "there", "config.yaml")
	e := open(t, path, short)
	e.until(missing)
	put(t, path, "a")
	e.until("a")
}

func TestLinkTargetWrittenReplacedAndRepointed(t *testing.T) {
	root := t.TempDir()
	one, two := filepath.Join(root, "dotfiles", "one.yaml"), filepath.Join(root, "elsewhere", "two.yaml")
	put(t, one, "a")
	put(t, two, "x")
	path := filepath.Join(root, "home", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(one, path); err != nil {
		t.Fatal(err)
	}
	e := open(t, path, short)
	e.until("a")
	put(t, one, "b")
	e.until("b")
	put(t, one+".new", "c")
	e.must(os.Rename(one+".new", one))
	e.until("c")
	e.must(os.Symlink(two, path+".new"))
	e.must(os.Rename(path+".new", path))
	e.until("x")
	put(t, two, "y")
	e.until("y")
	// The old target's folder is nobody's business any more.
	if list := e.w.events.WatchList(); slices.Contains(list, filepath.Dir(one)) || !slices.Contains(list, filepath.Dir(two)) {
		t.Errorf("watched: %q", list)
	}
}

func TestLinkedFolderRepointed(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "one", "config.yaml"), "a")
	put(t, filepath.Join(root, "two", "config.yaml"), "b")
	home := filepath.Join(root, "home")
	if err := os.Symlink("one", home); err != nil {
		t.Fatal(err)
	}
	e := open(t, filepath.Join(home, "config.yaml"), short)
	e.until("a")
	e.must(os.Symlink("two", home+".new"))
	e.must(os.Rename(home+".new", home))
	e.until("b")
	put(t, filepath.Join(root, "two", "config.yaml"), "c")
	e.until("c")
}

// As Kubernetes mounts a config map: the file's own name never changes.
// A link far above the folder leads elsewhere, or a real folder there is another
// one.
func TestFarAncestorReplaced(t *testing.T) {
	for _, absolute := range []bool{false, true} {
		root := t.TempDir()
		for _, version := range []string{"v1", "v2"} {
			put(t, filepath.Join(root, version, "sub", "deep", "home", "config.yaml"), version)
		}
		to := func(version string) string {
			if absolute {
				return filepath.Join(root, version)
			}
			return version
		}
		cur := filepath.Join(root, "cur")
		if err := os.Symlink(to("v1"), cur); err != nil {
			t.Fatal(err)
		}
		e := open(t, filepath.Join(cur, "sub", "deep", "home", "config.yaml"), 10*time.Millisecond)
		e.until("v1")
		e.must(os.Symlink(to("v2"), cur+".tmp"))
		e.must(os.Rename(cur+".tmp", cur))
		e.until("v2")
		put(t, filepath.Join(root, "v3", "sub", "deep", "home", "config.yaml"), "v3")
		e.must(os.Rename(filepath.Join(root, "v2"), filepath.Join(root, "away")))
		e.must(os.Rename(filepath.Join(root, "v3"), filepath.Join(root, "v2")))
		e.until("v3")
	}
}

func TestDataLinkSwappedTwice(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	put(t, filepath.Join(home, "..1", "config.yaml"), "a")
	swap := func(version string) {
		if err := errors.Join(
			os.Symlink(version, filepath.Join(home, "..data_tmp")),
			os.Rename(filepath.Join(home, "..data_tmp"), filepath.Join(home, "..data")),
		); err != nil {
			t.Fatal(err)
		}
	}
	swap("..1")
	path := filepath.Join(home, "config.yaml")
	if err := os.Symlink(filepath.Join("..data", "config.yaml"), path); err != nil {
		t.Fatal(err)
	}
	e := open(t, path, short)
	e.until("a")
	put(t, filepath.Join(home, "..2", "config.yaml"), "b")
	swap("..2")
	if looks := e.until("b"); looks != 1 {
		t.Errorf("%d looks for the first swap, want 1", looks)
	}
	put(t, filepath.Join(home, "..3", "config.yaml"), "c")
	swap("..3")
	if looks := e.until("c"); looks != 1 {
		t.Errorf("%d looks for the second swap, want 1", looks)
	}
}

func TestBurstBecomesOneLook(t *testing.T) {
	const quiet = 200 * time.Millisecond
	path := filepath.Join(t.TempDir(), "home", "config.yaml")
	put(t, path, "start")
	e := open(t, path, quiet)
	e.until("start")
	for try := range 10 {
		last := strings.Repeat("x", try+1)
		begin := time.Now()
		for range 49 {
			put(t, path, "between")
		}
		put(t, path, last)
		took := time.Since(begin)
		looks := e.until(last)
		if took >= quiet/2 {
			continue // the machine stalled: this was no burst
		}
		if looks != 1 {
			t.Errorf("%d looks for one burst of 50 writes", looks)
		}
		return
	}
	t.Fatal("the machine never managed 50 writes in 100 ms")
}

func TestAlsoWatchesTheFileBeside(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	path, env := filepath.Join(home, "config.yaml"), filepath.Join(home, ".env")
	put(t, path, "a")
	e := open(t, path, short, env)
	e.until("a")
	put(t, env, "KEY=1")
	e.until("a")
}

func TestChainNamesOnlyWhatLeadsToTheFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	path := filepath.Join(home, "config.yaml")
	put(t, path, "a")
	c := resolve(path)
	for name, want := range map[string]bool{
		path: true, home: true, filepath.Dir(home): true,
		filepath.Join(home, "state.db-wal"):               false,
		filepath.Join(filepath.Dir(home), "bash_history"): false,
	} {
		if c.concerns(name) != want {
			t.Errorf("concerns(%s) = %v, want %v", name, !want, want)
		}
	}
}

func TestLinkLoopEnds(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "config.yaml")
	if err := errors.Join(os.Symlink("b", path), os.Symlink("config.yaml", filepath.Join(home, "b"))); err != nil {
		t.Fatal(err)
	}
	if c := resolve(path); !c.concerns(path) || !c.folders[home] {
		t.Error("a loop of links is not watched")
	}
}

func TestCloseTwiceAndAfterCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	path := filepath.Join(t.TempDir(), "home", "config.yaml")
	w, err := Watch(ctx, path, Options{}, func(bool) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
}
