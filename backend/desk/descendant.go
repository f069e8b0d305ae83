package desk

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"hermes/backend/host"
	"hermes/backend/mcp"
)

// descendantOf names the server or hook whose process, or whose child, this program
// is; empty for a person's own. Servers carry a mark in their environment;
// where the system shows the environment of the processes above us, a child
// that drops the mark from its own is still found.
func descendantOf(getenv func(string) string) string {
	if name := getenv(mcp.MarkVariable); name != "" {
		return name
	}
	for pid, depth := os.Getppid(), 0; pid > 1 && depth < 64; depth++ {
		if name := markOf(pid); name != "" {
			return name
		}
		pid = parentOf(pid)
	}
	return ""
}

// starterName is what stands above such a program, as people read it.
func starterName(by string) string {
	if event, ok := strings.CutPrefix(by, host.HookMark); ok {
		return "a " + event + " hook"
	}
	return "the server '" + by + "'"
}

// markOf reads the mark from the environment another process was started with.
func markOf(pid int) string {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := strings.CutPrefix(string(entry), mcp.MarkVariable+"="); ok {
			return value
		}
	}
	return ""
}

func parentOf(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
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
