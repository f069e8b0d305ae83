//go:build !linux

package mcp

import "os"

// wasRead cannot be known here, so the time of silence begins with the write.
func wasRead(*os.File) bool { return true }
