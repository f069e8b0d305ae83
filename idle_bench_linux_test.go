package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// idleFor is how long an idle process is watched.
const idleFor = 20 * time.Second

// BenchmarkIdle is what a gateway with a client and 20 connected servers, which
// nobody calls, takes of CPU and memory in 20 s, beside the same process without
// servers. The servers' own memory is not counted.
func BenchmarkIdle(b *testing.B) {
	for _, servers := range []int{20, 0} {
		name := fmt.Sprintf("%d-servers", servers)
		if servers == 0 {
			name = "floor-no-servers"
		}
		b.Run(name, func(b *testing.B) { benchmarkIdle(b, servers) })
	}
}

func benchmarkIdle(b *testing.B, servers int) {
	dir := b.TempDir()
	home, tools := filepath.Join(dir, "home"), filepath.Join(dir, "tools.json")
	if err := os.Mkdir(home, 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(tools, []byte(`[{"Name":"one","Description":"A tool"},{"Name":"two","Description":"A tool"}]`), 0o600); err != nil {
		b.Fatal(err)
	}
	var config strings.Builder
	config.WriteString("mcp: {start_wait: 60}\nmcp_servers:\n")
	for i := range servers {
		fmt.Fprintf(&config, "  s%d: {command: %q, args: [%q, %q], env: {%s: \"1\"}}\n", i, os.Args[0], tools, filepath.Join(dir, fmt.Sprintf("calls%d", i)), asToolStub)
	}
	if servers == 0 {
		config.WriteString("  none: {command: none, enabled: false}\n")
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(built(b), "mcp", "gateway")
	cmd.Env = append(os.Environ(), "HERMES_HOME="+home)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "idle", Version: "1"}, nil).Connect(b.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(b.Context(), nil)
	if err != nil || len(list.Tools) != 2*servers {
		b.Fatalf("%d tools of %d servers, %v", len(list.Tools), servers, err)
	}
	for b.Loop() {
		before := cpuOf(b, cmd.Process.Pid)
		<-time.After(idleFor)
		used := cpuOf(b, cmd.Process.Pid) - before
		b.ReportMetric(float64(used.Milliseconds()), "ms-cpu/20s")
		b.ReportMetric(rssOf(b, cmd.Process.Pid), "MB-rss")
	}
}

// cpuOf is the CPU time a process used so far (proc(5): fields 14 and 15, in
// ticks of 10 ms).
func cpuOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// rssOf is the resident memory of a process in MB.
func rssOf(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				b.Fatal(err)
			}
			return float64(kilobytes) / 1024
		}
	}
	b.Fatal("the process says nothing of its memory")
	return 0
}
