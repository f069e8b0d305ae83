package pin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hermes/backend/native"
)

// Options say where a Store lives. Folder is our own folder in the home: while
// it does not exist nothing is written, and what is remembered lives in this
// process. Configured tells the servers that are in the file; the pins of one
// that is not any more pass to a new name for the same program. Now is the
// clock, nil for the real one.
type Options struct {
	Folder     string
	Configured func(server string) bool
	Now        func() time.Time
}

// Store holds what is remembered of all servers of one home. It is safe for
// concurrent use, and several processes may share one folder.
type Store struct {
	options Options

	// writing serialises changes; mu guards the fields below.
	writing sync.Mutex
	mu      sync.Mutex
	state   state
	// info is the state of the file that was read or written last, nil for none.
	info fs.FileInfo
	// unsaved tells that the memory knows what the file does not.
	unsaved bool
	// fault is why the file cannot be read, nil where it can; failed why it was
	// not written last.
	fault, failed error
	turn          uint64
	// heads are the entries without their records, for a listing that needs no
	// more; nil where they were not read, headsOf is the file they are of.
	heads   state
	headsOf fs.FileInfo
}

// New makes a store; the file is read at the first use.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Configured == nil {
		o.Configured = func(string) bool { return true }
	}
	return &Store{options: o, state: state{}}
}

// Path is the file.
func (s *Store) Path() string { return s.path() }

func (s *Store) path() string { return filepath.Join(s.options.Folder, "pins.json") }

// Turn changes whenever what is remembered may have changed.
func (s *Store) Turn() uint64 {
	s.refresh()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn
}

func (s *Store) now() time.Time { return s.options.Now().UTC().Truncate(time.Second) }

// refresh reads the file if it is another one than the one that was read. One
// that is gone, or cannot be read any more, takes nothing from the memory.
func (s *Store) refresh() {
	info, err := os.Lstat(s.path())
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			s.fault = nil
			if s.info != nil {
				s.info, s.unsaved = nil, len(s.state) > 0
			}
			return
		}
		s.fault = err
		return
	}
	if same(s.info, info) {
		return
	}
	data, info, err := readFile(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var read state
	if err == nil {
		read, err = decode(data)
	}
	s.info, s.fault = info, err
	if err != nil {
		s.unsaved = s.unsaved || errors.Is(err, errDamaged) && len(s.state) > 0
		return
	}
	if s.unsaved {
		if err := read.adopt(s.state); err != nil {
			s.fault = damaged(err.Error())
			return
		}
	}
	s.state = read
	s.turn++
}

func same(a, b fs.FileInfo) bool {
	return a != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// listing gives entries whose records need not be there: the whole memory, or of
// a file that nobody needed yet the first line. The lock is held when it returns.
func (s *Store) listing() state {
	info, err := os.Lstat(s.path())
	s.mu.Lock()
	if err == nil && s.info == nil && len(s.state) == 0 {
		if same(s.headsOf, info) {
			return s.heads
		}
		if s.heads, s.headsOf, err = readHeads(s.path()); err == nil {
			return s.heads
		}
		s.heads, s.headsOf = nil, nil
	}
	s.mu.Unlock()
	s.refresh()
	s.mu.Lock()
	return s.state
}

// adopt takes in what another memory knows beside this one.
func (s state) adopt(other state) error {
	for key, theirs := range other {
		mine := s[key]
		if mine == nil {
			s[key] = theirs.clone()
			continue
		}
		if err := errors.Join(mine.open(), theirs.open()); err != nil {
			return err
		}
		mine.adopt(theirs)
	}
	return nil
}

// find gives the entry of a server, or the one that the same program has under a
// name that is not configured any more.
func (s *Store) find(in state, key Key) *entry {
	if e := in[key]; e != nil {
		return e
	}
	if e := s.former(in, key); e != nil {
		return e
	}
	return nil
}

// former is the latest entry of the same program under a name that is gone.
func (s *Store) former(in state, key Key) *entry {
	var latest *entry
	for other, e := range in {
		if other.Identity != key.Identity || key.Identity == "" || s.options.Configured(other.Server) {
			continue
		}
		if latest == nil || e.head.When.After(latest.head.When) ||
			e.head.When.Equal(latest.head.When) && other.Server < latest.head.Server {
			latest = e
		}
	}
	return latest
}

// change makes one change of what is remembered and writes it where our folder
// exists. The change is in force in this process also where it cannot be written;
// the error says so. do is called again on what another process wrote meanwhile.
func (s *Store) change(do func(state) (bool, error)) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.refresh()
	moved, err := s.apply(do)
	if err != nil {
		return err
	}
	s.mu.Lock()
	needed := moved || s.unsaved
	s.mu.Unlock()
	if !needed {
		return nil
	}
	if !native.HasFolder(s.options.Folder) {
		return nil
	}
	err = s.save(do)
	s.mu.Lock()
	s.failed = err
	s.mu.Unlock()
	return err
}

// apply runs a change over a copy and puts it in force.
func (s *Store) apply(do func(state) (bool, error)) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.state.clone()
	moved, err := do(next)
	if err != nil {
		return false, err
	}
	if moved {
		s.state, s.unsaved = next, true
		s.turn++
	}
	return moved, nil
}

// save writes the memory, on top of what another process wrote.
func (s *Store) save(do func(state) (bool, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	lock, err := native.Lock(filepath.Join(s.options.Folder, "pins.lock"))
	if err != nil {
		return err
	}
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()
	s.mu.Lock()
	before := s.info
	s.mu.Unlock()
	s.refresh()
	s.mu.Lock()
	fault, after := s.fault, s.info
	s.mu.Unlock()
	switch {
	case errors.Is(fault, errDamaged):
		if err := native.SetAside(s.path()); err != nil {
			return fmt.Errorf("move the damaged file away: %w", err)
		}
	case fault != nil:
		// Writing over it would lose what a person may still repair.
		return fmt.Errorf("%s cannot be read: %w", s.path(), fault)
	case before != after:
		if _, err := s.apply(do); err != nil {
			return err
		}
	}
	return s.write()
}

// write puts the memory into the file. The lock is held.
func (s *Store) write() error {
	s.mu.Lock()
	s.bound(s.state)
	data, err := encode(s.state)
	for err == nil && len(data) > maxFile && s.drop(s.state) {
		data, err = encode(s.state)
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return fmt.Errorf("%s would be longer than %d MB", s.path(), maxFile>>20)
	}
	if err := native.Replace(s.path(), data); err != nil {
		return err
	}
	info, err := os.Lstat(s.path())
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info, s.unsaved, s.fault = info, false, nil
	return nil
}

// bound keeps the number of servers down.
func (s *Store) bound(in state) {
	for len(in) > maxServers && s.drop(in) {
	}
}

// drop forgets the server that was not seen for longest, one that is not
// configured any more before all others.
func (s *Store) drop(in state) bool {
	var worst Key
	var found *entry
	for key, e := range in {
		gone, wasGone := !s.options.Configured(key.Server), found != nil && !s.options.Configured(worst.Server)
		if found == nil || gone && !wasGone || gone == wasGone && e.head.When.Before(found.head.When) {
			worst, found = key, e
		}
	}
	delete(in, worst)
	return found != nil && len(in) > 0
}
