//go:build unix && !linux

package mcp

import (
	"os/exec"
	"syscall"
	"time"
)

// confine puts the child into a session, and so a group, of its own: no
// terminal, no Ctrl-C meant for us.
func confine(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// brand has nothing to write here that a child would inherit.
func brand(int, string) {}

// startOf is not known here.
func startOf(int) uint64 { return 0 }

func (g *group) remember() {}

// destroy kills the group at once.
func (g *group) destroy(timing) { signalAll(leaders{g.pgid: g.start}, syscall.SIGKILL) }

// sweep ends what the leader left behind.
func (g *group) sweep(t timing) { endGroups(leaders{g.pgid: g.start}, g.marker, t) }

// members answers for whole groups: the negative number of each that still has
// a process. Processes that left their group cannot be found here.
func members(groups leaders, _ string) []int {
	var found []int
	for pgid := range groups {
		if syscall.Kill(-pgid, 0) == nil {
			found = append(found, -pgid)
		}
	}
	return found
}

func signalAll(groups leaders, sig syscall.Signal) {
	for pgid := range groups {
		_ = syscall.Kill(-pgid, sig)
	}
}

// endGroups terminates all members, waits, kills the rest and waits again.
func endGroups(groups leaders, marker string, t timing) {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, t.termGrace}, {syscall.SIGKILL, t.killGrace}} {
		if len(members(groups, marker)) == 0 {
			return
		}
		signalAll(groups, step.signal)
		awaitNone(groups, marker, step.wait)
	}
}

// awaitNone looks again until no member is left or the time is over. Nothing
// announces the end of a process that is not our own child.
func awaitNone(groups leaders, marker string, limit time.Duration) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for len(members(groups, marker)) > 0 {
		select {
		case <-deadline.C:
			return
		case <-tick.C:
		}
	}
}
