package host

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// bound is set in the process that has a mount namespace of its own.
const bound = "HERMES_TEST_BOUND"

// page is a configuration that allows one tool by name; fill makes it long.
func page(tool string, fill int) string {
	return "# " + strings.Repeat("x", 78) + "\nmcp_servers:\n  demo:\n    command: no-such-program\n    tools:\n      include: [" + tool + "]\n" +
		strings.Repeat("# "+strings.Repeat("y", 77)+"\n", fill/80) + "  last: {command: no-such-program, tools: {include: [end]}}\n"
}

// saver is a watching host on a home of its own; published counts the states it
// published since the start.
type saver struct {
	t       *testing.T
	root    string
	home    config.Home
	host    *Host
	signals <-chan Signal
	opened  bool
}

func (s *saver) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *saver) put(path, text string) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Dir(path), 0o700))
	s.must(os.WriteFile(path, []byte(text), 0o600))
}

// run is a program that has to be there: the editors of the table are real.
func (s *saver) run(name string, args ...string) {
	s.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
}

func (s *saver) swapLink(target, link string) {
	s.t.Helper()
	s.must(os.Symlink(target, link+".tmp"))
	s.must(os.Rename(link+".tmp", link))
}

// watch begins after the table's preparation.
func (s *saver) watch() {
	s.t.Helper()
	s.host = New(Options{Home: s.home, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler)})
	s.t.Cleanup(func() { _ = s.host.Close() })
	s.signals = s.host.Subscribe(s.t.Context())
	s.must(s.host.Watch())
	s.settle()
}

// settle waits until every event so far had its look.
func (s *saver) settle() { s.host.watcher.Look(s.t.Context()) }

// published counts what was published so far, and notes a state in which the
// filter was gone.
func (s *saver) published() int {
	n := 0
	for {
		select {
		case signal := <-s.signals:
			if signal.Topic == TopicConfig {
				n++
			}
		default:
			return n
		}
	}
}

func (s *saver) allows(tool string) bool {
	server, ok := s.host.Snapshot().Server("demo")
	if ok && server.Rules.Allows("anything") {
		s.opened = true
	}
	return ok && server.Rules.Allows(tool) && !s.host.Snapshot().Broken
}

// saving is one way of saving. want is the tool that counts in the end, times
// how many states are published.
type saving struct {
	name    string
	prepare func(s *saver)
	save    func(s *saver)
	want    string
	times   int
}

func slowly(s *saver, pause time.Duration) {
	text := page("new", 200<<10)
	file, err := os.OpenFile(s.home.Config(), os.O_WRONLY|os.O_TRUNC, 0)
	s.must(err)
	defer file.Close()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for i := range 20 {
		_, err := file.WriteString(text[i*len(text)/20 : (i+1)*len(text)/20])
		s.must(err)
		s.allows("new")
		<-tick.C
	}
}

// savings are every way people and programs save a file.
func savings() []saving {
	file := func(s *saver) string { return s.home.Config() }
	return []saving{
		{name: "in place", save: func(s *saver) {
			f, err := os.OpenFile(file(s), os.O_WRONLY, 0)
			s.must(err)
			_, err = f.WriteAt([]byte(page("new", 0)), 0)
			s.must(errors.Join(err, f.Close()))
		}, want: "new", times: 1},
		{name: "truncate and write", save: func(s *saver) { s.put(file(s), page("new", 0)) }, want: "new", times: 1},
		{name: "slowly, below the cap", save: func(s *saver) { slowly(s, 20*time.Millisecond) }, want: "new", times: 1},
		{name: "slowly, beyond the cap", save: func(s *saver) { slowly(s, 70*time.Millisecond) }, want: "new", times: 1},
		{name: "vim with a backup", save: func(s *saver) {
			s.run("vim", "-u", "NONE", "-n", "-es", "-c", "set backup writebackup backupcopy=no", "-c", "%s/old/new/", "-c", "wq", file(s))
		}, want: "new", times: 1},
		{name: "vim in place", save: func(s *saver) {
			s.run("vim", "-u", "NONE", "-es", "-c", "set backupcopy=yes", "-c", "%s/old/new/", "-c", "wq", file(s))
		}, want: "new", times: 1},
		{name: "sed -i", save: func(s *saver) { s.run("sed", "-i", "s/old/new/", file(s)) }, want: "new", times: 1},
		{name: "write and rename", save: func(s *saver) {
			s.put(file(s)+".tmp", page("new", 0))
			s.must(os.Rename(file(s)+".tmp", file(s)))
		}, want: "new", times: 1},
		{name: "delete and make anew", save: func(s *saver) {
			s.must(os.Remove(file(s)))
			s.put(file(s), page("new", 0))
		}, want: "new", times: 1},
		{name: "link to another file", prepare: func(s *saver) {
			s.put(filepath.Join(s.root, "one", "c.yaml"), page("old", 0))
			s.put(filepath.Join(s.root, "two", "c.yaml"), page("new", 0))
			s.must(os.Remove(file(s)))
			s.must(os.Symlink(filepath.Join(s.root, "one", "c.yaml"), file(s)))
		}, save: func(s *saver) { s.swapLink(filepath.Join(s.root, "two", "c.yaml"), file(s)) }, want: "new", times: 1},
		{name: "..data swapped twice", prepare: func(s *saver) {
			s.put(filepath.Join(s.home.Dir, "..1", "config.yaml"), page("old", 0))
			s.must(os.Remove(file(s)))
			s.must(os.Symlink("..1", filepath.Join(s.home.Dir, "..data")))
			s.must(os.Symlink("..data/config.yaml", file(s)))
		}, save: func(s *saver) {
			for i, tool := range []string{"between", "new"} {
				version := fmt.Sprintf("..%d", i+2)
				s.put(filepath.Join(s.home.Dir, version, "config.yaml"), page(tool, 0))
				s.swapLink(version, filepath.Join(s.home.Dir, "..data"))
				eventually(s.t, tool+" is loaded", func() bool { return s.allows(tool) })
			}
		}, want: "new", times: 2},
		{name: "home is a link", prepare: func(s *saver) {
			s.must(os.Rename(s.home.Dir, filepath.Join(s.root, "first")))
			s.put(filepath.Join(s.root, "second", "config.yaml"), page("new", 0))
			s.must(os.Symlink("first", s.home.Dir))
		}, save: func(s *saver) { s.swapLink("second", s.home.Dir) }, want: "new", times: 1},
		{name: "appears later", prepare: func(s *saver) { s.must(os.RemoveAll(s.home.Dir)) },
			save: func(s *saver) { s.put(file(s), page("new", 0)) }, want: "new", times: 1},
		{name: "folder replaced", save: func(s *saver) {
			s.must(os.Rename(s.home.Dir, filepath.Join(s.root, "away")))
			s.put(file(s), page("new", 0))
		}, want: "new", times: 1},
		{name: "50 writes", save: func(s *saver) {
			for range 49 {
				s.put(file(s), page("between", 0))
			}
			s.put(file(s), page("new", 0))
		}, want: "new", times: 1},
		{name: "swap and backup files", save: func(s *saver) {
			for _, name := range []string{".config.yaml.swp", "config.yaml~", "4913", "#config.yaml#", "config.yaml.bak"} {
				s.put(filepath.Join(s.home.Dir, name), page("new", 0))
			}
		}, want: "old", times: 0},
		{name: "our own write", save: func(s *saver) {
			_, err := s.host.Apply(s.t.Context(), config.Edit{Server: "demo", Intent: policy.Intent{Action: policy.ActionOn, Tool: "new"}})
			s.must(err)
		}, want: "new", times: 1},
		{name: "touch and chmod", save: func(s *saver) {
			now := time.Now()
			s.must(os.Chtimes(file(s), now, now))
			s.must(os.Chmod(file(s), 0o640))
			s.must(os.Chmod(file(s), 0o600))
		}, want: "old", times: 0},
		{name: "same time and size", save: func(s *saver) {
			info, err := os.Stat(file(s))
			s.must(err)
			s.put(file(s)+".tmp", page("new", 0))
			s.must(os.Chtimes(file(s)+".tmp", info.ModTime(), info.ModTime()))
			s.must(os.Rename(file(s)+".tmp", file(s)))
		}, want: "new", times: 1},
		{name: "comment alone", save: func(s *saver) { s.put(file(s), page("old", 0)+"# more\n") }, want: "old", times: 1},
		{name: ".env", save: func(s *saver) { s.put(s.home.Env(), "TOKEN=another-value\n") }, want: "old", times: 1},
	}
}

// play runs one way of saving. A file that is written in pieces is one burst
// only where the machine does not stall between them, so it gets more tries.
func (c saving) play(t *testing.T) {
	for try := 0; ; try++ {
		s := &saver{t: t, root: t.TempDir()}
		s.home = config.Home{Dir: filepath.Join(s.root, "home")}
		s.put(s.home.Config(), page("old", 0))
		if c.prepare != nil {
			c.prepare(s)
		}
		s.watch()
		s.published()
		begin := time.Now()
		c.save(s)
		took := time.Since(begin)
		eventually(t, c.want+" counts", func() bool { return s.allows(c.want) })
		s.settle()
		n := s.published()
		if s.opened {
			t.Fatal("the server stood open in between")
		}
		if _, ok := s.host.Snapshot().Server("last"); !ok {
			t.Error("the end of the file is missing")
		}
		if n == c.times {
			return
		}
		if n < c.times || try == 4 {
			t.Fatalf("%d states published, want %d (saved in %v)", n, c.times, took)
		}
		t.Logf("%d states published, want %d (saved in %v); once more", n, c.times, took)
	}
}

// TestEveryWayOfSaving saves the file with real operations and programs under a
// host that watches, and counts what it publishes.
func TestEveryWayOfSaving(t *testing.T) {
	for _, c := range savings() {
		t.Run(c.name, c.play)
	}
}

// TestBoundFile binds the file to another place, as containers do: a write there
// is an event; another file bound over it is none, and a glance finds it. Where
// no mount is allowed, what a watcher says in such a place is what counts.
func TestBoundFile(t *testing.T) {
	if os.Getenv(bound) == "" {
		if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
			t.Logf("no mount namespace here: %v: %s", err, out)
			s := &saver{t: t, root: t.TempDir()}
			s.home = config.Home{Dir: filepath.Join(s.root, "home")}
			s.must(os.MkdirAll(s.home.Dir, 0o700))
			s.must(os.Symlink("/proc/version", s.home.Config()))
			s.watch()
			if n := s.host.Notices(); len(n) != 1 || n[0].Code != CodeDeaf {
				t.Errorf("%+v", n)
			}
			return
		}
		child := exec.Command("unshare", "-m", os.Args[0], "-test.run=^TestBoundFile$", "-test.v")
		child.Env = append(os.Environ(), bound+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	saving{want: "new", times: 2, prepare: func(s *saver) {
		s.put(filepath.Join(s.root, "source.yaml"), page("old", 0))
		s.put(filepath.Join(s.root, "other.yaml"), page("new", 0))
		s.run("mount", "--bind", filepath.Join(s.root, "source.yaml"), s.home.Config())
		s.t.Cleanup(func() { s.run("umount", s.home.Config()) })
	}, save: func(s *saver) {
		s.put(filepath.Join(s.root, "source.yaml"), page("between", 0))
		eventually(s.t, "a write to the source counts", func() bool { return s.allows("between") })
		s.run("mount", "--bind", filepath.Join(s.root, "other.yaml"), s.home.Config())
		s.t.Cleanup(func() { s.run("umount", s.home.Config()) })
		s.host.Glance(s.t.Context())
	}}.play(t)
}
