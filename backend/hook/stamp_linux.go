package hook

import (
	"io/fs"
	"syscall"
)

// stamp is what the system keeps of a file and moves with every write, rename
// and change of its owner; the last of its times no program can set.
type stamp struct {
	device, inode uint64
	size          int64
	modified      syscall.Timespec
	changed       syscall.Timespec
}

func stampOf(info fs.FileInfo) stamp {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	return stamp{uint64(stat.Dev), stat.Ino, stat.Size, stat.Mtim, stat.Ctim}
}
