//go:build unix

package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// shoutBytes is what a server writes without a line break.
const shoutBytes = 100 << 20

// shout writes to standard error what no log expects.
func shout() {
	_, _ = os.Stderr.WriteString("Сервер запущен\r\n")
	_, _ = os.Stderr.Write([]byte("before \xff\xfe\x00 after\n"))
	// A character cut in two by the bound on a line.
	_, _ = os.Stderr.WriteString(strings.Repeat("й", 3*rawLineBytes) + "\n")
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range shoutBytes / len(chunk) {
		_, _ = os.Stderr.Write(chunk)
	}
	_, _ = os.Stderr.WriteString("\nConnecting: error budget is 0 errors\n")
}

// levels keeps the highest level that was logged.
type levels struct {
	mu      sync.Mutex
	highest slog.Level
	lines   []string
}

func (l *levels) Enabled(context.Context, slog.Level) bool { return true }
func (l *levels) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *levels) WithGroup(string) slog.Handler            { return l }

func (l *levels) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.highest = max(l.highest, r.Level)
	l.lines = append(l.lines, r.Message)
	return nil
}

// TestStandardErrorIsNoError is field case C5: a banner on standard output and
// anything at all on standard error leave the session working, are kept within
// bounds, and are nowhere called an error.
func TestStandardErrorIsNoError(t *testing.T) {
	folder := t.TempDir()
	seen := &levels{highest: slog.LevelDebug}
	m := testManager(t, Options{LogDir: folder, Logger: slog.New(seen)}, quickTiming())
	status := connect(t, m, stdioWant("s", "__server", "shout"))
	if got := call(t, m, "s", "echo", `{"a":1}`); !strings.Contains(got.Content, `"a":1`) {
		t.Errorf("result %q", got.Content)
	}
	eventually(t, "the last line is kept", func() bool {
		return strings.Contains(strings.Join(m.Log("s"), "\n"), "error budget")
	})
	if status = m.Status("s"); status.State != StateConnected || status.Reason != "" || status.Noise != 1 {
		t.Errorf("status %s %q, noise %d", status.State, status.Reason, status.Noise)
	}
	if seen.mu.Lock(); seen.highest >= slog.LevelWarn {
		t.Errorf("logged at %s: %q", seen.highest, seen.lines)
	}
	seen.mu.Unlock()
	text, size := strings.Join(m.Log("s"), "\n"), 0
	for _, part := range []string{"[stdout] Добро пожаловать", "Сервер запущен\n", "before \ufffd\x00 after", "ййй", "xxx"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in the log", part)
		}
	}
	for _, line := range m.Log("s") {
		if size += len(line); len(line) > logLineBytes+len("[stdout] ") || !utf8.ValidString(line) {
			t.Errorf("a line of %d bytes, valid: %v", len(line), utf8.ValidString(line))
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, "mcp-s.log"))
	if err != nil || len(data) > logFileBytes || !utf8.Valid(data) || !bytes.Contains(data, []byte("Сервер запущен")) {
		t.Errorf("the file has %d bytes (%v)", len(data), err)
	}
	if size > 64<<10 {
		t.Errorf("%d bytes are kept of one flood", size)
	}
}
