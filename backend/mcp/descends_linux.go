package mcp

import "golang.org/x/sys/unix"

// Descends tells whether another process may come from a server or a hook that a
// Hermes process started. A server's processes carry their brand through forks,
// sessions and clean environments, and can make it only smaller; so whatever has
// another limit than this process counts as one, and so does a process that
// cannot be asked. A process with the right to raise limits can shed it.
func Descends(pid int) bool {
	var own, its unix.Rlimit
	if unix.Prlimit(0, brandLimit, nil, &own) != nil || pid <= 0 || unix.Prlimit(pid, brandLimit, nil, &its) != nil {
		return true
	}
	return own != its
}
