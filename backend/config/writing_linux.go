package config

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hasWriter tells whether somebody has the file open for writing: then no lease
// for reading is given (fcntl(2), F_SETLEASE). The lease is given back at once.
// Whatever else keeps a lease away - a file of another owner, a file system
// without leases - says nothing, and the answer is no.
func hasWriter(file *os.File) bool {
	_, err := unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err != nil {
		return errors.Is(err, unix.EAGAIN)
	}
	_, _ = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // it ends with the file as well
	return false
}
