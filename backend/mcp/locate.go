package mcp

import (
	"os"
	"path/filepath"

	"hermes/backend/config"
)

// Locate gives the file that an expanded connection would start, links followed;
// empty for a server that is no program, and where it is not found without asking
// the person's login shell.
func Locate(conn config.Connection) string {
	if conn.Transport != config.TransportStdio {
		return ""
	}
	find := newFinder(childEnviron(os.Environ(), conn.Env), conn.Env, nil)
	path, err := find.find(conn.Command, conn.Cwd)
	if path == "" || err != nil && !executable(path) {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
