package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func set(value any, path ...string) Step {
	return Step{Kind: StepSet, Path: path, Value: valueOf(value)}
}

// changerProcess is another program of ours on the same home: "rounds|key" sets
// a key 100 times, "die" is killed between the new file and its place.
func changerProcess(dir, spec string) int {
	f := Open(Home{Dir: dir}, Options{Getenv: env("HOME", dir)})
	if spec == "die" {
		f.write.rename = func(string, string) error {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			fmt.Fprintln(os.Stderr, "still alive", err)
			select {}
		}
		_, _ = f.Change(context.Background(), Change{Steps: []Step{set(2, "mcp_servers", "demo", "timeout")}})
		return 1
	}
	_, key, _ := strings.Cut(spec, "|")
	if err := rounds(f, key); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// rounds sets a key 100 times and looks for it each time.
func rounds(f *File, key string) error {
	for i := range 100 {
		path := []string{"mcp_servers", "demo", key}
		r, err := f.Change(context.Background(), Change{Steps: []Step{set(i, path...)}})
		if err != nil || !r.Changed {
			return fmt.Errorf("%s, round %d: changed %v, %w", key, i, r.Changed, err)
		}
		if n := Lookup(r.Snapshot.Tree(), path); n == nil || n.Value != strconv.Itoa(i) || !f.Stands(path, n) {
			return fmt.Errorf("%s, round %d: the edit is not there", key, i)
		}
	}
	return nil
}

func startProcess(t *testing.T, h Home, spec string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "HERMES_TEST_CHANGER="+spec, "HERMES_TEST_HOME="+h.Dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestProcessesLoseNoChange(t *testing.T) {
	h := home(t, "# mine\nmcp_servers:\n  demo: # one\n    command: npx\n")
	running := []*exec.Cmd{startProcess(t, h, "rounds|first"), startProcess(t, h, "rounds|second")}
	// Two windows of this process edit at the same time.
	var windows sync.WaitGroup
	for _, key := range []string{"third", "fourth"} {
		windows.Go(func() {
			if err := rounds(open(t, h), key); err != nil {
				t.Error(err)
			}
		})
	}
	windows.Wait()
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	got := get(t, h.Config())
	for _, key := range []string{"first", "second", "third", "fourth"} {
		if !strings.Contains(got, "\n    "+key+": 99\n") {
			t.Errorf("the change of %s is lost", key)
		}
	}
	if !strings.HasPrefix(got, "# mine\nmcp_servers:\n  demo: # one\n    command: npx\n") || strings.Count(got, "\n") != 8 {
		t.Errorf("more than the keys changed:\n%s", got)
	}
}

func TestKilledBeforeTheRename(t *testing.T) {
	const before = "mcp_servers:\n  demo:\n    timeout: 1\n"
	h := home(t, before)
	if err := startProcess(t, h, "die").Wait(); err == nil {
		t.Fatal("the process was not killed")
	}
	if got := get(t, h.Config()); got != before {
		t.Errorf("the file holds\n%s", got)
	}
	// Its lock is gone with it.
	f := open(t, h)
	if r, err := f.Change(context.Background(), Change{Steps: []Step{set(3, "mcp_servers", "demo", "timeout")}}); err != nil || !r.Changed {
		t.Error(r, err)
	}
}

func TestChangeKeepsLinksAndModes(t *testing.T) {
	h := home(t, "")
	real := filepath.Join(t.TempDir(), "dotfiles.yaml")
	put(t, real, demo)
	other := filepath.Join(filepath.Dir(real), "other.yaml")
	if err := errors.Join(os.Remove(h.Config()), os.Symlink(real, h.Config()), os.Chmod(real, 0o640), os.Link(real, other)); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, h).Change(context.Background(), Change{Steps: []Step{set("dark", "theme")}}); err != nil {
		t.Fatal(err)
	}
	link, err := os.Lstat(h.Config())
	if err != nil || link.Mode()&fs.ModeSymlink == 0 {
		t.Error("no link any more", err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode() != 0o640 {
		t.Error(info.Mode(), err)
	}
	for _, path := range []string{real, other} {
		if got := get(t, path); got != demo+"theme: dark\n" {
			t.Errorf("%s holds\n%s", path, got)
		}
	}
}

// A link that leads to a file that is not there yet stays a link.
func TestChangeThroughADanglingLink(t *testing.T) {
	h := home(t, "")
	dir := t.TempDir()
	if err := errors.Join(os.Remove(h.Config()), os.Symlink(filepath.Join(dir, "mine.yaml"), filepath.Join(h.Dir, "middle")), os.Symlink("middle", h.Config())); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, h).Change(context.Background(), Change{Steps: []Step{set("dark", "theme")}}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, filepath.Join(dir, "mine.yaml")); got != "theme: dark\n" {
		t.Errorf("the target holds %q", got)
	}
	if info, err := os.Lstat(h.Config()); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("no link any more", err)
	}
}

// Somebody else makes the file while ours is being written.
func TestForeignFileIsNotReplacedByANewOne(t *testing.T) {
	h := home(t, "theirs: 1\n")
	err := newWriter().begin(h.Config(), []byte("ours: 1\n"))
	if !errors.Is(err, errMoved) || get(t, h.Config()) != "theirs: 1\n" {
		t.Errorf("%v: %s", err, get(t, h.Config()))
	}
	if left, _ := filepath.Glob(filepath.Join(h.Dir, ".*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestChangeConflict(t *testing.T) {
	h := home(t, demo)
	f := open(t, h)
	seen := f.Current().Revision
	put(t, h.Config(), demo+"# changed\n")
	var c *Conflict
	if _, err := f.Change(context.Background(), Change{Steps: []Step{set("dark", "theme")}, Seen: seen}); !errors.As(err, &c) {
		t.Fatal(err)
	}
	if _, err := f.Replace(context.Background(), seen, []byte("a: 1\n")); !errors.As(err, &c) {
		t.Fatal(err)
	}
	if _, err := f.Replace(context.Background(), "", []byte("a: 1\n")); !errors.As(err, &c) {
		t.Fatal(err)
	}
	if get(t, h.Config()) != demo+"# changed\n" {
		t.Error("a conflict wrote the file")
	}
}

// Steps of which the last one cannot be leave nothing.
func TestChangeIsOneWrite(t *testing.T) {
	h := home(t, demo)
	_, err := open(t, h).Change(context.Background(), Change{Steps: []Step{set("dark", "theme"), set(1, "mcp_servers", "demo", "command", "x")}})
	var r *Refused
	if !errors.As(err, &r) || get(t, h.Config()) != demo {
		t.Errorf("%v\n%s", err, get(t, h.Config()))
	}
}

// A change of 5,000 lines touches the one line it is about.
func TestChangeInAHugeFile(t *testing.T) {
	content := hugeFile()
	h := home(t, content)
	f := open(t, h)
	if _, err := f.Change(context.Background(), Change{Steps: []Step{set(61, "mcp_servers", "server50", "timeout")}}); err != nil {
		t.Fatal(err)
	}
	lines, now := strings.Split(content, "\n"), strings.Split(get(t, h.Config()), "\n")
	changed := 0
	for i := range lines {
		if lines[i] != now[i] {
			changed++
		}
	}
	if len(lines) != len(now) || changed != 1 {
		t.Errorf("%d lines changed, %d are there", changed, len(now))
	}
	if n := strings.Count(content, "\n"); n < 4900 || n > 5100 {
		t.Errorf("the file has %d lines", n)
	}
}
