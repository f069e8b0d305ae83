package mcp

import (
	"os/exec"
	"syscall"
)

// confine puts the child into a session, and so a group, of its own: no
// terminal, no Ctrl-C meant for us. The parent-death signal covers the direct
// child; with a guard it is gentle, because the guard kills what ignores it.
func confine(cmd *exec.Cmd, guarded bool) {
	signal := syscall.SIGKILL
	if guarded {
		signal = syscall.SIGTERM
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: signal}
}

// members lists the living processes that belong to one of the groups, to a
// session of that number, that carry a marker, or that descend from those.
func members(groups leaders, marker string) []int {
	var found []int
	for _, t := range (kin{leaders: groups, marker: marker}).living() {
		found = append(found, t.pid)
	}
	return found
}

// endGroups terminates all members, waits, kills the rest and waits again.
func endGroups(groups leaders, marker string, t timing) {
	kin{leaders: groups, marker: marker}.end(t)
}

func (g *group) kin() kin {
	return kin{leaders: leaders{g.pgid: g.start}, marker: g.marker, seen: g.seen}
}

// remember keeps who descends from the leader now: when it has ended, nothing
// tells any more of those that shed their marks.
func (g *group) remember() {
	g.seen = leaders{}
	for _, t := range (kin{leaders: leaders{g.pgid: g.start}}).living() {
		g.seen[t.pid] = t.start
	}
}

// destroy kills the group and whoever left it, at once.
func (g *group) destroy(t timing) { g.kin().destroy(t.killGrace) }

// sweep ends what the leader left behind.
func (g *group) sweep(t timing) { g.kin().end(t) }
