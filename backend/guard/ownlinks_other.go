//go:build !unix

package guard

import "io/fs"

// severalNames cannot be told cheaply here, so every file may have more.
func severalNames(fs.FileInfo) bool { return true }

// onlyName cannot be told here either; the folder is only ours to write in.
func onlyName(fs.FileInfo) bool { return true }
