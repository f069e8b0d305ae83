package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a write that failed half-way leaves is the old content again.
func TestPlaceIsTakenBack(t *testing.T) {
	for name, damaged := range map[string]string{"longer": "# new\n" + demo + demo, "shorter": "# n", "same length": strings.Repeat("x", len(demo))} {
		t.Run(name, func(t *testing.T) {
			h := home(t, damaged)
			w := newWriter()
			before := w.before(h.Config())
			if err := keepCopy(before, []byte(demo)); err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(h.Config(), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			full := errors.New("no space left")
			err = takeBack(file, h.Config(), before, []byte(demo), full)
			if !errors.Is(err, full) || !strings.Contains(err.Error(), "the old content is back") || get(t, h.Config()) != demo || w.left(h.Config()) != "" {
				t.Errorf("%v\n%s", err, get(t, h.Config()))
			}
		})
	}
}

// Where the way back fails, too, the error names the copy, and the copy stays.
func TestPlaceThatCannotBeTakenBack(t *testing.T) {
	h := home(t, "half")
	before := newWriter().before(h.Config())
	if err := keepCopy(before, []byte(demo)); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(h.Config()) // for reading alone
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	err = takeBack(file, h.Config(), before, []byte(demo), errors.New("no space left"))
	if err == nil || !strings.Contains(err.Error(), before) || strings.Contains(err.Error(), "is back") || get(t, before) != demo {
		t.Error(err)
	}
}

// A copy that a killed writer left is named where the file is broken.
func TestCopyOfACutEditIsNamed(t *testing.T) {
	h := home(t, demo)
	f := open(t, h)
	if err := os.Mkdir(h.Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	before := f.write.before(h.Config())
	if err := keepCopy(before, []byte(demo)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(before); err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(before) != h.Native() {
		t.Error(before, info, err)
	}
	put(t, h.Config(), "mcp_servers: {demo: [\n")
	p := f.Load().Problems
	if len(p) != 1 || !strings.Contains(p[0].Hint, before) {
		t.Errorf("%+v", p)
	}
	if err := dropCopy(before); err != nil {
		t.Fatal(err)
	}
	if p := f.Load().Problems; strings.Contains(p[0].Hint, before) {
		t.Error("a copy that is gone is named")
	}
}

// Nothing stays of an edit in place that worked, and a copy holds for `.env`, too.
func TestPlaceLeavesNothing(t *testing.T) {
	h := home(t, demo)
	put(t, h.Env(), "A=1\n")
	if err := errors.Join(os.Link(h.Config(), filepath.Join(h.Dir, "other")), os.Link(h.Env(), filepath.Join(h.Dir, "other.env"))); err != nil {
		t.Fatal(err)
	}
	f := open(t, h)
	apply(t, f, off("demo", "read_file"))
	if err := f.SetEnv(t.Context(), "B", "2"); err != nil {
		t.Fatal(err)
	}
	if f.write.left(h.Config()) != "" || f.write.left(h.Env()) != "" || get(t, filepath.Join(h.Dir, "other.env")) != "A=1\nB=2\n" {
		t.Error("a copy was left")
	}
	if f.write.before(h.Config()) == f.write.before(h.Env()) {
		t.Error("two files share a copy")
	}
}

// What killed writers left goes with the next write, and nothing else does.
func TestLeftoversAreSwept(t *testing.T) {
	h := home(t, demo)
	put(t, h.Env(), "A=1\n")
	if err := os.Mkdir(h.Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	keep := []string{".config.yaml-mine.tmp", ".config.yaml-.tmp", ".config.yaml-1.tmp.bak", "config.yaml-1.tmp", ".other-1.tmp"}
	for _, name := range append([]string{".config.yaml-123.tmp", "..env-7.tmp", "native/.ledger.json-42.tmp"}, keep...) {
		put(t, filepath.Join(h.Dir, name), "x")
	}
	if err := os.Mkdir(filepath.Join(h.Dir, ".config.yaml-9.tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := open(t, h)
	apply(t, f, off("demo", "read_file"))
	if err := f.SetEnv(t.Context(), "B", "2"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".config.yaml-123.tmp", "..env-7.tmp", "native/.ledger.json-42.tmp"} {
		if _, err := os.Lstat(filepath.Join(h.Dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range append(keep, ".config.yaml-9.tmp") {
		if _, err := os.Lstat(filepath.Join(h.Dir, name)); err != nil {
			t.Error(err)
		}
	}
}
