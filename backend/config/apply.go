package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"hermes/backend/native"
)

// Result tells what an edit did. Changed is false when the file already said
// so: then not one byte was written. Snapshot is the state after it. Unrecorded
// says why the ledger does not know of the edit, nil where it does.
type Result struct {
	Changed    bool
	Snapshot   *Snapshot
	Unrecorded error
}

// lockPause is how long a writer waits before it tries the lock again.
const lockPause = 10 * time.Millisecond

// Apply makes one edit (FILTER section 5): under a lock that all processes of
// Hermes share it reads the file, compares the revision, changes only the bytes
// of the value it touches, proves the result and puts it in place in one step.
// The state it publishes is the one it wrote. A comment on the line of something
// that is removed goes with it; comments on lines of their own stay.
//
// The error is a *Conflict, a *Refused, ErrUnknownServer (errors.Is), the
// context's error, or a failure of the disk; the file is untouched then. The
// folder of the lock is made by the first edit that has something to write.
func (f *File) Apply(ctx context.Context, edit Edit) (Result, error) {
	return f.edit(ctx, attempt{
		seen: edit.Seen,
		over: func(r reading) (*document, error) {
			rules, _ := r.snapshot.Policy.Rules(edit.Server)
			return plan(f.home.Config(), r.doc, edit, rules)
		},
		grant: edit.Server,
		ends:  endsHold(edit.Intent.Action),
	})
}

// attempt is one wanted edit: plan works out and proves the new bytes, nil for
// nothing to do. first, where there is one, runs under the lock when the plan is
// proved and before the file is replaced; its error keeps the file as it is.
// over is plan for edits that need what is in force. grant names the server whose
// new state a person confirmed with this edit, ends tells that what is held of it
// ends, also where the file says already what is wanted.
// create allows the edit to make a file that is not there, mend one of a file
// that cannot be read; strict compares an empty revision, too.
type attempt struct {
	seen   string
	plan   func(*document) (*document, error)
	over   func(reading) (*document, error)
	grant  string
	ends   bool
	first  func(r reading, after *document) error
	create bool
	mend   bool
	strict bool
}

// whole names the server all of whose rules the edit states, empty for none.
func (a attempt) whole() string {
	if a.ends {
		return a.grant
	}
	return ""
}

// edit is what all edits share: lock, read, compare the revision, plan, write,
// publish.
func (f *File) edit(ctx context.Context, a attempt) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// Without the lock first: what is refused or already so needs neither a
	// lock nor a folder for it.
	r, after, err := f.prepare(a)
	if err != nil || after == nil && !a.accepts(r) {
		return f.unchanged(err)
	}
	if a.create {
		if err := f.makeHome(); err != nil {
			return Result{}, err
		}
	}
	unlock, err := f.lock(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	// What was planned without the lock holds if nothing moved since.
	if r.snapshot == nil || f.read(r.snapshot).snapshot != r.snapshot {
		r, after, err = f.prepare(a)
	}
	if err != nil || after == nil && !a.accepts(r) {
		return f.unchanged(err)
	}
	if after == nil {
		return f.accept(r, a.grant)
	}
	if a.first != nil {
		if err := a.first(r, after); err != nil {
			return Result{}, err
		}
	}
	before := r.snapshot
	if before != nil {
		before = f.lawful(before)
	}
	f.announce(Version{r.revision, r.env}, Version{digest(after.data), r.env}, a.whole())
	if err := f.allow(r, after, a); err != nil {
		return Result{}, err
	}
	if r.exists {
		err = f.write.replace(f.home.Config(), r.data, after.data)
	} else {
		err = f.write.begin(f.home.Config(), after.data)
	}
	if errors.Is(err, errMoved) {
		return Result{}, f.conflict(r.revision)
	}
	if err != nil {
		return Result{}, unwritten(f.home.Config(), err)
	}
	snap := build(f.home, after, digest(after.data), r.scope, r.env)
	if before == nil {
		snap = f.lawful(snap) // of what could not be read a person made all of it
	} else {
		snap = f.mine(before, snap, a.whole())
	}
	f.publish(snap)
	return Result{Changed: true, Snapshot: snap}, nil
}

// unwritten is the answer when the disk said no.
func unwritten(path string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("write %s: %w", path, err)
	}
	var failure *fs.PathError
	if errors.As(err, &failure) {
		err = failure.Err
	}
	return &Refused{
		Message: fmt.Sprintf("nothing was written, because the file cannot be replaced: %v", err),
		Hint:    "make the file and its folder writable for you", File: path, Cause: err,
	}
}

// unchanged is the end of an edit that wrote nothing.
func (f *File) unchanged(err error) (Result, error) {
	if err != nil {
		return Result{}, err
	}
	snap := f.current.Load()
	if snap == nil {
		r := f.read(nil)
		if r.problem != nil {
			return Result{}, f.refused(r)
		}
		snap = r.snapshot
		f.publish(snap)
	}
	return Result{Snapshot: snap}, nil
}

// prepare reads the file and plans the edit; after is nil when there is nothing
// to do.
func (f *File) prepare(a attempt) (reading, *document, error) {
	r := f.read(nil)
	if r.problem != nil && !(a.mend && r.data != nil) {
		return r, nil, f.refused(r)
	}
	if r.problem != nil {
		r.doc = &document{data: r.data}
	}
	if (a.strict || a.seen != "") && a.seen != r.revision {
		return r, nil, &Conflict{File: f.home.Config(), Seen: a.seen, Now: r.revision}
	}
	if a.over != nil {
		after, err := a.over(r)
		return r, after, err
	}
	after, err := a.plan(r.doc)
	return r, after, err
}

// makeHome makes the folder of the home where it is missing.
func (f *File) makeHome() error {
	if err := os.MkdirAll(f.home.Dir, 0o700); err != nil {
		return &Refused{
			Message: fmt.Sprintf("nothing was written, because the folder of the configuration cannot be made: %v", err),
			Hint:    "make its parent folder writable, or set HERMES_HOME to a folder of yours", File: f.home.Dir,
		}
	}
	return nil
}

// refused is the answer to an edit of a file that cannot be read.
func (f *File) refused(r reading) error {
	p := r.problem
	return &Refused{
		Message: "nothing was written, because the file cannot be read as it is: " + p.Message,
		Hint:    p.Hint, File: p.File, Line: p.Line, Column: p.Column,
	}
}

// conflict is the answer when the file changed between reading and writing.
func (f *File) conflict(seen string) error {
	c := &Conflict{File: f.home.Config(), Seen: seen}
	if data, err := readBounded(f.home.Config()); err == nil {
		c.Now = digest(data)
	}
	return c
}

// lock takes the lock of all writers of this home. It makes our folder.
func (f *File) lock(ctx context.Context) (unlock func(), err error) {
	dir := f.home.Native()
	err = native.Make(dir)
	if errors.Is(err, native.ErrFolder) {
		return nil, &Refused{
			Message: "nothing was written, because a link, or no folder, stands where Hermes keeps its own files",
			Hint:    "move it away; Hermes makes the folder anew", File: dir,
		}
	}
	if err != nil {
		return nil, &Refused{
			Message: fmt.Sprintf("nothing was written, because the folder for the lock cannot be made: %v", err),
			Hint:    "make the Hermes home writable", File: dir,
		}
	}
	if unlock, err = f.holdLock(ctx); err == nil {
		f.tidy()
	}
	return unlock, err
}

// holdLock takes the lock in a folder that is there.
func (f *File) holdLock(ctx context.Context) (unlock func(), err error) {
	path := f.home.lockFile()
	lock, err := native.Lock(path)
	if err != nil {
		return nil, err
	}
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() {
		if err := lock.Unlock(); err != nil {
			f.options.Logger.Warn("unlocking", "file", path, "error", err)
		}
	}, nil
}

// equalBytes tells whether a file still holds what was read.
func equalBytes(path string, data []byte) (bool, error) {
	now, err := readBounded(path)
	if err != nil {
		return false, err
	}
	return bytes.Equal(now, data), nil
}
