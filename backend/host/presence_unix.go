//go:build unix

package host

import (
	"io/fs"
	"os"
	"syscall"
)

// noFollow opens the file itself and never what a link leads to; a pipe in its
// place is not waited for.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ours tells whether the file belongs to the user we run as.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
