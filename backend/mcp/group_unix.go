//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// group is a server's process group, named by its leader, and the marker its
// members carry.
type group struct {
	pgid   int
	marker string
}

// adopt names the group of a process that was just started.
func adopt(cmd *exec.Cmd, marker string) (*group, error) {
	return &group{pgid: cmd.Process.Pid, marker: marker}, nil
}

func (g *group) terminate() { _ = syscall.Kill(-g.pgid, syscall.SIGTERM) }
func (g *group) kill()      { _ = syscall.Kill(-g.pgid, syscall.SIGKILL) }

// destroy kills the group and whoever left it, at once.
func (g *group) destroy() { signalAll(map[int]bool{g.pgid: true}, g.marker, syscall.SIGKILL) }

// sweep ends what the leader left behind.
func (g *group) sweep(t timing) {
	endGroups(map[int]bool{g.pgid: true}, g.marker, t)
}

func (g *group) release() {}

// endGroups terminates all members, waits, kills the rest and waits again.
func endGroups(pgids map[int]bool, marker string, t timing) {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, t.termGrace}, {syscall.SIGKILL, t.killGrace}} {
		if len(members(pgids, marker)) == 0 {
			return
		}
		signalAll(pgids, marker, step.signal)
		awaitNone(pgids, marker, step.wait)
	}
}

// awaitNone looks again until no member is left or the time is over. Nothing
// announces the end of a process that is not our own child.
func awaitNone(pgids map[int]bool, marker string, limit time.Duration) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for len(members(pgids, marker)) > 0 {
		select {
		case <-deadline.C:
			return
		case <-tick.C:
		}
	}
}

// detach gives the guard a session of its own, so that what is meant for our
// group or terminal does not reach it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func guardDir() string { return "/" }

func guardEnviron() []string { return []string{"PATH=" + os.Getenv("PATH")} }

// ignoreSignals keeps the guard alive until its pipe ends.
func ignoreSignals() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
}
