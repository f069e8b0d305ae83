package mcp

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
// session of that number, or that carry a marker beginning with the given text.
// Zombies are dead: they hold nothing and their parent collects them.
func members(pgids map[int]bool, marker string) []int {
	self := os.Getpid()
	wanted := []byte(markerVariable + "=" + marker)
	folders, _ := filepath.Glob("/proc/[0-9]*")
	var found []int
	for _, folder := range folders {
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil || pid == self || pid == 1 {
			continue
		}
		state, group, session, ok := readStat(folder)
		if !ok || state == 'Z' || state == 'X' {
			continue
		}
		if pgids[group] || pgids[session] || marked(folder, wanted) {
			found = append(found, pid)
		}
	}
	return found
}

// readStat reads a process's state, group and session. The name before them may
// hold spaces and parentheses, so the fields are counted from the last one.
func readStat(folder string) (state byte, group, session int, ok bool) {
	data, err := os.ReadFile(folder + "/stat")
	if err != nil {
		return 0, 0, 0, false
	}
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return 0, 0, 0, false
	}
	fields := bytes.Fields(data[end+1:])
	if len(fields) < 4 {
		return 0, 0, 0, false
	}
	group, errGroup := strconv.Atoi(string(fields[2]))
	session, errSession := strconv.Atoi(string(fields[3]))
	return fields[0][0], group, session, errGroup == nil && errSession == nil
}

// marked tells whether the process was started with our marker. The environment
// of other users' processes cannot be read, and they are not ours.
func marked(folder string, wanted []byte) bool {
	environ, err := os.ReadFile(folder + "/environ")
	if err != nil {
		return false
	}
	return bytes.HasPrefix(environ, wanted) || bytes.Contains(environ, append([]byte{0}, wanted...))
}

// signalAll signals the groups and whoever left them. A process is held by a
// descriptor while its membership is checked again, so a reused number is never
// hit.
func signalAll(pgids map[int]bool, marker string, sig syscall.Signal) {
	for pgid := range pgids {
		_ = syscall.Kill(-pgid, sig)
	}
	wanted := []byte(markerVariable + "=" + marker)
	for _, pid := range members(pgids, marker) {
		process, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		folder := "/proc/" + strconv.Itoa(pid)
		_, group, session, ok := readStat(folder)
		if ok && !pgids[group] && (pgids[session] || marked(folder, wanted)) {
			_ = process.Signal(sig)
		}
		_ = process.Release()
	}
}
