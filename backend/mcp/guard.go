package mcp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// guard is our end of the one small process that outlives us for a moment: its
// standard input is a pipe only we hold, so however we end, it reads the end of
// the pipe and kills the groups we had registered (DESIGN invariant 7).
type guard struct {
	logger *slog.Logger
	args   []string
	token  string

	mu     sync.Mutex
	pipe   *os.File
	cmd    *exec.Cmd
	ended  chan struct{}
	groups leaders
	closed bool
	// deaths counts the guards that ended while they were needed.
	deaths int
}

// leaders are numbers of processes, mostly leaders of groups, with when each
// began: ticks since boot, 0 for not known.
type leaders map[int]uint64

// mostDeaths is how often a guard is replaced as soon as it ends; from then on
// that happens at the next start or stop of a server.
const mostDeaths = 20

func newGuard(logger *slog.Logger, args []string, token string) *guard {
	return &guard{logger: logger, args: args, token: token, groups: leaders{}}
}

// configured tells whether there is a guard to start at all.
func (g *guard) configured() bool { return len(g.args) > 0 }

func (g *guard) ensure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.configured() || g.closed || g.pipe != nil {
		return nil
	}
	return g.startLocked()
}

func (g *guard) startLocked() error {
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("opening the guard's pipe: %w", err)
	}
	cmd := &exec.Cmd{Path: g.args[0], Args: g.args, Env: guardEnviron(), Stdin: read, Dir: guardDir()}
	detach(cmd)
	err = cmd.Start()
	_ = read.Close()
	if err != nil {
		_ = write.Close()
		return fmt.Errorf("starting the guard: %w", err)
	}
	g.pipe, g.cmd, g.ended = write, cmd, make(chan struct{})
	go g.collect(cmd, g.ended)
	lines := "=" + g.token + "\n"
	for pgid, start := range g.groups {
		lines += addLine(pgid, start)
	}
	if _, err := g.pipe.WriteString(lines); err != nil {
		g.dropLocked()
		return fmt.Errorf("writing to the guard: %w", err)
	}
	return nil
}

// collect waits for a guard and replaces one that ended while there are groups
// to guard: nobody may stop or start a server before we are killed.
func (g *guard) collect(cmd *exec.Cmd, ended chan struct{}) {
	_ = cmd.Wait()
	close(ended)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cmd != cmd || g.closed {
		return
	}
	g.dropLocked()
	if g.deaths++; g.deaths > mostDeaths || len(g.groups) == 0 {
		return
	}
	if err := g.startLocked(); err != nil {
		g.logger.Warn("the guard process is gone; servers may outlive a killed program", "error", err)
	}
}

// dropLocked forgets a guard that does not read any more.
func (g *guard) dropLocked() {
	_ = g.pipe.Close()
	_ = g.cmd.Process.Kill()
	<-g.ended
	g.pipe, g.cmd = nil, nil
}

func (g *guard) add(pgid int, start uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.groups[pgid] = start
	g.tellLocked(addLine(pgid, start))
}

func addLine(pgid int, start uint64) string {
	return "+" + strconv.Itoa(pgid) + " " + strconv.FormatUint(start, 10) + "\n"
}

func (g *guard) remove(pgid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, pgid)
	g.tellLocked("-" + strconv.Itoa(pgid) + "\n")
}

// tellLocked writes one line. A guard that was killed is replaced by a new one,
// which is told of every group.
func (g *guard) tellLocked(line string) {
	if g.closed || g.pipe == nil && (g.deaths == 0 || len(g.groups) == 0) {
		return
	}
	if g.pipe != nil {
		if _, err := g.pipe.WriteString(line); err == nil {
			return
		}
		g.dropLocked()
	}
	if err := g.startLocked(); err != nil {
		g.logger.Warn("the guard process is gone; servers may outlive a killed program", "error", err)
	}
}

// close ends the guard and waits for it.
func (g *guard) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.pipe == nil {
		return
	}
	_ = g.pipe.Close()
	<-g.ended
	g.pipe, g.cmd = nil, nil
}

// RunGuard is the body of the guard process. It reads lines "+PGID START",
// "-PGID" and "=TOKEN" until its input ends, then terminates the groups that are still
// registered, with every process marked by the token, and kills what does not
// go. The result is the exit code.
func RunGuard(in io.Reader) int {
	ignoreSignals()
	groups, token, err := readGroups(in)
	if len(groups) > 0 {
		endGroups(groups, token+".", defaultTiming())
	}
	if err != nil {
		return 1
	}
	return 0
}

func readGroups(in io.Reader) (leaders, string, error) {
	groups := leaders{}
	var token string
	var faults error
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		sign, rest := line[0], line[1:]
		if sign == '=' {
			token = rest
			continue
		}
		number, began, _ := strings.Cut(rest, " ")
		pgid, err := strconv.Atoi(number)
		// Without the time a number is taken as it is.
		start, _ := strconv.ParseUint(began, 10, 64)
		// 0 and 1 would mean our own group and every process of the user.
		if err != nil || pgid <= 1 || (sign != '+' && sign != '-') {
			faults = errors.Join(faults, fmt.Errorf("unreadable line %q", line))
			continue
		}
		if sign == '+' {
			groups[pgid] = start
		} else {
			delete(groups, pgid)
		}
	}
	return groups, token, errors.Join(faults, lines.Err())
}
