package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// runDescend are the peers that leave everything by which a family is known but
// what the kernel hands down.
func runDescend(kind string, args []string) int {
	switch kind {
	case "__shed":
		// Between a server and its daemon: gone before anybody can ask for it.
		startShed("__child", args...)
		return 0
	case "__unbranded":
		if err := unix.Prlimit(0, brandLimit, &unix.Rlimit{Cur: 5, Max: 5}, nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 9
		}
		return runChild(args)
	case "__shedding":
		return runShedding(args)
	}
	return 2
}

// shed starts what a server of that fault leaves behind.
func shed(fault, folder string) {
	children := filepath.Join(folder, "children")
	switch fault {
	case "shed":
		for range 2 {
			_ = startShed("__shed", folder).Wait()
		}
		waitForLines(children, 2)
	case "chain":
		startChain(folder)
		waitForLines(children, 3)
	case "unbranded":
		startShed("__unbranded", folder)
		startShed("__unbranded", folder)
		waitForLines(children, 2)
	case "nested":
		m := New(Options{Guard: guardArgs()})
		m.apply(wants(stdioWant("inner", "__server", "shed", folder)))
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if missing := m.Wait(ctx, nil); len(missing) > 0 {
			fmt.Fprintln(os.Stderr, "missing", m.Status("inner").Reason)
			os.Exit(9)
		}
	}
}

// startShed starts this binary as node's spawn does with detached and an env of
// its own: another session, a clean environment and no descriptor of ours.
func startShed(kind string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{kind}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
	return cmd
}

// chainLink is one link of a chain, in a session of its own and with a clean
// environment: it ignores polite signals, starts the next link and is gone. All
// hold the same pipe, which ends with the last of them.
const chainLink = `trap '' TERM HUP INT
cd "$1" || exit 9
exec 3<>alive
echo $$ >>children
sleep 0.03
env -i PATH="$PATH" setsid sh link "$1" </dev/null >/dev/null 2>&1 &
`

// startChain starts one that goes on until it is killed.
func startChain(folder string) {
	link := filepath.Join(folder, "link")
	err := os.WriteFile(link, []byte(chainLink), 0o600)
	if err == nil {
		cmd := exec.Command("setsid", "sh", link, folder)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
}

// runShedding is a program with one server, which the test kills.
func runShedding(args []string) int {
	m := New(Options{Guard: guardArgs()})
	m.apply(wants(stdioWant("s", "__server", args[0], args[1])))
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if missing := m.Wait(ctx, nil); len(missing) > 0 {
		fmt.Println("missing", m.Status("s").Reason)
		return 1
	}
	fmt.Println("ready", m.Status("s").PID)
	select {}
}

// leftovers is a folder for what a server leaves behind.
func leftovers(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "alive"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// awaitEnd gives what waits until all that a fault left behind has ended.
func awaitEnd(t *testing.T, fault, folder string) func() {
	t.Helper()
	if fault != "chain" {
		pids := childrenOf(t, folder)
		return func() {
			t.Helper()
			for _, pid := range pids {
				eventually(t, "what the server left behind is gone", func() bool { return gone(pid) })
			}
		}
	}
	alive, err := os.OpenFile(filepath.Join(folder, "alive"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = alive.Close() })
	return func() {
		t.Helper()
		if err := alive.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, alive); err != nil {
			t.Fatalf("the chain goes on: %v", err)
		}
	}
}

// TestShedDescendantsEnd: a descendant with another parent, group and session
// and a clean environment ends with its server, however that ends.
func TestShedDescendantsEnd(t *testing.T) {
	for _, fault := range []string{"shed", "chain", "unbranded", "nested"} {
		for _, how := range []string{"stop", "reload", "close", "crash"} {
			if how == "crash" && (fault == "unbranded" || fault == "nested") {
				// What shed the brand too is known from its living parents alone.
				continue
			}
			t.Run(fault+" "+how, func(t *testing.T) {
				folder := leftovers(t)
				m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
				first := connect(t, m, stdioWant("s", "__server", fault, folder))
				ended := awaitEnd(t, fault, folder)
				switch how {
				case "stop":
					m.apply(nil)
				case "reload":
					m.apply(wants(stdioWant("s", "__server", "tools")))
					waitUntil(t, m, "s", func(s Status) bool { return s.State == StateConnected && s.PID != first.PID })
				case "close":
					if err := m.Close(); err != nil {
						t.Fatal(err)
					}
				case "crash":
					kill(t, first.PID)
				}
				ended()
				if left := zombies(t); how == "close" && len(left) > 0 {
					t.Errorf("zombies %v", left)
				}
			})
		}
	}
}

// TestShedDescendantsEndWithAKilledProgram is the same for a program that is
// killed: only the guard is left to know them.
func TestShedDescendantsEndWithAKilledProgram(t *testing.T) {
	for _, fault := range []string{"shed", "chain", "nested"} {
		t.Run(fault, func(t *testing.T) {
			folder := leftovers(t)
			program := exec.Command(os.Args[0], "__shedding", fault, folder)
			out, err := program.StdoutPipe()
			if err == nil {
				err = program.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = program.Process.Kill(); _ = program.Wait() })
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || !strings.HasPrefix(line, "ready ") {
				t.Fatalf("the program said %q (%v)", line, err)
			}
			ended := awaitEnd(t, fault, folder)
			if err := program.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			ended()
		})
	}
}

// TestShedDescendantsOfAnother are left alone when a server is stopped, and so
// is a server whose number begins with the stopped one's.
func TestShedDescendantsOfAnother(t *testing.T) {
	one, two := leftovers(t), leftovers(t)
	m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
	connect(t, m, stdioWant("one", "__server", "shed", one))
	oneEnded := awaitEnd(t, "shed", one)
	m.launcher.count.Store(9)
	other := stdioWant("two", "__server", "shed", two)
	m.apply(wants(stdioWant("one", "__server", "shed", one), other))
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatal(missing)
	}
	before := m.Status("two")
	m.apply(wants(other))
	oneEnded()
	eventually(t, "the first is stopped", func() bool { return len(members(nil, m.launcher.token+".1")) == 0 })
	childrenOf(t, two)
	if after := m.Status("two"); after.PID != before.PID || after.State != StateConnected || gone(after.PID) {
		t.Errorf("the other one was %+v and is %+v", before, after)
	}
	call(t, m, "two", "echo", "{}")
}

// TestNumberInUseAgain: a number that began at another time is somebody else.
func TestNumberInUseAgain(t *testing.T) {
	stranger := exec.Command(os.Args[0], "__child", t.TempDir())
	stranger.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
	pid := stranger.Process.Pid
	began := startOf(pid)
	for _, test := range []struct {
		k    kin
		want int
	}{
		{kin{leaders: leaders{pid: began}}, 1},
		{kin{leaders: leaders{pid: 0}}, 1},
		{kin{leaders: leaders{pid: began - 1}}, 0},
		{kin{seen: leaders{pid: began}}, 1},
		{kin{seen: leaders{pid: began - 1}}, 0},
	} {
		if got := test.k.living(); len(got) != test.want {
			t.Errorf("%+v: %v", test.k, got)
		}
	}
	other, _ := readTask(pid)
	other.start--
	other.signal(syscall.SIGKILL)
	endGroups(leaders{pid: began - 1}, "", quickTiming())
	if gone(pid) {
		t.Error("a stranger was killed")
	}
}

func TestBrandOf(t *testing.T) {
	outer, ok := brandOf("outer", unix.RLIM_INFINITY)
	if !ok || outer < 1<<62 || outer >= 1<<63 || outer&(1<<brandCount-1) != 0 {
		t.Errorf("outer %x %v", outer, ok)
	}
	limit := outer | 7
	for depth := 0; ; depth++ {
		inner, ok := brandOf("inner"+strconv.Itoa(depth), limit)
		if !ok {
			if depth < 10 {
				t.Errorf("only %d programs may be in each other", depth)
			}
			break
		}
		if inner+1<<brandCount > limit {
			t.Fatalf("inner %x is above %x", inner, limit)
		}
		limit = inner
	}
	for _, small := range []uint64{0, 1, 5, 1 << 40} {
		if got, ok := brandOf("x", small); ok {
			t.Errorf("a limit of %d allows %x", small, got)
		}
	}
}
