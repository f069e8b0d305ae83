package config

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve takes the space for a file's new content without changing what it
// holds. A file system that cannot do so is no error: then the write tells.
func reserve(file *os.File, length int) error {
	if length == 0 {
		return nil
	}
	for {
		err := unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, int64(length))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL), errors.Is(err, unix.EPERM):
			return nil
		}
		return err
	}
}
