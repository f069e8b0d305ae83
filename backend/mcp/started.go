package mcp

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// UnknownStarter stands for a server or a hook that started a process and of which
// nothing but its brand is left to tell which it was. No server can have the name.
const UnknownStarter = "\x00"

// maxAbove bounds how far the processes above one are looked at.
const maxAbove = 64

// StartedBy names the server or the hook (by what MarkVariable says) whose process,
// or whose child, this program is; it is empty for a person's own. Three things
// tell, and any of them is enough: the mark in the own environment; the mark in that
// of a process above, which a child that drops its own still has there; and the
// brand, which stays where both are gone (see Descends).
func StartedBy(getenv func(string) string) string {
	if name := getenv(MarkVariable); name != "" {
		return name
	}
	if name := markedAbove(os.Getppid()); name != "" {
		return name
	}
	if ownBrand() {
		return UnknownStarter
	}
	return ""
}

// markedAbove gives the mark of a process or of one above it.
func markedAbove(pid int) string {
	for depth := 0; pid > 1 && depth < maxAbove; depth++ {
		if name := markIn(pid); name != "" {
			return name
		}
		pid = parentOf(pid)
	}
	return ""
}

// markIn reads the mark from the environment another process was started with.
func markIn(pid int) string {
	environ, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil {
		return ""
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := strings.CutPrefix(string(entry), MarkVariable+"="); ok {
			return value
		}
	}
	return ""
}

func parentOf(pid int) int {
	stat, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return 0
	}
	// The command in parentheses may hold anything, so look behind the last one.
	_, rest, ok := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
	if !ok {
		return 0
	}
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return parent
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
