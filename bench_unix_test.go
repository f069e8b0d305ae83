//go:build unix

package main

import (
	"os"
	"syscall"
)

// peakMemory is the largest resident set of an ended process, in kilobytes.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss
}
