//go:build unix && !linux

package mcp

import (
	"context"
	"os/exec"
	"time"
)

// processTable asks ps(1): the systems without /proc have no other way that is
// the same on all of them.
func processTable() []processRow {
	const limit = 2 * time.Second
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	out, err := exec.CommandContext(ctx, "/bin/ps", "-axo", "pid=,ppid=,pgid=,rss=,time=").Output()
	if err != nil {
		return nil
	}
	return parsePS(string(out))
}
