//go:build !unix

package config

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file inherits its folder's access list.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

func hasOtherLinks(fs.FileInfo) bool { return false }

// syncFolder does nothing: folders cannot be flushed here.
func syncFolder(string) error { return nil }
