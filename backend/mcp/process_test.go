//go:build unix

package mcp

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes/backend/config"
)

// gone tells whether a process is dead; a zombie nobody collects is.
func gone(pid int) bool {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return true
	}
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return strings.HasPrefix(rest, "Z")
}

func childrenOf(t *testing.T, folder string) []int {
	t.Helper()
	var pids []int
	for _, line := range linesOf(filepath.Join(folder, "children")) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		if gone(pid) {
			t.Fatalf("child %d does not even run", pid)
		}
		pids = append(pids, pid)
	}
	if len(pids) != 2 {
		t.Fatalf("children %v", pids)
	}
	return pids
}

// guardOf is the guard's process, nil for none.
func guardOf(m *Manager) *os.Process {
	g := m.launcher.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cmd == nil {
		return nil
	}
	return g.cmd.Process
}

func guardArgs() []string { return []string{os.Args[0], "__guard"} }

func TestStubbornServerIsKilled(t *testing.T) {
	m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
	status := connect(t, m, stdioWant("s", "__server", "stubborn"))
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if !gone(status.PID) {
		t.Errorf("process %d lives", status.PID)
	}
}

func TestGrandchildrenEndWithTheServer(t *testing.T) {
	for _, how := range []string{"close", "stop", "crash"} {
		t.Run(how, func(t *testing.T) {
			folder := t.TempDir()
			m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
			status := connect(t, m, stdioWant("s", "__server", "fork", folder))
			children := childrenOf(t, folder)
			switch how {
			case "close":
				if err := m.Close(); err != nil {
					t.Fatal(err)
				}
			case "stop":
				m.apply(nil)
			case "crash":
				if err := syscall.Kill(status.PID, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				waitUntil(t, m, "s", func(s Status) bool { return s.State == StateConnected && s.PID != status.PID })
			}
			for _, pid := range children {
				eventually(t, "the grandchild is gone", func() bool { return gone(pid) })
			}
		})
	}
}

// TestNothingOutlivesAKilledProgram kills a program with a Manager the hard
// way. Its server forks two processes that ignore polite signals, one of them
// outside the server's group.
func TestNothingOutlivesAKilledProgram(t *testing.T) {
	folder := t.TempDir()
	program := exec.Command(os.Args[0], "__program", folder)
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	word, number, _ := strings.Cut(strings.TrimSpace(line), " ")
	server, numberErr := strconv.Atoi(number)
	if err != nil || word != "ready" || numberErr != nil {
		t.Fatalf("the program said %q (%v)", line, err)
	}
	pids := append(childrenOf(t, folder), server)
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()
	started := time.Now()
	for _, pid := range pids {
		eventually(t, "the descendant is gone", func() bool { return gone(pid) })
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestGuardIsReplacedWhenItDies(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
	connect(t, m, stdioWant("one", "__server", "tools"))
	first := guardOf(m)
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "there is another guard", func() bool { next := guardOf(m); return next != nil && next.Pid != first.Pid })
	m.apply(wants(stdioWant("one", "__server", "tools"), stdioWant("two", "__server", "fork", folder)))
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatal(missing)
	}
	second := guardOf(m)
	if second.Pid == first.Pid || gone(second.Pid) {
		t.Fatalf("guard %d after %d", second.Pid, first.Pid)
	}
}

func TestReadGroups(t *testing.T) {
	for _, test := range []struct {
		in    string
		want  []int
		token string
		fault bool
	}{
		{"", nil, "", false},
		{"=abc\n+12\n+13\n-12\n", []int{13}, "abc", false},
		{"+0\n+1\n+-1\n", nil, "", true},
		{"nonsense\n+44\n", []int{44}, "", true},
		{"+44\n+45", []int{44, 45}, "", false},
		{"+44 1234\n+45 77\n-45\n", []int{44}, "", false},
	} {
		groups, token, err := readGroups(strings.NewReader(test.in))
		if (err != nil) != test.fault || token != test.token || len(groups) != len(test.want) {
			t.Errorf("%q: %v %q %v", test.in, groups, token, err)
		}
		for _, pgid := range test.want {
			if _, ok := groups[pgid]; !ok {
				t.Errorf("%q: %d is missing", test.in, pgid)
			}
		}
	}
}

func TestFloodOfStandardError(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{LogDir: folder}, quickTiming())
	connect(t, m, stdioWant("s", "__server", "flood"))
	call(t, m, "s", "echo", "")
	if got := len(m.Log("s")); got > logLines {
		t.Errorf("%d lines are kept", got)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	var size int64
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if len(files) != 2 || size > 3*logFileBytes {
		t.Errorf("%v hold %d bytes", files, size)
	}
}

func TestEnvironmentAndSecrets(t *testing.T) {
	t.Setenv("HERMES_TEST_SHELL_TOKEN", "shell-value-0001")
	folder := t.TempDir()
	m := testManager(t, Options{LogDir: folder}, quickTiming())
	w := stdioWant("s", "__server", "env")
	w.conn.Env = map[string]string{"TOKEN": "Bearer ${T}", "PLAIN": "visible-value"}
	w.expand = func(c config.Connection) (config.Connection, error) {
		c.Env = map[string]string{"TOKEN": "Bearer s3cret-value-77", "PLAIN": "visible-value"}
		return c, nil
	}
	connect(t, m, w)
	eventually(t, "the environment is logged", func() bool { return strings.Contains(strings.Join(m.Log("s"), "\n"), "environment:") })
	log := strings.Join(m.Log("s"), "\n")
	data, err := os.ReadFile(filepath.Join(folder, "mcp-s.log"))
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"log": log, "file": string(data)} {
		if strings.Contains(text, "s3cret") || !strings.Contains(text, "TOKEN=***") {
			t.Errorf("%s: %s", where, text)
		}
		if strings.Contains(text, "HERMES_TEST_SHELL_TOKEN") || !strings.Contains(text, "PLAIN=visible-value") || !strings.Contains(text, "PATH=") || !strings.Contains(text, MarkVariable+"=s") {
			t.Errorf("%s: %s", where, text)
		}
	}
}
