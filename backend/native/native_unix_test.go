//go:build unix

package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

const foreignText = "of somebody else\n"

// inPlaces puts what is no file of ours in the place of one, each kind once.
func inPlaces() map[string]func(path, other string) error {
	return map[string]func(path, other string) error{
		"pipe":   func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"link":   func(path, other string) error { return os.Symlink(other, path) },
		"zero":   func(path, _ string) error { return os.Symlink("/dev/zero", path) },
		"folder": func(path, _ string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o700) },
		"socket": func(path, _ string) error {
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				return err
			}
			return errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Close(fd))
		},
		"long": func(path, _ string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<30))
		},
	}
}

func TestForeign(t *testing.T) {
	for kind, put := range inPlaces() {
		t.Run(kind, func(t *testing.T) {
			folder, err := os.MkdirTemp("", "n")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(folder) })
			path, other := filepath.Join(folder, "x"), filepath.Join(folder, "other")
			if err := errors.Join(os.WriteFile(other, []byte(foreignText), 0o644), put(path, other)); err != nil {
				t.Fatal(err)
			}
			want := ErrForeign
			if kind == "long" {
				want = ErrLong
			} else if file, _, err := Append(path); !errors.Is(err, ErrForeign) {
				t.Errorf("appended: %v %v", file, err)
			}
			if data, err := Read(path, 1<<10); !errors.Is(err, want) || data != nil {
				t.Errorf("read %d bytes: %v", len(data), err)
			}
			lock, err := Lock(path)
			if err != nil {
				t.Fatal(err)
			}
			if held, err := lock.TryLock(); err != nil || !held {
				t.Errorf("not locked: %v", err)
			}
			_ = lock.Close()
			if kind != "folder" {
				if err := Replace(path, []byte("ours")); err != nil {
					t.Error(err)
				}
				if data, err := Read(path, 10); err != nil || string(data) != "ours" {
					t.Errorf("%q %v", data, err)
				}
			}
			if data, err := os.ReadFile(other); err != nil || string(data) != foreignText {
				t.Errorf("the foreign file holds %q: %v", data, err)
			}
		})
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := Folder(link); !errors.Is(err, ErrForeign) || HasFolder(link) {
		t.Errorf("a link is a folder of ours: %v", err)
	}
	if err := Folder(filepath.Join(dir, "new")); err != nil || !HasFolder(filepath.Join(dir, "new")) {
		t.Error(err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	file, info, err := Append(filepath.Join(dir, "log"))
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	_ = file.Close()
	for range 3 {
		if err := SetAside(filepath.Join(dir, "new")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}
