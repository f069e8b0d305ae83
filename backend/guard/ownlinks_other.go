//go:build !unix

package guard

import "io/fs"

// severalNames cannot be told cheaply here, so every file may have more.
func severalNames(fs.FileInfo) bool { return true }
