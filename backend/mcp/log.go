package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

const (
	ownMark      = "[hermes] "
	logLines     = 300
	logLineBytes = 4 << 10
	// rawLineBytes is what is read of a line before secrets are taken out: more
	// than is kept, so that a secret at the cut is never left half.
	rawLineBytes = 2 * logLineBytes
	logFileBytes = 1 << 20
)

// serverLog keeps the last lines a server wrote, and its noise on standard
// output, for as long as the server is configured; the same lines go to a file.
// It never fails and never blocks on anything but the disk: a server must not
// hang because of its log.
type serverLog struct {
	name  string
	dir   string
	noise atomic.Int64

	mu      sync.Mutex
	lines   []string
	partial []byte
	skip    bool
	clean   redactor
	// since counts the lines of this start.
	since  int
	file   *os.File
	size   int64
	broken bool
	marked bool
	// report is called once when the file cannot be written.
	report func(error)
}

func newServerLog(name, dir string, report func(error)) *serverLog {
	return &serverLog{name: name, dir: dir, report: report}
}

// begin marks a new start of the server and sets what must not be written.
func (l *serverLog) begin(clean redactor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flushPartial()
	l.clean, l.marked, l.since = clean, false, 0
}

// Write takes a chunk of standard error.
func (l *serverLog) Write(chunk []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var fresh []string
	for rest := chunk; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		if !l.skip {
			l.partial = append(l.partial, line[:min(len(line), max(0, rawLineBytes-len(l.partial)))]...)
			l.skip = len(l.partial) >= rawLineBytes
		}
		if ended {
			fresh = append(fresh, l.takePartial())
		}
		rest = after
	}
	l.keep(fresh)
	return len(chunk), nil
}

// addNoise takes a line of standard output that is no message.
func (l *serverLog) addNoise(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.noise.Add(1)
	l.keep([]string{"[stdout] " + l.text(line[:min(len(line), rawLineBytes)])})
}

// note takes a line of our own about the server.
func (l *serverLog) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep([]string{ownMark + l.clean.clean(text)})
}

func (l *serverLog) snapshot() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// noiseCount waits for nobody: it is read with every status.
func (l *serverLog) noiseCount() int { return int(l.noise.Load()) }

// lastWords is what a server said about its own end: the last lines since its
// start that speak of an error, else simply the last ones. Stack traces put the
// reason far above the end.
func (l *serverLog) lastWords(limit int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flushPartial()
	var plain, telling []string
	telltale := regexp.MustCompile(`(?i)\b(error|fatal|panic|exception|cannot|failed|denied|not found|no such)\b`)
	for i := len(l.lines) - 1; i >= max(0, len(l.lines)-l.since); i-- {
		line := strings.TrimSpace(l.lines[i])
		if line == "" || strings.HasPrefix(line, ownMark) {
			continue
		}
		if len(plain) < limit {
			plain = append(plain, line)
		}
		if len(telling) < limit && telltale.MatchString(line) && !strings.HasPrefix(line, "at ") {
			telling = append(telling, line)
		}
	}
	words := telling
	if len(words) == 0 {
		words = plain
	}
	slices.Reverse(words)
	return strings.Join(words, " | ")
}

func (l *serverLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flushPartial()
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}

func (l *serverLog) text(line []byte) string {
	text := l.clean.clean(string(line))
	text = strings.ToValidUTF8(text[:min(len(text), logLineBytes)], string(utf8.RuneError))
	return strings.TrimRight(text, "\r")
}

func (l *serverLog) takePartial() string {
	text := l.text(l.partial)
	l.partial, l.skip = l.partial[:0], false
	return text
}

func (l *serverLog) flushPartial() {
	if len(l.partial) > 0 {
		l.keep([]string{l.takePartial()})
	}
}

func (l *serverLog) keep(fresh []string) {
	if len(fresh) == 0 {
		return
	}
	l.lines = append(l.lines, fresh...)
	l.since += len(fresh)
	if extra := len(l.lines) - logLines; extra > 0 {
		l.lines = append(l.lines[:0:0], l.lines[extra:]...)
	}
	l.writeFile(fresh)
}

// writeFile appends the lines to the server's file, one write a chunk. A full
// file becomes the older of two.
func (l *serverLog) writeFile(fresh []string) {
	if l.dir == "" || l.broken {
		return
	}
	if err := l.openFile(); err != nil {
		l.broken = true
		if l.report != nil {
			l.report(err)
		}
		return
	}
	var text strings.Builder
	if !l.marked && !strings.HasPrefix(fresh[0], ownMark) {
		l.marked = true
		text.WriteString("===== [" + time.Now().UTC().Format(time.RFC3339) + "] MCP server '" + l.name + "' =====\n")
	}
	for _, line := range fresh {
		text.WriteString(line + "\n")
	}
	n, err := l.file.WriteString(text.String())
	l.size += int64(n)
	if err != nil {
		l.broken = true
	}
	if l.size > logFileBytes {
		_ = l.file.Close()
		l.file = nil
		_ = os.Rename(l.path(), l.path()+".1")
	}
}

func (l *serverLog) path() string {
	return filepath.Join(l.dir, "mcp-"+fileName(l.name)+".log")
}

func (l *serverLog) openFile() error {
	if l.file != nil {
		return nil
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(l.path(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return err
	}
	l.file, l.size = file, info.Size()
	return nil
}

// fileName makes a server's name safe as part of a file name; a name that had to
// change gets a hash, so that two servers never share a file.
func fileName(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	if safe == name && len(safe) <= 80 {
		return safe
	}
	sum := sha256.Sum256([]byte(name))
	return safe[:min(len(safe), 80)] + "-" + hex.EncodeToString(sum[:4])
}
