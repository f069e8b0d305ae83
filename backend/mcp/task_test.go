//go:build unix

package mcp

import (
	"bufio"
	"context"
	"errors"
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

// runTaskPeer is a task that forks two stubborn processes, one of them outside
// its group, and hangs.
func runTaskPeer(folder string) int {
	for _, kind := range []string{"__child", "__daemon"} {
		startDaemon(kind, folder)
	}
	waitForLines(filepath.Join(folder, "children"), 2)
	appendLine(filepath.Join(folder, "ready"), "yes")
	select {}
}

// runTaskProgram is a program that runs such a task and is killed.
func runTaskProgram(folder string) int {
	m := New(Options{Guard: guardArgs()})
	go func() {
		waitForLines(filepath.Join(folder, "ready"), 1)
		fmt.Println("ready")
	}()
	_, err := m.RunTask(context.Background(), Task{Path: os.Args[0], Args: []string{"__task", folder}, Limit: time.Minute})
	fmt.Println("ended", err)
	return 1
}

func shell(script string) Task {
	return Task{Path: "/bin/sh", Args: []string{"-c", script}, Limit: time.Minute, MaxOutput: 1 << 10, MaxErrors: 4}
}

func TestTaskAnswers(t *testing.T) {
	t.Setenv("HERMES_TEST_TOKEN", "secret")
	m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
	for name, c := range map[string]struct {
		script, input string
		want          TaskEnd
	}{
		"echo":           {"cat; echo 123456 >&2; exit 3", "hello", TaskEnd{Output: []byte("hello"), Errors: []byte("1234"), Code: 3}},
		"reads nothing":  {"echo ok", strings.Repeat("x", 1<<20), TaskEnd{Output: []byte("ok\n")}},
		"killed":         {"kill -9 $$", "", TaskEnd{Code: -1}},
		"just fits":      {"head -c 1024 /dev/zero | tr '\\0' x", "", TaskEnd{Output: []byte(strings.Repeat("x", 1024))}},
		"too long":       {"yes; sleep 1000", "", TaskEnd{Output: []byte(strings.Repeat("y\n", 512)), Code: -1, Long: true}},
		"a little long":  {"head -c 1025 /dev/zero | tr '\\0' x", "", TaskEnd{Output: []byte(strings.Repeat("x", 1024)), Long: true}},
		"holds its pipe": {"sleep 1000 & echo ok", "", TaskEnd{Output: []byte("ok\n")}},
		"no token":       {`printf "$HERMES_TEST_TOKEN$MINE"`, "", TaskEnd{Output: []byte("set")}},
	} {
		t.Run(name, func(t *testing.T) {
			task := shell(c.script)
			task.Input, task.Env = []byte(c.input), map[string]string{"MINE": "set"}
			end, err := m.RunTask(testContext(t), task)
			if c.want.Long {
				// It may have ended by itself or been killed.
				end.Code = c.want.Code
			}
			if err != nil || string(end.Output) != string(c.want.Output) || string(end.Errors) != string(c.want.Errors) ||
				end.Code != c.want.Code || end.Late != c.want.Late || end.Long != c.want.Long {
				t.Errorf("%v %q %q %d late %v long %v", err, end.Output, end.Errors, end.Code, end.Late, end.Long)
			}
		})
	}
	if _, err := m.RunTask(testContext(t), Task{Path: "/nowhere/x", Limit: time.Second}); err == nil {
		t.Error("a program that is not there started")
	}
}

// runTask runs the stubborn task in the background.
func runTask(ctx context.Context, m *Manager, folder string, limit time.Duration) func() (TaskEnd, error) {
	type result struct {
		end TaskEnd
		err error
	}
	done := make(chan result, 1)
	go func() {
		end, err := m.RunTask(ctx, Task{Path: os.Args[0], Args: []string{"__task", folder}, Limit: limit})
		done <- result{end, err}
	}()
	return func() (TaskEnd, error) { r := <-done; return r.end, r.err }
}

func TestTaskIsKilledWithItsTree(t *testing.T) {
	for _, how := range []string{"cancelled", "closed"} {
		t.Run(how, func(t *testing.T) {
			folder := t.TempDir()
			m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
			ctx, cancel := context.WithCancel(testContext(t))
			defer cancel()
			ended := runTask(ctx, m, folder, time.Minute)
			waitForLines(filepath.Join(folder, "ready"), 1)
			pids := childrenOf(t, folder)
			if how == "cancelled" {
				cancel()
			} else if err := m.Close(); err != nil {
				t.Error(err)
			}
			if end, err := ended(); !errors.Is(err, context.Canceled) || end.Late || end.Code != -1 {
				t.Errorf("%+v %v", end, err)
			}
			for _, pid := range pids {
				eventually(t, "what it forked is gone", func() bool { return gone(pid) })
			}
		})
	}
}

// The time of a task is tried longer until its forks are there to be killed.
func TestLateTaskIsKilledWithItsTree(t *testing.T) {
	m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
	for limit := time.Second; ; limit *= 2 {
		folder := t.TempDir()
		end, err := runTask(testContext(t), m, folder, limit)()
		if err != nil || !end.Late || end.Code != -1 {
			t.Fatalf("%+v %v", end, err)
		}
		for _, line := range linesOf(filepath.Join(folder, "children")) {
			pid, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "what it forked is gone", func() bool { return gone(pid) })
		}
		if linesOf(filepath.Join(folder, "ready")) != nil {
			return
		}
	}
}

func TestNothingBeginsAfterClose(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.RunTask(testContext(t), shell("true")); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestNoTaskOutlivesAKilledProgram kills a program the hard way while a task of
// it hangs.
func TestNoTaskOutlivesAKilledProgram(t *testing.T) {
	folder := t.TempDir()
	program := exec.Command(os.Args[0], "__taskprogram", folder)
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the program said %q (%v)", line, err)
	}
	pids := childrenOf(t, folder)
	if err := program.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()
	for _, pid := range pids {
		eventually(t, "what it forked is gone", func() bool { return gone(pid) })
	}
}
