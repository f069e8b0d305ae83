package native

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

var (
	// ErrForeign is what stands in the place of a file or folder of ours and is
	// none: a link, a folder, a pipe, a device.
	ErrForeign = errors.New("it is not a regular file of ours")
	// ErrFolder is a link, or no folder, in the place of `native/` itself.
	ErrFolder = errors.New("the folder that Hermes keeps its own files in is a link or no folder; move it away, Hermes makes it anew")
	// ErrLong is a file that is longer than its reader takes.
	ErrLong = errors.New("it is too long")
)

// Open opens a file of ours for reading. The error is ErrForeign, fs.ErrNotExist
// or the system's, in an *fs.PathError.
func Open(path string) (*os.File, fs.FileInfo, error) { return open(path, os.O_RDONLY) }

// Append opens a file of ours for writing at its end and makes it where it is
// missing. The errors are those of Open.
func Append(path string) (*os.File, fs.FileInfo, error) {
	return open(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND)
}

func open(path string, flag int) (*os.File, fs.FileInfo, error) {
	if err := standing(filepath.Dir(path)); err != nil {
		return nil, nil, err
	}
	// Before opening, because opening alone may have an effect; and after it,
	// because the place may have been taken in between.
	if err := check(path); err != nil && !(errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0) {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, flag|carefully, 0o600)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = foreign(path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

func foreign(path string) error { return &fs.PathError{Op: "open", Path: path, Err: ErrForeign} }

// check looks at what stands at a path.
func check(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return foreign(path)
	}
	return nil
}

// Read reads a whole file of ours of at most limit bytes; ErrLong tells of one
// that is longer. The other errors are those of Open.
func Read(path string, limit int64) ([]byte, error) {
	file, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrLong}
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := io.Copy(&data, io.LimitReader(file, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrLong}
	}
	return data.Bytes(), nil
}

// Replace puts new content in the place of a file of ours, or makes it, in one
// step and on the disk: whoever is killed in the middle leaves the old one or the
// new one. A link there is replaced itself.
func Replace(path string, data []byte) (err error) {
	if err := standing(filepath.Dir(path)); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// Lock gives the lock on a file of ours, not yet taken; the file is made when it
// is. What stands in its place and is no regular file is moved aside first, so
// that nobody can keep us from locking with it.
func Lock(path string) (*flock.Flock, error) {
	if err := standing(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := check(path); errors.Is(err, ErrForeign) {
		if err := SetAside(path); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|carefully), flock.SetPermissions(0o600)), nil
}

// SetAside renames what stands in the place of a file of ours to its name with
// ".damaged", where a person finds it; an earlier one of that name is replaced
// where the system replaces it.
func SetAside(path string) error {
	if err := standing(filepath.Dir(path)); err != nil {
		return err
	}
	err := os.Rename(path, path+".damaged")
	for n := 2; err != nil && !errors.Is(err, fs.ErrNotExist) && n < 10; n++ {
		err = os.Rename(path, fmt.Sprintf("%s.damaged-%d", path, n))
	}
	return err
}
