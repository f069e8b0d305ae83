package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hermes/backend/native"
)

// prepare makes the folder and the file private before SQLite sees them; its
// side files take the mode of the main one. SQLite follows links, also for what
// it writes beside the file, so whatever is not a plain file in one of these
// places is refused and left as it is. An existing file is not opened here:
// closing it would drop the locks this program holds on it.
func prepare(path string) error {
	if err := native.Folder(filepath.Dir(path)); err != nil {
		return err
	}
	for _, side := range []string{path + "-wal", path + "-shm", path + "-journal"} {
		if err := private(side); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	err := private(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // another program was quicker
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// private takes a file away from everybody but its owner.
func private(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return foreignFile{filepath.Base(path), info.Mode()}
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(path, 0o600)
	}
	return nil
}

// foreignFile is what stands in the place of a file of the store and is none.
type foreignFile struct {
	name string
	mode fs.FileMode
}

func (e foreignFile) Error() string {
	what := "a pipe or device"
	switch {
	case e.mode.IsDir():
		what = "a folder"
	case e.mode&fs.ModeSymlink != 0:
		what = "a link"
	}
	return fmt.Sprintf("%s is %s, not a file of ours: move it away", e.name, what)
}
