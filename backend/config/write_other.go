//go:build !unix

package config

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file inherits its folder's access list.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

func hasOtherLinks(fs.FileInfo) bool { return false }

// belongsToUs cannot tell here; the folder's access list decides.
func belongsToUs(fs.FileInfo) bool { return true }

// syncFolder does nothing: folders cannot be flushed here.
func syncFolder(string) error { return nil }
