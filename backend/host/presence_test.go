package host

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"hermes/backend/builtin"
	"hermes/backend/config"
	"hermes/backend/mcp"
)

// asOther makes this test binary another Hermes process on the home that it
// holds: it runs the servers until its standard input ends.
const asOther = "HERMES_TEST_OTHER"

func runOther(dir string) int {
	h := New(Options{Home: config.Home{Dir: dir}, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler)})
	if err := h.Start(); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("running")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := h.Close(); err != nil {
		return 1
	}
	return 0
}

// other is that process.
type other struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

func startOther(t *testing.T, home config.Home) *other {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asOther+"="+home.Dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "running\n" {
		t.Fatalf("the other process says %q (%v)", line, err)
	}
	return &other{cmd, stdin}
}

// homeHost is a host of a home with the built-in servers, which starts nothing.
func homeHost(t *testing.T, native bool) *Host {
	t.Helper()
	home := config.Home{Dir: filepath.Join(t.TempDir(), "home")}
	if err := builtin.DemoHome(home.Dir); err != nil {
		t.Fatal(err)
	}
	if native {
		if err := os.Mkdir(home.Native(), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h := New(Options{Home: home, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func untilElsewhere(t *testing.T, h *Host, what string, ok func(map[string]Presence) bool) map[string]Presence {
	t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		seen := h.Elsewhere()
		if ok(seen) {
			return seen
		}
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("never %s: %+v", what, seen)
		}
	}
}

func connectedCount(seen map[string]Presence) int {
	n := 0
	for _, p := range seen {
		if p.State == mcp.StateConnected {
			n++
		}
	}
	return n
}

func runFiles(t *testing.T, h *Host) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(runDir(h.Home()), "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestElsewhere tells of the servers of another process while it lives, in files
// that are private, and of nothing once it has ended by itself.
func TestElsewhere(t *testing.T) {
	h := homeHost(t, true)
	o := startOther(t, h.Home())
	seen := untilElsewhere(t, h, "connected", func(seen map[string]Presence) bool { return connectedCount(seen) >= 2 })
	for name, p := range seen {
		if p.Process != o.cmd.Process.Pid || p.State == mcp.StateConnected && (p.Tools == 0 || p.Protocol == "" || p.Since.IsZero()) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	for _, file := range runFiles(t, h) {
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
	if err := o.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := o.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if seen, files := h.Elsewhere(), runFiles(t, h); len(seen) > 0 || len(files) > 0 {
		t.Errorf("after its end: %v, files %q", seen, files)
	}
}

// TestElsewhereAfterAKill: what a killed process left is recognised and removed.
func TestElsewhereAfterAKill(t *testing.T) {
	h := homeHost(t, true)
	o := startOther(t, h.Home())
	untilElsewhere(t, h, "connected", func(seen map[string]Presence) bool { return connectedCount(seen) >= 2 })
	if err := o.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = o.cmd.Wait()
	if files := runFiles(t, h); len(files) < 2 {
		t.Fatalf("a killed process leaves %q: this proves nothing", files)
	}
	if seen, files := h.Elsewhere(), runFiles(t, h); len(seen) > 0 || len(files) > 0 {
		t.Errorf("after the kill: %v, files %q", seen, files)
	}
}

// TestNothingIsToldWithoutOurFolder: starting servers writes nothing into a home
// that we never wrote into.
func TestNothingIsToldWithoutOurFolder(t *testing.T) {
	h := homeHost(t, false)
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	h.Wait(t.Context())
	a := &announcer{home: h.Home()}
	if err := a.write(h.presences()); err != nil {
		t.Error(err)
	}
	a.withdraw()
	if _, err := os.Stat(h.Home().Native()); !os.IsNotExist(err) {
		t.Errorf("there is %v", err)
	}
	if seen := h.Elsewhere(); len(seen) > 0 {
		t.Errorf("seen %v", seen)
	}
}

// TestOwnPresence is no other process: a host does not tell itself of itself.
func TestOwnPresence(t *testing.T) {
	h := homeHost(t, true)
	a := &announcer{home: h.Home()}
	told := map[string]Presence{"s": {State: mcp.StateConnected}}
	if err := a.write(told); err != nil || len(runFiles(t, h)) != 2 {
		t.Fatal(err, runFiles(t, h))
	}
	if seen := h.Elsewhere(); len(seen) > 0 {
		t.Errorf("seen %v", seen)
	}
	second := &announcer{home: h.Home()}
	if err := second.write(map[string]Presence{}); err != nil || second.lock != nil {
		t.Errorf("the file has two owners: %v", err)
	}
	a.withdraw()
	if files := runFiles(t, h); len(files) > 0 {
		t.Errorf("left: %q", files)
	}
}

// TestHostileElsewhere reads files that somebody else put there.
func TestHostileElsewhere(t *testing.T) {
	const pid = 4242
	good := fmt.Sprintf(`{"process":%d,"servers":{"s":{"state":"connected","tools":3},"odd":{"state":"\u001b[31mred"}}}`, pid)
	for name, test := range map[string]struct {
		put  func(t *testing.T, base string)
		want int
	}{
		"good":      {func(t *testing.T, base string) { write(t, base+".json", good) }, 1},
		"garbage":   {func(t *testing.T, base string) { write(t, base+".json", "{{{") }, 0},
		"empty":     {func(t *testing.T, base string) { write(t, base+".json", "") }, 0},
		"null":      {func(t *testing.T, base string) { write(t, base+".json", "null") }, 0},
		"other pid": {func(t *testing.T, base string) { write(t, base+".json", strings.Replace(good, "4242", "1", 1)) }, 0},
		"huge":      {func(t *testing.T, base string) { write(t, base+".json", good+strings.Repeat(" ", presenceBytes)) }, 0},
		"deep":      {func(t *testing.T, base string) { write(t, base+".json", strings.Repeat("[", 1<<19)) }, 0},
		"link": {func(t *testing.T, base string) {
			write(t, base+".real", good)
			if err := os.Symlink(base+".real", base+".json"); err != nil {
				t.Fatal(err)
			}
		}, 0},
		"folder": {func(t *testing.T, base string) {
			if err := os.Mkdir(base+".json", 0o700); err != nil {
				t.Fatal(err)
			}
		}, 0},
		"odd name": {func(t *testing.T, base string) {
			for _, name := range []string{"x.json", "-1.json", "0.json", "04242.json", "4242.JSON", "99999999999999999999.json"} {
				write(t, filepath.Join(filepath.Dir(base), name), good)
			}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := homeHost(t, true)
			if err := os.Mkdir(runDir(h.Home()), 0o700); err != nil {
				t.Fatal(err)
			}
			base := filepath.Join(runDir(h.Home()), strconv.Itoa(pid))
			lock := flock.New(base + ".lock")
			if held, err := lock.TryLock(); !held || err != nil {
				t.Fatal(held, err)
			}
			defer func() { _ = lock.Close() }()
			test.put(t, base)
			seen := h.Elsewhere()
			if len(seen) != test.want || test.want == 1 && (seen["s"].Tools != 3 || seen["s"].Process != pid) {
				t.Errorf("seen %+v", seen)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFollowerIsKnown: a process that follows the file and starts no server is
// there for a reload, and no other server is said to run.
func TestFollowerIsKnown(t *testing.T) {
	h := homeHost(t, true)
	if err := h.Watch(); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(runDir(h.Home()), strconv.Itoa(os.Getpid())+".json")
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for {
		if data, err := os.ReadFile(own); err == nil && strings.Contains(string(data), `"servers":{}`) {
			break
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-limit.C:
			t.Fatal("it does not tell of itself")
		}
	}
	// As another process sees it.
	if told, lives := readPresences(runDir(h.Home()), os.Getpid()); !lives || len(told) != 0 {
		t.Errorf("seen %v, %v", told, lives)
	}
}
