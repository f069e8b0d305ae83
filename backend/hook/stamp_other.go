//go:build !linux

package hook

import (
	"io/fs"
	"time"
)

// stamp is what every system keeps of a file.
type stamp struct {
	size     int64
	modified time.Time
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }
