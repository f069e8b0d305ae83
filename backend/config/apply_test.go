package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes/backend/policy"
)

func TestMain(m *testing.M) {
	if spec := os.Getenv("HERMES_TEST_WRITER"); spec != "" {
		os.Exit(writerProcess(spec))
	}
	if spec := os.Getenv("HERMES_TEST_CHANGER"); spec != "" {
		os.Exit(changerProcess(os.Getenv("HERMES_TEST_HOME"), spec))
	}
	goleak.VerifyTestMain(m)
}

const demo = `mcp_servers:
  demo:
    command: npx   # the program
    tools:
      include: [read_file, list_directory]
  demo2: {}
`

const demoOff = `mcp_servers:
  demo:
    command: npx   # the program
    tools:
      include: [list_directory]
  demo2: {}
`

func off(server, tool string) Edit {
	return Edit{Server: server, Intent: policy.Intent{Action: policy.ActionOff, Tool: tool}}
}

func on(server, tool string) Edit {
	return Edit{Server: server, Intent: policy.Intent{Action: policy.ActionOn, Tool: tool}}
}

// apply makes an edit that must work.
func apply(t testing.TB, f *File, e Edit) Result {
	t.Helper()
	r, err := f.Apply(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestApplyPublishesAndMakesOurFolder(t *testing.T) {
	h := home(t, demo)
	f := open(t, h)
	r := apply(t, f, off("demo", "read_file"))
	if !r.Changed || f.Current() != r.Snapshot {
		t.Error("the result is not published")
	}
	if sv, _ := r.Snapshot.Server("demo"); sv.Rules.Allows("read_file") || !sv.Rules.Allows("list_directory") {
		t.Error("the published rules are not the new ones")
	}
	for path, mode := range map[string]fs.FileMode{h.Native(): 0o700 | fs.ModeDir, h.lockFile(): 0o600, h.Config(): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, mode)
		}
	}
	left, _ := filepath.Glob(filepath.Join(h.Dir, "*.tmp"))
	hidden, _ := filepath.Glob(filepath.Join(h.Dir, ".*.tmp"))
	if len(left)+len(hidden) > 0 {
		t.Errorf("left behind: %v %v", left, hidden)
	}
}

func TestApplyWithoutChangeWritesNothing(t *testing.T) {
	h := home(t, demo)
	f := open(t, h)
	before, _ := os.Stat(h.Config())
	r := apply(t, f, on("demo", "read_file"))
	after, _ := os.Stat(h.Config())
	if r.Changed || !before.ModTime().Equal(after.ModTime()) || !os.SameFile(before, after) {
		t.Error("the file was touched")
	}
	if _, err := os.Stat(h.Native()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("our folder was made")
	}
}

func TestApplyKeepsModes(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o660} {
		h := home(t, demo)
		if err := os.Chmod(h.Config(), mode); err != nil {
			t.Fatal(err)
		}
		apply(t, open(t, h), off("demo", "read_file"))
		if info, err := os.Stat(h.Config()); err != nil || info.Mode() != mode {
			t.Errorf("mode is %v, want %v", info.Mode(), mode)
		}
	}
}

func TestApplyKeepsLinks(t *testing.T) {
	h := home(t, "")
	real := filepath.Join(t.TempDir(), "dotfiles", "hermes.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(real), 0o700), os.Remove(h.Config())); err != nil {
		t.Fatal(err)
	}
	put(t, real, demo)
	middle := filepath.Join(h.Dir, "..data")
	if err := errors.Join(os.Symlink(real, middle), os.Symlink("..data", h.Config()), os.Chmod(real, 0o640)); err != nil {
		t.Fatal(err)
	}
	apply(t, open(t, h), off("demo", "read_file"))
	for _, link := range []string{h.Config(), middle} {
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more (%v)", link, err)
		}
	}
	if got := get(t, real); got != demoOff {
		t.Errorf("the target holds\n%s", got)
	}
	if info, _ := os.Stat(real); info.Mode() != 0o640 {
		t.Errorf("the target's mode is %v", info.Mode())
	}
}

func TestApplyKeepsHardLinks(t *testing.T) {
	h := home(t, demo)
	other := filepath.Join(h.Dir, "other.yaml")
	if err := os.Link(h.Config(), other); err != nil {
		t.Fatal(err)
	}
	apply(t, open(t, h), off("demo", "read_file"))
	if got := get(t, other); got != demoOff {
		t.Errorf("the other name holds\n%s", got)
	}
}

func TestRenameFailureLeavesTheOldFile(t *testing.T) {
	h := home(t, demo)
	f := open(t, h)
	broken := errors.New("disk on fire")
	f.write.rename = func(string, string) error { return broken }
	if _, err := f.Apply(context.Background(), off("demo", "read_file")); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if get(t, h.Config()) != demo {
		t.Error("the file was changed")
	}
	if sv, _ := f.Current().Server("demo"); !sv.Rules.Allows("read_file") {
		t.Error("what was not written was published")
	}
	left, _ := filepath.Glob(filepath.Join(h.Dir, ".*.tmp"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWritesInPlaceWhereARenameCannotBe(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EBUSY, syscall.EXDEV, syscall.EPERM} {
		for edit, want := range map[string]string{"off demo read_file": demoOff, "on demo write_file": strings.Replace(demo, "list_directory", "list_directory, write_file", 1)} {
			h := home(t, demo)
			f := open(t, h)
			before, _ := os.Stat(h.Config())
			f.write.rename = func(from, to string) error { return &os.LinkError{Op: "rename", Old: from, New: to, Err: errno} }
			apply(t, f, parseIntent(t, edit))
			after, _ := os.Stat(h.Config())
			if got := get(t, h.Config()); got != want || !os.SameFile(before, after) {
				t.Errorf("%v: not written in place:\n%s", errno, got)
			}
			left, _ := filepath.Glob(filepath.Join(h.Dir, ".*.tmp"))
			if len(left) > 0 {
				t.Errorf("%v: left behind: %v", errno, left)
			}
		}
	}
}

// Another program that knows nothing of our lock saves at the last moment.
func TestForeignSaveAtTheLastMomentIsNotLost(t *testing.T) {
	h := home(t, demo)
	f := open(t, h)
	foreign := demo + "# theirs\n"
	temp := func() string {
		names, _ := filepath.Glob(filepath.Join(h.Dir, ".*.tmp"))
		return strings.Join(names, "")
	}
	f.write.rename = func(from, to string) error {
		t.Errorf("renamed over a foreign save (%s)", temp())
		return os.Rename(from, to)
	}
	// The save happens between our reading and our comparing: when the new
	// file beside it is flushed. A link to a folder that changes under us is
	// the simplest such moment that needs no hook: replace is called with what
	// was read before.
	put(t, h.Config(), foreign)
	err := f.write.replace(h.Config(), []byte(demo), []byte(demoOff))
	if !errors.Is(err, errMoved) {
		t.Fatalf("got %v", err)
	}
	if get(t, h.Config()) != foreign || temp() != "" {
		t.Error("the foreign save is lost, or something was left behind")
	}
}

func TestConflict(t *testing.T) {
	h := home(t, demo)
	f := open(t, h)
	seen := f.Current().Revision
	put(t, h.Config(), demo+"# changed\n")
	e := off("demo", "read_file")
	e.Seen = seen
	_, err := f.Apply(context.Background(), e)
	var c *Conflict
	if !errors.As(err, &c) || c.Seen != seen || c.Now != digest([]byte(demo+"# changed\n")) {
		t.Fatalf("got %v", err)
	}
	if get(t, h.Config()) != demo+"# changed\n" {
		t.Error("a conflict wrote the file")
	}
	e.Seen = c.Now
	if !apply(t, f, e).Changed {
		t.Error("the edit with the right revision did nothing")
	}
}

func TestConflictWhenTheFileIsGone(t *testing.T) {
	h := home(t, demo)
	f := open(t, h)
	e := off("demo", "read_file")
	e.Seen = f.Current().Revision
	if err := os.Remove(h.Config()); err != nil {
		t.Fatal(err)
	}
	_, err := f.Apply(context.Background(), e)
	var c *Conflict
	if !errors.As(err, &c) || c.Now != "" {
		t.Fatalf("got %v", err)
	}
	if _, err := os.Stat(h.Config()); err == nil {
		t.Error("a new file was made")
	}
}

func TestBrokenFilesAreRefusedUntouched(t *testing.T) {
	for name, c := range map[string]struct {
		content      string
		line, column int
	}{
		"syntax":    {demo + "a: b: c\n", 7, 4},
		"UTF-16":    {"\xff\xfem\x00", 1, 1},
		"documents": {demo + "---\nx: 1\n", 7, 1},
		"glob":      {"mcp_servers:\n  demo: {tools: {include: [*_x]}}\n", 2, 28},
	} {
		t.Run(name, func(t *testing.T) {
			h := home(t, c.content)
			_, err := open(t, h).Apply(context.Background(), Edit{Server: "demo", Intent: policy.Intent{Action: policy.ActionLock}})
			var r *Refused
			if !errors.As(err, &r) || r.File != h.Config() || r.Line != c.line || r.Column != c.column || r.Hint == "" {
				t.Fatalf("got %#v", err)
			}
			if get(t, h.Config()) != c.content {
				t.Error("a broken file was written")
			}
		})
	}
}

func TestUnknownServer(t *testing.T) {
	h := home(t, demo)
	_, err := open(t, h).Apply(context.Background(), off("nosuch", "x"))
	if !errors.Is(err, ErrUnknownServer) || !strings.Contains(err.Error(), "demo, demo2") {
		t.Fatalf("got %v", err)
	}
	if err := os.Remove(h.Config()); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, h).Apply(context.Background(), off("demo", "x")); !errors.Is(err, ErrUnknownServer) {
		t.Fatalf("got %v", err)
	}
	if _, err := os.Stat(h.Config()); err == nil {
		t.Error("a file was made")
	}
}

func TestCancelledWhileWaitingForTheLock(t *testing.T) {
	h := home(t, demo)
	f, other := open(t, h), open(t, h)
	if err := os.Mkdir(h.Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	unlock, err := other.holdLock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if _, err := f.Apply(ctx, off("demo", "read_file")); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if get(t, h.Config()) != demo {
		t.Error("written without the lock")
	}
	unlock()
	apply(t, f, off("demo", "read_file"))
}

// writerProcess switches one tool on and off, on a file another process edits
// at the same time.
func writerProcess(spec string) int {
	dir, tool, _ := strings.Cut(spec, "|")
	f := Open(Home{Dir: dir}, Options{Getenv: env("HOME", dir)})
	for range 100 {
		for _, e := range []Edit{on("demo", tool), off("demo", tool), on("demo", tool)} {
			if r, err := f.Apply(context.Background(), e); err != nil || !r.Changed {
				fmt.Fprintf(os.Stderr, "%s: %v, %v\n", tool, r.Changed, err)
				return 1
			}
			sv, _ := f.Current().Server("demo")
			if sv.Rules.Allows(tool) != (e.Intent.Action == policy.ActionOn) {
				fmt.Fprintf(os.Stderr, "%s: the edit is not there\n", tool)
				return 1
			}
		}
		if _, err := f.Apply(context.Background(), off("demo", tool)); err != nil {
			return 1
		}
	}
	if _, err := f.Apply(context.Background(), on("demo", tool)); err != nil {
		return 1
	}
	return 0
}

func TestTwoProcessesLoseNoEdit(t *testing.T) {
	h := home(t, "# a comment\nmcp_servers:\n  demo:\n    tools:\n      include: [ keep ]   # ours\n")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var running []*exec.Cmd
	for _, tool := range []string{"first", "second"} {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "HERMES_TEST_WRITER="+h.Dir+"|"+tool)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	sv, _ := open(t, h).Current().Server("demo")
	for _, tool := range []string{"keep", "first", "second"} {
		if !sv.Rules.Allows(tool) {
			t.Errorf("the edit of %s is lost:\n%s", tool, get(t, h.Config()))
		}
	}
	if got := get(t, h.Config()); !strings.HasPrefix(got, "# a comment\n") || !strings.HasSuffix(got, "]   # ours\n") {
		t.Errorf("more than the list changed:\n%s", got)
	}
}

func TestHugeFile(t *testing.T) {
	var b strings.Builder
	b.WriteString("mcp_servers:\n")
	for i := range 500 {
		fmt.Fprintf(&b, "  server%d:\n    command: npx   # program %d\n    args:\n    - -y\n    - \"pkg-%d\"\n    env: {A: '1', B: two}\n    tools:\n      include:\n      - a\n      - b\n", i, i, i)
	}
	h := home(t, b.String())
	apply(t, open(t, h), off("server250", "b"))
	want := strings.Replace(b.String(), "    - \"pkg-250\"\n    env: {A: '1', B: two}\n    tools:\n      include:\n      - a\n      - b\n", "    - \"pkg-250\"\n    env: {A: '1', B: two}\n    tools:\n      include:\n      - a\n", 1)
	if got := get(t, h.Config()); got != want || strings.Count(want, "\n") != 5000 {
		t.Error("more or less than one line changed")
	}
}
