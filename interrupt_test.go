//go:build unix

package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInterruptedLook: a person who interrupts a look is not told that the
// connection failed.
func TestInterruptedLook(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	home := filepath.Join(t.TempDir(), "home")
	writeFile(t, filepath.Join(home, "config.yaml"), "mcp_servers:\n  mute: {command: sleep, args: ['600']}\n")
	cmd := hermes(ctx, home, "mcp", "test", "mute")
	said := &strings.Builder{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		line := scanner.Text()
		said.WriteString(line + "\n")
		if strings.HasPrefix(line, "Auth:") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || strings.Contains(said.String(), "failed") {
		t.Errorf("exit code %d, %s", code, said)
	}
}
