package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkOneShot is the whole job - one question, npm filesystem servers, tool
// calls at once, one answer - beside a bare client that does the same: with one
// server and one read, with ten reads, and with three servers.
func BenchmarkOneShot(b *testing.B) {
	dir := b.TempDir()
	note := filepath.Join(dir, "note.txt")
	if err := os.WriteFile(note, []byte("meet at noon"), 0o600); err != nil {
		b.Fatal(err)
	}
	entry := filepath.Join(npmPeers(b), "@modelcontextprotocol/server-filesystem/dist/index.js")
	program, floor := built(b), floorProgram(b, "floor")
	for _, job := range []struct {
		name           string
		servers, reads int
	}{{"one-read", 1, 1}, {"ten-reads", 1, 10}, {"three-servers", 3, 1}} {
		model := &oneShotModel{note: note, reads: job.reads}
		server := httptest.NewServer(model)
		home := filepath.Join(dir, job.name)
		config := fmt.Sprintf("model: {provider: openai, default: scripted, base_url: %q, api_key: test-key}\nmcp_servers:\n", server.URL)
		bare := []string{server.URL, "read the note"}
		for i := range job.servers {
			config += fmt.Sprintf("  files%d: {command: node, args: [%q, %q]}\n", i, entry, dir)
			if i > 0 {
				bare = append(bare, "--")
			}
			bare = append(bare, "node", entry, dir)
		}
		if err := os.Mkdir(home, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(job.name+"/hermes", func(b *testing.B) {
			benchmarkOneShot(b, model, "HERMES_HOME="+home, program, "chat", "-q", "read the note")
		})
		b.Run(job.name+"/floor", func(b *testing.B) { benchmarkOneShot(b, model, "HERMES_HOME="+home, floor, bare...) })
		server.Close()
	}
}

// benchmarkOneShot reports medians: the wall time, from the start to the first
// request, from the end of the model's answer to the next request, the CPU time
// of the program and all it waited for, and the program's own peak memory.
func benchmarkOneShot(b *testing.B, model *oneShotModel, env, name string, args ...string) {
	var wall, first, next, cpu, memory []float64
	for b.Loop() {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), env)
		var problems strings.Builder
		cmd.Stdout, cmd.Stderr = &problems, &problems
		model.begin()
		began := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		model.measure(func() float64 { return ownPeak(cmd.Process.Pid) })
		err := cmd.Wait()
		took := time.Since(began)
		asked, answered, peak := model.end()
		if err != nil || len(asked) != 2 || !strings.Contains(problems.String(), "meet at noon") {
			b.Fatalf("%d requests, %v: %s", len(asked), err, problems.String())
		}
		wall = append(wall, milliseconds(took))
		first = append(first, milliseconds(asked[0].Sub(began)))
		next = append(next, milliseconds(asked[1].Sub(answered[0])))
		cpu = append(cpu, milliseconds(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()))
		memory = append(memory, peak)
	}
	b.ReportMetric(0, "ns/op")
	for unit, all := range map[string][]float64{"ms/run": wall, "ms-first-request": first, "ms-next-request": next, "ms-cpu-with-servers": cpu, "MB-own": memory} {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], unit)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// ownPeak is the peak memory in MB of a process and of its guard, which is ours
// too; a server is not.
func ownPeak(pid int) float64 {
	sum := peakOf(pid)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range tasks {
		children, _ := os.ReadFile(file) // a thread that ended has none
		for _, child := range strings.Fields(string(children)) {
			line, _ := os.ReadFile("/proc/" + child + "/cmdline")
			if strings.Contains(string(line), "\x00__guard") {
				number, _ := strconv.Atoi(child)
				sum += peakOf(number)
			}
		}
	}
	return sum
}

// peakOf is the most memory that was resident so far, in MB.
func peakOf(pid int) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // 0 for one that ended
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.Atoi(strings.Fields(value)[0])
			return float64(kilobytes) / 1024
		}
	}
	return 0
}

// oneShotModel asks for the file as often as it is told to, all at once, and then
// answers. It calls the tool by whatever name the request offers for it, and notes
// when it was asked and had answered.
type oneShotModel struct {
	note  string
	reads int

	mu              sync.Mutex
	started         chan struct{}
	peak            func() float64
	memory          float64
	asked, answered []time.Time
}

func (m *oneShotModel) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked, m.answered, m.memory, m.started = nil, nil, 0, make(chan struct{})
}

// measure says how to weigh the program, which is done at its last request.
func (m *oneShotModel) measure(peak func() float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.peak = peak
	close(m.started)
}

func (m *oneShotModel) end() (asked, answered []time.Time, memory float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked, m.answered, m.memory
}

func (m *oneShotModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	body := string(raw)
	done := strings.Contains(body, `"role":"tool"`)
	m.mu.Lock()
	m.asked = append(m.asked, came)
	started := m.started
	m.mu.Unlock()
	<-started
	w.Header().Set("Content-Type", "text/event-stream")
	if done {
		m.mu.Lock()
		m.memory = m.peak()
		m.mu.Unlock()
		sendChunks(w, map[string]any{"role": "assistant", "content": "The note says: meet at noon"}, "stop")
	} else {
		sendChunks(w, map[string]any{"role": "assistant", "tool_calls": m.calls(body)}, "tool_calls")
	}
	if flusher, ok := w.(http.Flusher); ok {
		flusher.Flush()
	}
	m.mu.Lock()
	m.answered = append(m.answered, time.Now())
	m.mu.Unlock()
}

// calls is one tool_call with all reads where the program offers that, else as
// many calls of the tool.
func (m *oneShotModel) calls(body string) []any {
	arguments := fmt.Sprintf(`{"path": %q}`, m.note)
	call := func(i int, name, arguments string) any {
		return map[string]any{"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function", "function": map[string]any{"name": name, "arguments": arguments}}
	}
	if strings.Contains(body, `"name":"tool_call"`) {
		entry := fmt.Sprintf(`{"name": "mcp__files0__read_text_file", "arguments": %s}`, arguments)
		batch, _ := json.Marshal(map[string]any{"calls": slices.Repeat([]json.RawMessage{json.RawMessage(entry)}, m.reads)})
		return []any{call(0, "tool_call", string(batch))}
	}
	var all []any
	for i := range m.reads {
		all = append(all, call(i, "read_text_file", arguments))
	}
	return all
}
