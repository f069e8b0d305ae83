package main

import (
	"fmt"
	"io"
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

// floorProgram builds a program of testdata: as `hermes` is built.
func floorProgram(b *testing.B, name string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), name)
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./testdata/"+name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v: %s", name, err, out)
	}
	return path
}

// BenchmarkList is `hermes mcp list` as a whole process, beside the same
// program saying its version, a Go program that links go-sdk and the SQLite port
// and says its name, and one that links nothing: what a start costs alone.
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
	linked, empty := floorProgram(b, "linked"), floorProgram(b, "empty")
	b.Run("floor-linked", func(b *testing.B) { benchmarkProcess(b, env, linked) })
	b.Run("floor-empty", func(b *testing.B) { benchmarkProcess(b, env, empty) })
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
