//go:build !((desktop && production) || dev || bindings)

package main

import "io/fs"

const windowBuild = false

// runWindow is never called in this build: the command line looks for the
// window program instead.
func runWindow(string, fs.FS) int { return 1 }
