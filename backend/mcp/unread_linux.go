package mcp

import (
	"os"

	"golang.org/x/sys/unix"
)

// wasRead tells whether the other end has read everything written to a pipe.
// Until a server has read the probe its silence says nothing: it is still
// starting. (TIOCINQ is the name of FIONREAD here.)
func wasRead(pipe *os.File) bool {
	control, err := pipe.SyscallConn()
	if err != nil {
		return true
	}
	unread := 0
	err = control.Control(func(fd uintptr) {
		if n, fault := unix.IoctlGetInt(int(fd), unix.TIOCINQ); fault == nil {
			unread = n
		}
	})
	return err != nil || unread == 0
}
