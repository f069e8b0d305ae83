//go:build linux || openbsd || dragonfly

package config

import (
	"io/fs"
	"syscall"
)

// inode is what tells a file from another of the same size and time: when its
// inode changed, in nanoseconds, and which it is.
func inode(info fs.FileInfo) (ctime int64, device, node uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return stat.Ctim.Nano(), uint64(stat.Dev), uint64(stat.Ino)
}
