package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"hermes/backend/policy"
)

const (
	// defaultSettle is the pause between the two equal reads that a change
	// needs before it may allow more. With the watcher's quiet before it the
	// whole stays below the 200 ms of DESIGN section 9.
	defaultSettle = 50 * time.Millisecond
	// maxSettle bounds the wait for a file that keeps changing.
	maxSettle = time.Second
)

// Options tune a File. Getenv is the process environment (os.Getenv when nil),
// Now the clock of the ledger, Logger gets what nobody is told otherwise.
// Settle is the pause before the second read of a change that may allow more,
// 50 ms when zero. Busy tells whether an agent is at work on this home, or was and
// no person acted since: what opens anything waits then. It is asked when
// something is about to be opened and must not call the File. Announce is told a
// step of this process' own edits before the disk takes it.
type Options struct {
	Busy     func() bool
	Announce func(from, to Version, server string)
	Getenv   func(string) string
	Logger   *slog.Logger
	Now      func() time.Time
	Settle   time.Duration
}

// File is the one door to a home's config.yaml. Its methods may be called from
// any goroutine.
type File struct {
	home    Home
	options Options
	write   writer

	mu      sync.Mutex // one reader or writer of the disk at a time
	current atomic.Pointer[Snapshot]
	pending atomic.Pointer[Snapshot]
	good    *Snapshot // the last state that was read well, nil for none
	written time.Time // since when somebody has a file open for writing, zero for nobody
	memory  memory    // the lock ledger
	taking  bool      // a person takes what waits
	only    *Version  // the one that is taken, nil for any
	// visiting tells that the file was loaded while an agent was at work elsewhere
	// on the home: what it opened since is not remembered as in force.
	visiting  bool
	expecting sync.Mutex
	expected  []passage
	seen      atomic.Pointer[seen]
}

// Open gives the door to a home's file. It reads nothing yet.
func Open(home Home, o Options) *File {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Settle <= 0 {
		o.Settle = defaultSettle
	}
	w := newWriter()
	w.copies = home.Native()
	return &File{home: home, options: o, write: w}
}

// Home gives the home this file belongs to.
func (f *File) Home() Home { return f.home }

// Current gives the published snapshot, nil before the first Load.
func (f *File) Current() *Snapshot { return f.current.Load() }

// Load reads the file and publishes what it says. It never fails: a file that
// cannot be read is a broken snapshot, in which no server is known and
// everything is locked (FILTER section 2 row 20); a missing or empty one has no
// servers and no problem (row 21).
func (f *File) Load() *Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.load()
}

func (f *File) load() *Snapshot {
	f.good = nil // what is loaded is held down to nothing
	r := f.read(nil)
	for waited := time.Duration(0); r.isWritten() && waited < maxSettle; waited += f.options.Settle {
		<-time.After(f.options.Settle)
		r = f.read(nil)
	}
	snap := r.snapshot
	if r.problem != nil {
		f.good = nil
		snap = broken(f.home, r.revision, r.exists, *r.problem, r.scope, r.env)
	} else {
		f.good = snap
		f.visiting = f.options.Busy != nil && f.options.Busy()
		snap.Opened = f.memory.ledger.since(snap)
	}
	f.current.Store(snap)
	f.pending.Store(nil)
	return snap
}

// judge says what a reading makes of the state: nil for no change. sure is
// false for a change that has to be read twice.
func (f *File) judge(r reading) (snap *Snapshot, sure bool) {
	now := f.current.Load()
	if r.problem == nil && f.good != nil && len(f.good.Servers) > 0 && r.empty {
		r.problem = r.gone(f.home)
	}
	if r.problem != nil {
		if last := len(now.Problems) - 1; now.Broken && now.Exists == r.exists && now.Problems[last].equal(*r.problem) {
			return nil, true
		}
		if f.good == nil {
			return broken(f.home, r.revision, r.exists, *r.problem, r.scope, r.env), true
		}
		return f.good.with(*r.problem, r.exists), true
	}
	if f.good == nil {
		r.snapshot.Opened = f.memory.ledger.since(r.snapshot)
		return r.snapshot, false
	}
	if r.revision == f.good.Revision && r.env == f.good.env && sameHolds(f.good, r.snapshot) {
		f.good = r.snapshot
		if !now.Broken {
			return nil, true
		}
		return f.good, true
	}
	if mayLoosen(f.good, r.snapshot) {
		return r.snapshot, false
	}
	return r.snapshot, true
}

// Secrets gives the values that must not appear in any output: those of `.env`,
// what ${VAR} stands for in the file, and secrets written out in it. They have 8
// characters and more, and where a variable's name says that it is secret, 4: one
// that short is to be hidden only where it is a word of its own.
func (f *File) Secrets() []string {
	snap := f.current.Load()
	if snap == nil {
		return nil
	}
	return snap.secrets()
}

// reading is one look at the disk. problem is set when the file cannot be read;
// empty when it is missing or holds nothing.
type reading struct {
	data     []byte
	revision string
	env      string
	ledger   string
	exists   bool
	empty    bool
	scope    *scope
	doc      *document
	snapshot *Snapshot
	problem  *Problem
	saw      *seen   // what the disk was like
	written  [2]bool // somebody has the file, the `.env` open for writing
}

func (r reading) isWritten() bool { return r.written[0] || r.written[1] }

func (r reading) same(o reading) bool {
	return r.revision == o.revision && r.env == o.env && r.ledger == o.ledger && r.exists == o.exists && (r.problem == nil) == (o.problem == nil)
}

// read is reading and note in one, for whoever decides about what it gives under the
// same lock.
func (f *File) read(known *Snapshot) reading {
	r := f.reading(known)
	f.note(r)
	return r
}

// note says that the disk was looked at. It comes after what the reading denies is
// pending or in force: from then on Moved sees no difference to it.
func (f *File) note(r reading) { f.seen.Store(r.saw) }

// reading looks at the disk. The same bytes as those of a known state are not
// parsed again.
func (f *File) reading(known *Snapshot) reading {
	var r reading
	now := f.glance(false)
	env, envWritten, envErr := readOpen(f.home.Env())
	r.env = digest(env)
	r.scope = newScope(f.home, parseEnv(env), f.options.Getenv)
	data, written, err := readOpen(f.home.Config())
	r.written = [2]bool{written, envWritten}
	if err == nil {
		r.data, r.exists, r.revision = data, true, digest(data)
	}
	// The ledger comes last: a grant in it was written before the file it is for.
	f.look()
	now.sums = [3]string{sumOf(data, missingIsEmpty(err)), sumOf(env, missingIsEmpty(envErr)), f.memory.sum}
	r.saw = &now
	if err == nil && known != nil && known.Revision == r.revision && known.env == r.env {
		r.snapshot, r.empty, r.ledger = known, known.empty, f.memory.mark
		if known.ledger != f.memory.mark || len(known.Waiting) > 0 {
			r.snapshot = f.inForce(known)
		}
		return r
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.empty = true
		r.doc = &document{}
	case err != nil:
		r.exists = true
		r.problem = unreadable(f.home.Config(), err)
		return r
	default:
		if r.doc, err = parse(data); err != nil {
			r.problem = parseProblem(f.home.Config(), err)
			if before := f.write.left(f.home.Config()); before != "" {
				r.problem.Hint = "an edit was cut off in the middle; what the file held before it is in " + before
			}
			return r
		}
		r.empty = r.doc.tree == nil
	}
	r.snapshot = build(f.home, r.doc, r.revision, r.scope, r.env)
	r.snapshot.empty = r.empty
	if envErr != nil && !errors.Is(envErr, fs.ErrNotExist) {
		p := unreadable(f.home.Env(), envErr)
		p.Severity = policy.SeverityWarning
		r.snapshot.Problems = append(r.snapshot.Problems, *p)
	}
	r.ledger, r.snapshot = f.memory.mark, f.inForce(r.snapshot)
	return r
}

// gone is the problem of a file that vanished or lost its content.
func (r reading) gone(home Home) *Problem {
	what := "the file is gone"
	if r.exists {
		what = "the file is empty"
	}
	return &Problem{
		Severity: policy.SeverityError, Code: CodeGone, Message: what + "; the last good state stays in force",
		Hint: "put the file back, or write `mcp_servers: {}` to remove all servers", File: home.Config(),
	}
}

func (p Problem) equal(o Problem) bool {
	return p.Code == o.Code && p.Message == o.Message && p.File == o.File && p.Line == o.Line && p.Column == o.Column
}

func unreadable(path string, err error) *Problem {
	// The path is told beside the message; the error says only why.
	var failure *fs.PathError
	if errors.As(err, &failure) {
		err = failure.Err
	}
	return &Problem{
		Severity: policy.SeverityError, Code: CodeBroken, Message: fmt.Sprintf("the file cannot be read: %v", err),
		Hint: "check its owner and its mode", File: path,
	}
}

func parseProblem(path string, err error) *Problem {
	p := &Problem{Severity: policy.SeverityError, Code: CodeBroken, Message: err.Error(), File: path}
	var e *ParseError
	if errors.As(err, &e) {
		p.Params = []string{e.Code}
		p.Message, p.Hint, p.Line, p.Column = e.Message, e.Hint, e.Line, e.Column
	}
	return p
}

// readBounded reads a file without ever holding more than one byte too many.
func readBounded(path string) ([]byte, error) {
	data, _, err := readOpen(path)
	return data, err
}

// readOpen is readBounded, and tells whether somebody had the file open for
// writing before or after the bytes were read.
func readOpen(path string) (content []byte, written bool, err error) {
	info, err := os.Stat(path) // before opening: a pipe would never open
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() {
		return nil, false, errors.New("it is not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	written = hasWriter(file)
	var data bytes.Buffer
	data.Grow(int(min(info.Size(), maxFileBytes)) + bytes.MinRead)
	_, err = io.Copy(&data, io.LimitReader(file, maxFileBytes+1))
	return data.Bytes(), written || hasWriter(file), err
}

// digest names content: its SHA-256 in hexadecimal.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
