//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// group is a server's process group, named by its leader and when that began, and
// the marker its members carry.
type group struct {
	pgid   int
	start  uint64
	marker string
	// seen are the descendants that were there when the stop began.
	seen leaders
}

// adopt names the group of a process that was just started.
func adopt(cmd *exec.Cmd, marker string) (*group, error) {
	return &group{pgid: cmd.Process.Pid, start: startOf(cmd.Process.Pid), marker: marker}, nil
}

func (g *group) terminate() { _ = syscall.Kill(-g.pgid, syscall.SIGTERM) }
func (g *group) kill()      { _ = syscall.Kill(-g.pgid, syscall.SIGKILL) }

// began is when the leader began, 0 when that is not known.
func (g *group) began() uint64 { return g.start }

func (g *group) release() {}

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
