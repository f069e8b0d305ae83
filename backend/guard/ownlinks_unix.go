//go:build unix

package guard

import (
	"io/fs"
	"syscall"
)

// severalNames tells whether a file has more than one hard link.
func severalNames(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Nlink > 1
}

func onlyName(info fs.FileInfo) bool { return !severalNames(info) }
