package mcp

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Descends tells whether another process may come from a server or a hook that a
// Hermes process started. A server's processes carry their brand through forks,
// sessions and clean environments, and can make it only smaller; so whatever has
// another limit than this process counts as one, and so does a process that
// cannot be asked, and one with the mark in its environment or in that of a process
// above it. A process with the right to raise limits can shed the brand.
func Descends(pid int) bool {
	var own, its unix.Rlimit
	if unix.Prlimit(0, brandLimit, nil, &own) != nil || pid <= 0 || unix.Prlimit(pid, brandLimit, nil, &its) != nil {
		return true
	}
	return own != its || markedAbove(pid) != ""
}

// ownBrand tells whether this process carries a brand, or what may be left of one:
// a limit that no Hermes wrote and that its owner could have made of a brand. One
// that the first process of the system has as well was set by whoever runs it.
func ownBrand() bool {
	var own unix.Rlimit
	if unix.Prlimit(0, brandLimit, nil, &own) != nil {
		return true
	}
	return own.Cur != unix.RLIM_INFINITY && own.Cur != firstLimit()
}

// firstLimit is the limit of the first process; where that is not told, it has none.
func firstLimit() uint64 {
	data, err := os.ReadFile(procFile(1, "limits"))
	if err != nil {
		return unix.RLIM_INFINITY
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "Max file locks"); ok {
			if fields := strings.Fields(rest); len(fields) > 0 {
				if n, err := strconv.ParseUint(fields[0], 10, 64); err == nil {
					return n
				}
			}
		}
	}
	return unix.RLIM_INFINITY
}
