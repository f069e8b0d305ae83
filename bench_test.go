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
	"strings"
	"testing"
)

// built is the command line that `make build` made.
func built(b *testing.B) string {
	b.Helper()
	path, err := filepath.Abs("build/bin/hermes")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		b.Fatal("build/bin/hermes is missing; run `make build`")
	}
	return path
}

func benchmarkProcess(b *testing.B, env []string, name string, args ...string) {
	b.Helper()
	for b.Loop() {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), env...)
		cmd.Stdout = io.Discard
		var problems strings.Builder
		cmd.Stderr = &problems
		if err := cmd.Run(); err != nil {
			b.Fatalf("%s %v: %v: %s", name, args, err, problems.String())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/run")
}

// BenchmarkList is `hermes mcp list` as a whole process, beside the same
// program saying its version and beside a program that does nothing.
func BenchmarkList(b *testing.B) {
	home := b.TempDir()
	var config strings.Builder
	config.WriteString("mcp_servers:\n")
	for i := range 20 {
		fmt.Fprintf(&config, "  server%d:\n    command: npx\n    args: [-y, package%d]\n    tools:\n      include: [read_file, 'list_*']\n", i, i)
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	env := []string{"HERMES_HOME=" + home}
	program := built(b)
	b.Run("list-20-servers", func(b *testing.B) { benchmarkProcess(b, env, program, "mcp", "list") })
	b.Run("floor-version", func(b *testing.B) { benchmarkProcess(b, env, program, "version") })
	b.Run("floor-true", func(b *testing.B) { benchmarkProcess(b, env, "true") })
}

// BenchmarkBigList is `hermes mcp list` on a file of 100 servers and 5,000
// lines, as a whole process.
func BenchmarkBigList(b *testing.B) {
	home := b.TempDir()
	var config strings.Builder
	config.WriteString("mcp_servers:\n")
	for i := range 100 {
		fmt.Fprintf(&config, "  server%d:\n    command: npx\n    args: [-y, package%d@1.0.%d]\n    tools:\n      include:\n", i, i, i)
		for j := range 45 {
			fmt.Fprintf(&config, "      - tool_%d  # released\n", j)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	env := []string{"HERMES_HOME=" + home}
	program := built(b)
	b.Run("list-100-servers-5000-lines", func(b *testing.B) { benchmarkProcess(b, env, program, "mcp", "list") })
	b.Run("floor-version", func(b *testing.B) { benchmarkProcess(b, env, program, "version") })
}

// BenchmarkOneShot is the whole job - one question, the npm filesystem server,
// one tool call, one answer - beside a bare client doing the same.
func BenchmarkOneShot(b *testing.B) {
	dir := b.TempDir()
	note := filepath.Join(dir, "note.txt")
	if err := os.WriteFile(note, []byte("meet at noon"), 0o600); err != nil {
		b.Fatal(err)
	}
	model := httptest.NewServer(scriptedModel(note))
	defer model.Close()
	entry := filepath.Join(npmPeers(b), "@modelcontextprotocol/server-filesystem/dist/index.js")
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		b.Fatal(err)
	}
	config := fmt.Sprintf("model: {provider: openai, default: scripted, base_url: %q, api_key: test-key}\nmcp_servers:\n  files: {command: node, args: [%q, %q]}\n", model.URL, entry, dir)
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
		b.Fatal(err)
	}
	floor := filepath.Join(dir, "floor")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", floor, "./testdata/floor").CombinedOutput(); err != nil {
		b.Fatalf("build the floor: %v: %s", err, out)
	}
	program := built(b)
	b.Run("hermes", func(b *testing.B) {
		benchmarkProcess(b, []string{"HERMES_HOME=" + home}, program, "chat", "-q", "read the note")
	})
	b.Run("floor", func(b *testing.B) { benchmarkProcess(b, nil, floor, model.URL, "read the note", "node", entry, dir) })
}

// scriptedModel asks for the file once and then answers. It calls the tool by
// whatever name the request offers for it.
func scriptedModel(note string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(delta map[string]any, finish any) {
			chunk, _ := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
			fmt.Fprintf(w, "data: %s\n\n", chunk)
		}
		if strings.Contains(string(body), `"role":"tool"`) {
			send(map[string]any{"role": "assistant", "content": "The note says: meet at noon"}, nil)
			send(map[string]any{}, "stop")
		} else {
			name, arguments := "read_text_file", fmt.Sprintf(`{"path": %q}`, note)
			if strings.Contains(string(body), `"name":"tool_call"`) {
				name, arguments = "tool_call", fmt.Sprintf(`{"calls": [{"name": "mcp__files__read_text_file", "arguments": %s}]}`, arguments)
			}
			send(map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"index": 0, "id": "call_1", "type": "function", "function": map[string]any{"name": name, "arguments": arguments}}}}, nil)
			send(map[string]any{}, "tool_calls")
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	})
}
