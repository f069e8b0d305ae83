//go:build linux

package mcp

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// soakRounds is the number of reloads, and of crashes, in one run. HERMES_SOAK
// sets it; `make soak` asks for 1000.
func soakRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("HERMES_SOAK")
	if text == "" {
		return 15
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("HERMES_SOAK=%q is not a number of rounds", text)
	}
	return n
}

// figures are what must not grow.
type figures struct {
	goroutines, files, children int
	heap                        uint64
}

func (f figures) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d child processes, %.1f MB of heap",
		f.goroutines, f.files, f.children, float64(f.heap)/(1<<20))
}

func measure(t *testing.T) figures {
	t.Helper()
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return figures{runtime.NumGoroutine(), len(files), offspring(t), memory.HeapAlloc}
}

// offspring counts our child processes, dead ones that nobody collected too.
func offspring(t *testing.T) int {
	t.Helper()
	folders, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, folder := range folders {
		data, err := os.ReadFile("/proc/" + folder.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(data), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			n++
		}
	}
	return n
}

// soakFile is the configuration of a reload. Each change differs from the one
// before in one way.
type soakFile struct{ round int }

func (f soakFile) text() string {
	r := f.round
	entry := func(name, fault, more string) string {
		return fmt.Sprintf("  %s: {command: %s, args: [__server, %s]%s}\n", name, quote(os.Args[0]), fault, more)
	}
	var b strings.Builder
	b.WriteString("mcp_servers:\n")
	for _, fault := range []string{"plain", "restless", "twice"} {
		b.WriteString(entry("crash-"+fault, fault, ""))
	}
	b.WriteString(entry("crash-fork", "fork, "+quote(os.Getenv("HERMES_SOAK_FOLDER")), ""))
	// A filter that changes with nearly every round restarts nothing.
	b.WriteString(entry("filter", "plain", fmt.Sprintf(", tools: {include: [echo, t%d]}", r)))
	b.WriteString(entry("connection", "plain, "+quote(strconv.Itoa(r/6)), ""))
	b.WriteString(entry("value", "plain", `, env: {KEY: "${VALUE}"}`))
	if r%6 == 2 {
		// Another name each time: nothing is kept of those that are gone.
		b.WriteString(entry(fmt.Sprintf("added-%d", r), "plain", ""))
	}
	if r%6 == 4 {
		b.WriteString(entry("locked", "plain", ", tools: {include: []}"))
	} else {
		b.WriteString(entry("locked", "plain", ""))
	}
	b.WriteString("  parked: {command: /no/such/program}\n")
	return b.String()
}

// TestSoak reloads and crashes many times at once. Afterwards nothing has
// grown: goroutines, descriptors, processes, memory.
func TestSoak(t *testing.T) {
	rounds := soakRounds(t)
	t.Setenv("HERMES_SOAK_FOLDER", t.TempDir())
	ctx, stop := context.WithTimeout(context.Background(), time.Minute+time.Duration(rounds)*3*time.Second)
	defer stop()
	h := newHome(t, "", nil)
	m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
	reload := func(round int) {
		h.env(fmt.Sprintf("VALUE=value-%d\n", round/6))
		m.Sync(h.write(soakFile{round}.text()))
		m.Wait(ctx, nil)
	}
	crash := func(name string) {
		before := awaitState(ctx, m, name, isState(StateConnected))
		if _, err := m.Call(ctx, name, "echo", nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = syscall.Kill(before.PID, syscall.SIGKILL)
		if after := awaitState(ctx, m, name, isFresh(before)); after.State != StateConnected {
			t.Errorf("%s does not come back: %+v", name, after)
		}
	}
	crashed := func(round int) string {
		if round%50 == 49 {
			return "crash-fork"
		}
		return []string{"crash-plain", "crash-restless", "crash-twice"}[round%3]
	}
	// The logs are full and every path was walked before the first look.
	warm := max(6, min(rounds/10, 60))
	for round := range warm {
		reload(round)
		crash(crashed(round))
	}
	reload(0)
	settled(ctx, m)
	before := measure(t)
	t.Logf("%d reloads and %d crashes; before: %s", rounds, rounds, before)
	began := time.Now()
	var both sync.WaitGroup
	repeat := func(what string, once func(int)) {
		both.Go(func() {
			for round := range rounds {
				if ctx.Err() != nil {
					t.Errorf("%s: the time is over after %d rounds", what, round)
					return
				}
				once(round)
				if (round+1)%max(rounds/10, 25) == 0 {
					t.Logf("%s: %d in %s", what, round+1, time.Since(began).Round(time.Second))
				}
			}
		})
	}
	repeat("reloads", func(round int) { reload(round + 1) })
	repeat("crashes", func(round int) { crash(crashed(round)) })
	both.Wait()
	reload(0)
	settled(ctx, m)
	after := measure(t)
	t.Logf("after %s: %s", time.Since(began).Round(time.Second), after)
	const spare, spareHeap = 6, 4 << 20
	if after.goroutines > before.goroutines+spare || after.files > before.files+spare ||
		after.children > before.children || after.heap > before.heap+spareHeap {
		t.Errorf("something grew: from %s to %s", before, after)
	}
}

// awaitState is waitUntil for a goroutine that must not end the test.
func awaitState(ctx context.Context, m *Manager, name string, ok func(Status) bool) Status {
	for {
		m.mu.Lock()
		movement := m.movement
		m.mu.Unlock()
		status := m.Status(name)
		if ok(status) {
			return status
		}
		select {
		case <-movement:
		case <-ctx.Done():
			return status
		}
	}
}

// settled waits until what was replaced has ended: then every process is one of
// a server that runs.
func settled(ctx context.Context, m *Manager) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		connected := 0
		for name, status := range m.Statuses() {
			if status.State == StateConnected {
				connected++
			}
			if name == "crash-fork" {
				connected += 2
			}
		}
		if len(members(nil, m.launcher.token+".")) == connected {
			return
		}
		<-tick.C
	}
}
