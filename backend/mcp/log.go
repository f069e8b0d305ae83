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

	"hermes/backend/native"
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

// logBook keeps the last lines a server wrote, and its noise on standard output,
// for as long as the server is configured; the same lines go to a file. It never
// fails and never blocks on anything but the disk: a server must not hang
// because of its log.
type logBook struct {
	name  string
	dir   string
	noise atomic.Int64

	mu     sync.Mutex
	lines  []logLine
	starts int
	file   *os.File
	size   int64
	broken bool
	// report is called once when the file cannot be written.
	report func(error)
}

// logLine is a line with the start of the server it belongs to.
type logLine struct {
	text  string
	start int
}

// serverLog is the pen with which one supervision of a server writes into the
// server's book. For a while two may write, as a session that is being replaced
// still ends its calls: what one of them must not write does not become readable
// because the other has secrets of its own.
type serverLog struct {
	book *logBook

	// All of it is under the book's lock. start numbers the start that writes.
	start   int
	partial []byte
	skip    bool
	clean   redactor
	marked  bool
}

func newLogBook(name, dir string, report func(error)) *logBook {
	return &logBook{name: name, dir: dir, report: report}
}

func newServerLog(name, dir string, report func(error)) *serverLog {
	return newLogBook(name, dir, report).pen()
}

func (b *logBook) pen() *serverLog { return &serverLog{book: b} }

// begin marks a new start of the server and sets what must not be written.
func (l *serverLog) begin(clean redactor) {
	l.book.mu.Lock()
	defer l.book.mu.Unlock()
	l.flushPartial()
	l.book.starts++
	l.start, l.clean, l.marked = l.book.starts, clean, false
}

// Write takes a chunk of standard error.
func (l *serverLog) Write(chunk []byte) (int, error) {
	l.book.mu.Lock()
	defer l.book.mu.Unlock()
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
	l.book.mu.Lock()
	defer l.book.mu.Unlock()
	l.book.noise.Add(1)
	l.keep([]string{"[stdout] " + l.text(line[:min(len(line), rawLineBytes)])})
}

// note takes a line of our own about the server.
func (l *serverLog) note(text string) {
	l.book.mu.Lock()
	defer l.book.mu.Unlock()
	l.keep([]string{ownMark + l.clean.clean(text)})
}

func (b *logBook) snapshot() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := make([]string, len(b.lines))
	for i, line := range b.lines {
		lines[i] = line.text
	}
	return lines
}

func (l *serverLog) snapshot() []string { return l.book.snapshot() }

// noiseCount waits for nobody: it is read with every status.
func (l *serverLog) noiseCount() int { return int(l.book.noise.Load()) }

// lastWords is what a server said about its own end: the last lines since its
// start that speak of an error, else simply the last ones. Stack traces put the
// reason far above the end.
func (l *serverLog) lastWords(limit int) string {
	l.book.mu.Lock()
	defer l.book.mu.Unlock()
	l.flushPartial()
	var plain, telling []string
	telltale := regexp.MustCompile(`(?i)\b(error|fatal|panic|exception|cannot|failed|denied|not found|no such)\b`)
	for i := len(l.book.lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(l.book.lines[i].text)
		if l.book.lines[i].start != l.start || line == "" || strings.HasPrefix(line, ownMark) {
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

func (b *logBook) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file != nil {
		_ = b.file.Close()
		b.file = nil
	}
}

func (l *serverLog) close() {
	l.book.mu.Lock()
	l.flushPartial()
	l.book.mu.Unlock()
	l.book.close()
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
	b := l.book
	for _, text := range fresh {
		b.lines = append(b.lines, logLine{text, l.start})
	}
	if extra := len(b.lines) - logLines; extra > 0 {
		b.lines = append(b.lines[:0:0], b.lines[extra:]...)
	}
	heading := ""
	if !l.marked && !strings.HasPrefix(fresh[0], ownMark) {
		l.marked = true
		heading = "===== [" + time.Now().UTC().Format(time.RFC3339) + "] MCP server '" + b.name + "' =====\n"
	}
	b.writeFile(heading, fresh)
}

// writeFile appends the lines to the server's file, one write a chunk. A full
// file becomes the older of two.
func (b *logBook) writeFile(heading string, fresh []string) {
	if b.dir == "" || b.broken {
		return
	}
	if err := b.openFile(); err != nil {
		b.broken = true
		if b.report != nil {
			b.report(err)
		}
		return
	}
	n, err := b.file.WriteString(heading + strings.Join(fresh, "\n") + "\n")
	b.size += int64(n)
	if err != nil {
		b.broken = true
	}
	if b.size > logFileBytes {
		_ = b.file.Close()
		b.file = nil
		// One that cannot be moved away would grow without an end.
		b.broken = os.Rename(b.path(), b.path()+".1") != nil
	}
}

func (b *logBook) path() string {
	return filepath.Join(b.dir, "mcp-"+fileName(b.name)+".log")
}

func (b *logBook) openFile() error {
	if b.file != nil {
		return nil
	}
	if err := native.Folder(b.dir); err != nil {
		return err
	}
	file, info, err := native.Append(b.path())
	if err != nil {
		return err
	}
	b.file, b.size = file, info.Size()
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
