//go:build unix

package config

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// limitedWriter names the file that TestPlaceWithoutRoom writes in a process of
// its own, which may make no file larger than the number after it.
const limitedWriter = "HERMES_TEST_LIMITED"

// A full disk and a limit of the process fail in the middle of a write.
func TestPlaceWithoutRoom(t *testing.T) {
	if spec := os.Getenv(limitedWriter); spec != "" {
		writeLimited(t, spec)
		return
	}
	for name, limit := range map[string]int{"in what is added": len(demo) + 10, "at the end": len(demo), "in what is there": len(demo) / 2} {
		t.Run(name, func(t *testing.T) {
			h := home(t, demo)
			if err := os.Link(h.Config(), filepath.Join(h.Dir, "other.yaml")); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(h.Native(), 0o700); err != nil {
				t.Fatal(err)
			}
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe, "-test.run=^TestPlaceWithoutRoom$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d|%s", limitedWriter, limit, h.Dir))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !strings.Contains(string(out), "the old content is back") && !strings.Contains(string(out), "nothing was changed") {
				t.Errorf("the error does not say what the file holds:\n%s", out)
			}
			if got := get(t, h.Config()); got != demo {
				t.Errorf("the file was damaged:\n%s", got)
			}
			if left := open(t, h).write.left(h.Config()); left != "" {
				t.Errorf("%s was left", left)
			}
		})
	}
}

func writeLimited(t *testing.T, spec string) {
	var limit uint64
	var dir string
	if _, err := fmt.Sscanf(strings.Replace(spec, "|", " ", 1), "%d %s", &limit, &dir); err != nil {
		t.Fatal(err)
	}
	h := Home{Dir: dir}
	f := Open(h, Options{Getenv: env("HOME", dir)})
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	small := was
	small.Cur = limit
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	err := f.write.replace(h.Config(), []byte(demo), []byte("# new\n"+strings.Repeat(demo, 20)))
	if back := unix.Setrlimit(unix.RLIMIT_FSIZE, &was); back != nil {
		t.Fatal(back)
	}
	if err == nil {
		t.Fatal("the write did not fail")
	}
	fmt.Println(err)
}
