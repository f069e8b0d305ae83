//go:build unix

package native

import (
	"os"
	"syscall"
)

// carefully opens the file itself and never what a link leads to; a pipe in its
// place is not waited for.
const carefully = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// syncFolder flushes a folder's entries to the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
