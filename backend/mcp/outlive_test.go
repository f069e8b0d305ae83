//go:build unix

package mcp

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// runOutlive are the peers that try to stay behind.
func runOutlive(kind string, args []string) int {
	switch kind {
	case "__daemon":
		// Between a server and its daemon: gone before anybody can ask for it.
		startDaemon("__child", args[0])
		return 0
	case "__programs":
		return runPrograms(args)
	case "__task":
		return runTaskPeer(args[0])
	case "__taskprogram":
		return runTaskProgram(args[0])
	}
	return runDescend(kind, args)
}

// startDaemon starts this binary in a session of its own, with none of the
// descriptors that were open here.
func startDaemon(kind, folder string) {
	cmd := exec.Command(os.Args[0], kind, folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
	if kind == "__daemon" {
		_ = cmd.Wait()
	}
}

// daemonize leaves a process that ignores polite signals, has another parent,
// group, session and no descriptor of ours, twice.
func daemonize(folder string) {
	for range 2 {
		startDaemon("__daemon", folder)
	}
	waitForLines(filepath.Join(folder, "children"), 2)
}

// runPrograms is a program with two servers, which the test kills.
func runPrograms(args []string) int {
	m := New(Options{Guard: guardArgs()})
	m.apply(wants(stdioWant("forks", "__server", "fork", args[0]), stdioWant("daemons", "__server", "daemon", args[1])))
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if missing := m.Wait(ctx, nil); len(missing) > 0 {
		fmt.Println("missing", missing)
		return 1
	}
	first := guardOf(m)
	fmt.Println("ready", m.Status("forks").PID, m.Status("daemons").PID, first.Pid)
	// The test kills the guard, and then us once there is another one.
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		if next := guardOf(m); next != nil && next.Pid != first.Pid {
			fmt.Println("guarded", next.Pid)
			select {}
		}
	}
}

// startPrograms gives the program, what it says, and the numbers of its servers
// and of what these left behind; the last number is its guard's.
func startPrograms(t *testing.T) (program *exec.Cmd, out *bufio.Reader, pids []int, guard int) {
	t.Helper()
	one, two := t.TempDir(), t.TempDir()
	program = exec.Command(os.Args[0], "__programs", one, two)
	pipe, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Process.Kill(); _ = program.Wait() })
	out = bufio.NewReader(pipe)
	line, err := out.ReadString('\n')
	words := strings.Fields(line)
	if err != nil || len(words) != 4 || words[0] != "ready" {
		t.Fatalf("the program said %q (%v)", line, err)
	}
	for _, word := range words[1:] {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	guard = pids[2]
	pids = append(append(pids[:2], childrenOf(t, one)...), childrenOf(t, two)...)
	return program, out, pids, guard
}

// TestDaemonsEndWithAKilledProgram kills a program whose servers left processes
// with another parent, group and session, without any descriptor of ours.
func TestDaemonsEndWithAKilledProgram(t *testing.T) {
	program, _, pids, guard := startPrograms(t)
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range append(pids, guard) {
		eventually(t, "all of it is gone", func() bool { return gone(pid) })
	}
}

// TestKilledGuardIsReplacedAtOnce kills the guard, and the program when it has
// the next one: nobody started or stopped a server meanwhile.
func TestKilledGuardIsReplacedAtOnce(t *testing.T) {
	program, out, pids, guard := startPrograms(t)
	if err := syscall.Kill(guard, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); err != nil || !strings.HasPrefix(line, "guarded ") {
		t.Fatalf("the program said %q (%v)", line, err)
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		eventually(t, "all of it is gone", func() bool { return gone(pid) })
	}
}

// TestGuardThatAlwaysEnds is not started for ever.
func TestGuardThatAlwaysEnds(t *testing.T) {
	m := testManager(t, Options{Guard: []string{"/bin/true"}}, quickTiming())
	connect(t, m, stdioWant("s", "__server", "tools"))
	g := m.launcher.guard
	eventually(t, "it is given up for now", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.cmd == nil
	})
	call(t, m, "s", "echo", "{}")
}

// TestNothingIsLeftAfterReload: what an entry's program left behind ends when
// the entry changes, and when it is removed.
func TestNothingIsLeftAfterReload(t *testing.T) {
	for _, fault := range []string{"fork", "daemon"} {
		t.Run(fault, func(t *testing.T) {
			one, two := t.TempDir(), t.TempDir()
			m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
			first := connect(t, m, stdioWant("s", "__server", fault, one))
			left := append(childrenOf(t, one), first.PID)
			m.apply(wants(stdioWant("s", "__server", fault, two)))
			second := waitUntil(t, m, "s", func(s Status) bool { return s.State == StateConnected && s.PID != first.PID })
			for _, pid := range left {
				eventually(t, "what the old entry started is gone", func() bool { return gone(pid) })
			}
			left = append(childrenOf(t, two), second.PID)
			m.apply(nil)
			for _, pid := range left {
				eventually(t, "what the removed entry started is gone", func() bool { return gone(pid) })
			}
		})
	}
}

// TestStoppedServersAreCollected: however a server ends, no zombie of it stays.
func TestStoppedServersAreCollected(t *testing.T) {
	m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
	ends := []want{}
	for _, fault := range []string{"tools", "stubborn", "exit", "deaf", "exit-on-probe", "silent"} {
		ends = append(ends, stdioWant(fault, "__server", fault))
	}
	m.apply(wants(ends...))
	waitUntil(t, m, "stubborn", isState(StateConnected))
	crashed := waitUntil(t, m, "tools", isState(StateConnected)).PID
	if err := syscall.Kill(crashed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, m, "tools", func(s Status) bool { return s.State == StateConnected && s.PID != crashed })
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if left := zombies(t); len(left) > 0 {
		t.Errorf("zombies %v", left)
	}
}

// zombies are the ended children of this process that nobody collected.
func zombies(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("ps", "-axo", "pid=,ppid=,stat=").Output()
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[1] == strconv.Itoa(os.Getpid()) && strings.HasPrefix(fields[2], "Z") {
			left = append(left, fields[0])
		}
	}
	return left
}
