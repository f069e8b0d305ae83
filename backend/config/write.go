package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// errMoved says that the file is not the one that was read any more.
var errMoved = errors.New("the file changed while it was being edited")

// writer puts new content in place of old. rename is os.Rename but for tests.
// copies is the folder for what a file held before it is written in place, the
// file's own where it is empty.
type writer struct {
	rename func(from, to string) error
	copies string
}

func newWriter() writer { return writer{rename: os.Rename} }

// replace gives a file new content in one step: a file of its own in the folder
// of the link's target, with the old one's mode and owner, flushed, renamed
// over it, the folder flushed. Where a rename is not possible or would lose
// something - a mount point, a folder that is not ours, a second hard link, an
// owner that cannot be given - the content is written into the file itself.
// old is what was read; errMoved says that something else is there by now.
func (w writer) replace(path string, old, data []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if hasOtherLinks(info) {
		return w.inPlace(path, target, old, data)
	}
	temp, err := writeBeside(target, info, data)
	if isImpossible(err) {
		return w.inPlace(path, target, old, data)
	}
	if err != nil {
		return err
	}
	err = w.swap(temp, target, old)
	if err != nil {
		// Gone already where the rename happened.
		if left := os.Remove(temp); left != nil && !errors.Is(left, fs.ErrNotExist) {
			err = errors.Join(err, left)
		}
	}
	if isImpossible(err) {
		return w.inPlace(path, target, old, data)
	}
	return err
}

// begin makes a file that is not there yet, readable by its owner alone, in one
// step. errMoved says that there is one by now. A link that leads nowhere stays
// a link: the file is made where it leads.
func (w writer) begin(path string, data []byte) (err error) {
	target, err := danglingTarget(path)
	if err != nil {
		return err
	}
	temp, err := writeTemp(target, data)
	if err != nil {
		return err
	}
	// A link does not replace what somebody else made in the meantime; where
	// there are none, the look before the rename has to do.
	switch err = os.Link(temp, target); {
	case err == nil:
		err = os.Remove(temp)
	case errors.Is(err, fs.ErrExist):
		return errors.Join(errMoved, os.Remove(temp))
	default:
		if _, stat := os.Lstat(target); stat == nil {
			return errors.Join(errMoved, os.Remove(temp))
		}
		if err = w.rename(temp, target); err != nil {
			return errors.Join(err, os.Remove(temp))
		}
	}
	return errors.Join(err, syncFolder(filepath.Dir(target)))
}

// danglingTarget follows a link whose end is missing.
func danglingTarget(path string) (string, error) {
	const maxLinks = 40
	for range maxLinks {
		next, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link: here the file is to be
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	return "", fmt.Errorf("%s: too many links", path)
}

// writeTemp writes a new file of ours beside a path and flushes it.
func writeTemp(path string, data []byte) (name string, err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temp.Name()))
	}
	return temp.Name(), nil
}

// swap compares once more, as late as can be, and renames.
func (w writer) swap(temp, target string, old []byte) error {
	switch same, err := equalBytes(target, old); {
	case err != nil:
		return err
	case !same:
		return errMoved
	}
	if err := w.rename(temp, target); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(target))
}

// writeBeside writes a new file beside the target and flushes it.
func writeBeside(target string, info fs.FileInfo, data []byte) (path string, err error) {
	temp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*.tmp")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(data)
	if err == nil {
		err = keepOwner(temp, info)
	}
	if err == nil {
		// After the owner: changing it may drop mode bits.
		err = temp.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = temp.Sync()
	}
	return temp.Name(), errors.Join(err, temp.Close())
}

// isImpossible tells the errors after which writing in place may still do.
func isImpossible(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV) ||
		errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTSUP)
}
