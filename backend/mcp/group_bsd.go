//go:build unix && !linux

package mcp

import (
	"os/exec"
	"syscall"
)

// confine puts the child into a session, and so a group, of its own: no
// terminal, no Ctrl-C meant for us.
func confine(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// members answers for whole groups: the negative number of each that still has
// a process. Processes that left their group cannot be found here.
func members(pgids map[int]bool, _ string) []int {
	var found []int
	for pgid := range pgids {
		if syscall.Kill(-pgid, 0) == nil {
			found = append(found, -pgid)
		}
	}
	return found
}

func signalAll(pgids map[int]bool, _ string, sig syscall.Signal) {
	for pgid := range pgids {
		_ = syscall.Kill(-pgid, sig)
	}
}
