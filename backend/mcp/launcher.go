package mcp

import (
	"crypto/rand"
	"log/slog"
	"os/exec"
	"strconv"
	"sync/atomic"
)

// MarkVariable is set to the server's name in the environment of every server,
// so that a command which only a person may give can tell that it was started
// by one (DESIGN section 4).
const MarkVariable = "HERMES_MCP_SERVER"

// markerVariable is set in the environment of every server. Descendants inherit
// it, so one that left its group (a detached browser, say) is still known as
// ours when the server is stopped. Linux also keeps it where a clean environment does
// not lose it (brand).
const markerVariable = "HERMES_SPAWN"

// launcher starts the servers' processes. It owns the guard and, where the
// system needs it, the thread that starts them.
type launcher struct {
	logger *slog.Logger
	timing timing
	guard  *guard
	token  string
	count  atomic.Int64
	thread starterThread
	login  *loginShell
}

func newLauncher(logger *slog.Logger, guardArgs []string, t timing) *launcher {
	token := rand.Text()
	l := &launcher{
		logger: logger,
		timing: t,
		guard:  newGuard(logger, guardArgs, token),
		token:  token,
	}
	l.login = newLoginShell(l, t.login)
	return l
}

func (l *launcher) nextMarker() string {
	return l.token + "." + strconv.FormatInt(l.count.Add(1), 10)
}

// ensureGuard starts the guard before the first child. Without one the servers
// still end with us in every case but a kill.
func (l *launcher) ensureGuard() {
	if err := l.guard.ensure(); err != nil {
		l.logger.Warn("the guard process did not start; servers may outlive a killed program", "error", err)
	}
}

// close ends the guard and the starting thread. All processes are stopped by
// then.
func (l *launcher) close() {
	l.login.close()
	l.guard.close()
	l.thread.close()
}

// run starts cmd in its own group. The marker is in its environment already.
func (l *launcher) run(cmd *exec.Cmd, marker string) (*group, error) {
	confine(cmd, l.guard.configured())
	err := l.thread.do(func() error {
		if err := cmd.Start(); err != nil {
			return err
		}
		// At once: what it starts before that does not inherit the brand.
		brand(cmd.Process.Pid, marker)
		return nil
	})
	if err != nil {
		return nil, err
	}
	group, err := adopt(cmd, marker)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	return group, nil
}
