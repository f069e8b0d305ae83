package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestOurFolderIsNoLink: nothing is read, made or moved through a link in the place
// of `native/`, wherever it leads and however deep the file lies.
func TestOurFolderIsNoLink(t *testing.T) {
	for kind, put := range map[string]func(t *testing.T, path, other string) error{
		"link":     func(_ *testing.T, path, other string) error { return os.Symlink(other, path) },
		"dangling": func(_ *testing.T, path, other string) error { return os.Symlink(other+"-none", path) },
		"open to all": func(_ *testing.T, path, other string) error {
			return errors.Join(os.Chmod(other, 0o777), os.Symlink(other, path))
		},
		"file": func(_ *testing.T, path, _ string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(kind, func(t *testing.T) {
			home, other := t.TempDir(), t.TempDir()
			folder := filepath.Join(home, Name)
			if err := errors.Join(os.Mkdir(filepath.Join(other, "run"), 0o700), os.WriteFile(filepath.Join(other, "x"), []byte("theirs"), 0o600),
				os.WriteFile(filepath.Join(other, "run", "x"), []byte("theirs"), 0o600), put(t, folder, other)); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{filepath.Join(folder, "x"), filepath.Join(folder, "run", "x"), filepath.Join(folder, "new")} {
				_, _, opened := Open(path)
				_, _, appended := Append(path)
				_, read := Read(path, 100)
				_, locked := Lock(path)
				for name, err := range map[string]error{
					"open": opened, "append": appended, "read": read, "lock": locked,
					"replace": Replace(path, []byte("ours")), "set aside": SetAside(path),
				} {
					if !errors.Is(err, ErrFolder) {
						t.Errorf("%s of %s: %v", name, path, err)
					}
				}
			}
			for name, err := range map[string]error{
				"check": Check(folder), "make": Make(folder), "folder": Folder(folder), "folder in it": Folder(filepath.Join(folder, "run")),
			} {
				if !errors.Is(err, ErrFolder) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if HasFolder(folder) || HasFolder(filepath.Join(folder, "run")) {
				t.Error("it counts as a folder of ours")
			}
			for _, name := range []string{"x", filepath.Join("run", "x")} {
				if data, err := os.ReadFile(filepath.Join(other, name)); err != nil || string(data) != "theirs" {
					t.Errorf("%s: %q %v", name, data, err)
				}
			}
			if left, err := os.ReadDir(other); err != nil || len(left) != 2 {
				t.Errorf("%v %v", left, err)
			}
			if _, err := os.Lstat(other + "-none"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("something was made: %v", err)
			}
		})
	}
}

// TestMake: the folder is made in a home that is there, private, and a home that is
// a link is its owner's choice.
func TestMake(t *testing.T) {
	home := t.TempDir()
	link := filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(link, Name)
	if err := errors.Join(Check(folder), Make(folder), Make(folder), Check(folder)); err != nil || !HasFolder(folder) {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(home, Name)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
	if err := Make(filepath.Join(home, "none", Name)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a home was made: %v", err)
	}
}
