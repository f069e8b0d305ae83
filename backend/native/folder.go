package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Name is the name of our own folder in a home.
const Name = "native"

// standing refuses what lies in a folder of that name that is a link, or none at
// all: whoever can put a link there, or write where it leads to, would keep our
// records for us. The nearest one above a path is ours; what lies in no such folder
// is only tested, or is no file of a home.
func standing(path string) error {
	for dir := filepath.Clean(path); ; {
		if filepath.Base(dir) == Name {
			if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
				return &fs.PathError{Op: "open", Path: dir, Err: ErrFolder}
			}
			return nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

// Check tells whether our folder can be used: nil also where it is missing, an
// error that wraps ErrFolder where a link or a file stands in its place.
func Check(folder string) error {
	if err := standing(folder); err != nil {
		return err
	}
	info, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "open", Path: folder, Err: ErrFolder}
	}
	return err
}

// Make makes our folder in a home that is there, for its owner alone, where it is
// missing. The error wraps ErrFolder for what is no folder.
func Make(folder string) error {
	if err := Check(folder); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return Check(folder)
}

// Folder makes a folder in ours, for its owner alone, where it is missing. One
// that is a link to elsewhere, or no folder, is ErrForeign.
func Folder(path string) error {
	if err := standing(path); err != nil {
		return err
	}
	err := os.MkdirAll(path, 0o700)
	if info, look := os.Lstat(path); look == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: path, Err: ErrForeign}
	}
	return err
}

// HasFolder tells whether the folder is there, and no link.
func HasFolder(path string) bool {
	if standing(path) != nil {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
