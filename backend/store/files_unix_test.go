//go:build unix

package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hermes/backend/store"
)

// TestForeignFiles puts what is no file of ours in the place of each of ours:
// nothing is opened through it, waited for, or changed behind it.
func TestForeignFiles(t *testing.T) {
	for _, name := range []string{"state.db", "state.db-wal", "state.db-shm", "state.db-journal"} {
		for kind, put := range map[string]func(path, other string) error{
			"a link":             func(path, other string) error { return os.Symlink(other, path) },
			"a link to nothing":  func(path, other string) error { return os.Symlink(other+"-none", path) },
			"a pipe":             func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
			"a folder":           func(path, _ string) error { return os.Mkdir(path, 0o700) },
			"a link to a device": func(path, _ string) error { return os.Symlink("/dev/zero", path) },
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				home := t.TempDir()
				if name != "state.db" {
					s, err := store.Open(filepath.Join(home, "state.db"))
					must(t, err)
					must(t, s.Close())
				}
				other := filepath.Join(home, "other")
				must(t, os.WriteFile(other, []byte("of somebody else\n"), 0o644))
				must(t, put(filepath.Join(home, name), other))
				_, err := store.Open(filepath.Join(home, "state.db"))
				what, _, _ := strings.Cut(kind, " to ")
				if err == nil || !strings.Contains(err.Error(), name+" is "+what) || !strings.Contains(err.Error(), "move it away") {
					t.Errorf("got %v", err)
				}
				text, err := os.ReadFile(other)
				info, statErr := os.Stat(other)
				if err := errors.Join(err, statErr); err != nil || string(text) != "of somebody else\n" || info.Mode().Perm() != 0o644 {
					t.Errorf("the other file is %q, %v, %v", text, info.Mode(), err)
				}
				if _, err := os.Stat(other + "-none"); err == nil {
					t.Error("a file was made through the link")
				}
				// Moved away, the store works again.
				must(t, os.Remove(filepath.Join(home, name)))
				newSession(t, reopen(t, filepath.Join(home, "state.db")))
			})
		}
	}
}

// TestOpenSideFiles: what an older umask left readable is taken back.
func TestOpenSideFiles(t *testing.T) {
	s, path := openStore(t)
	newSession(t, s)
	for _, side := range []string{"", "-wal", "-shm"} {
		must(t, os.Chmod(path+side, 0o644))
	}
	reopen(t, path)
	for _, side := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + side); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", side, info.Mode(), err)
		}
	}
}

// TestForeignLocks: the lock of a turn is not taken through a link.
func TestForeignLocks(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	turns, other := filepath.Join(filepath.Dir(path), "turns"), filepath.Join(t.TempDir(), "other")
	must(t, os.Mkdir(turns, 0o700))
	must(t, os.Symlink(other, filepath.Join(turns, id+".lock")))
	_, _, release, err := s.Begin(ctx, id)
	must(t, err)
	if _, err := s.Recover(ctx, id); !errors.Is(err, store.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	release()
	must(t, os.RemoveAll(turns))
	must(t, os.Symlink(filepath.Dir(other), turns))
	if _, _, _, err := s.Begin(ctx, id); err == nil {
		t.Error("the folder of the locks was a link, and a turn began")
	}
	if _, err := os.Lstat(other); err == nil {
		t.Error("a lock was made elsewhere")
	}
}
