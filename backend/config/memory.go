package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"time"

	"hermes/backend/native"
	"hermes/backend/policy"
)

// memory is the ledger as this process knows it. A file that is deleted while we
// run is not forgotten: what is known stays in force, and recording writes it
// again; the same for one that becomes garbage. mark names the state of the file on
// the disk, sum its bytes. known tells that there is something to lose, damaged that
// the file is to be set aside and written anew.
type memory struct {
	ledger  Ledger
	mark    string
	sum     string
	missing bool
	known   bool
	damaged bool
	problem *Problem
}

// look reads the ledger. One that cannot be read changes nothing about what is
// in force and is told; at the start nothing is known, so the file alone decides.
func (f *File) look() {
	data, err := native.Read(f.home.ledgerFile(), maxFileBytes)
	m := &f.memory
	m.problem, m.damaged, m.missing = nil, false, errors.Is(err, fs.ErrNotExist)
	m.sum = sumOf(data, missingIsEmpty(err))
	if m.ledger.Servers == nil {
		m.ledger = Ledger{Version: ledgerVersion, Servers: map[string]LedgerEntry{}}
	}
	if m.missing {
		m.mark = "missing"
		return
	}
	mark := digest(data)
	if err == nil && mark == m.mark {
		return
	}
	var l Ledger
	if err == nil {
		l, err = parseLedger(data)
	}
	if err != nil {
		m.problem = f.unreadableLedger(err)
		m.damaged = m.known && isDamage(err)
		if m.damaged {
			f.tellDamaged(m.problem)
		}
		m.mark = "unreadable"
		return
	}
	m.ledger, m.mark, m.known = l, mark, true
}

// isDamage tells a ledger that was not written by a program of ours from one that
// only cannot be read now, or is of a later program.
func isDamage(err error) bool {
	var failure *fs.PathError
	return !errors.Is(err, errLedgerVersion) && (!errors.As(err, &failure) || errors.Is(err, native.ErrForeign) || errors.Is(err, native.ErrLong))
}

// tellDamaged says, once for each damage, what becomes of a ledger that this
// process knew better.
func (f *File) tellDamaged(p *Problem) {
	p.Message = "the lock ledger was damaged while Hermes runs; what it said stays in force"
	p.Hint = "it is written anew; what stands in its place now is kept as " + filepath.Base(f.home.ledgerFile()) + ".damaged"
	if f.memory.mark != "unreadable" {
		f.options.Logger.Warn(p.Message, "file", p.File)
	}
}

// sealed tells that the file must not be written over: a person may still repair
// it.
func (m *memory) sealed() bool { return m.problem != nil && !m.damaged }

func (f *File) unreadableLedger(err error) *Problem {
	var failure *fs.PathError
	if errors.As(err, &failure) {
		err = failure.Err
	}
	p := &Problem{
		Severity: policy.SeverityWarning, Code: CodeLedger,
		Message: fmt.Sprintf("the lock ledger cannot be read, so lost filters are not noticed: %v", err),
		Hint:    "look at the file; once it is moved away, the next edit begins a new one",
		File:    f.home.ledgerFile(),
	}
	if errors.Is(err, native.ErrFolder) {
		p.Code, p.File = CodeLedgerFolder, f.home.Native()
		p.Message = "a link, or no folder, stands where Hermes keeps its own files: nothing is read or written there, so lost filters are not noticed, no consent counts and no edit or chat is possible"
		p.Hint = "move " + f.home.Native() + " away; Hermes makes it anew. If the files it leads to are yours, move that folder here instead"
	}
	return p
}

// inForce puts the ledger over a state of the file.
func (f *File) inForce(s *Snapshot) *Snapshot {
	if s.bare != nil {
		s = s.bare
	}
	return f.wait(s.held(f.memory.ledger, f.memory.mark, f.memory.problem))
}

// Record remembers the restrictions that a snapshot puts in force. What is held
// stays remembered, and servers that are not in the file keep what is remembered
// of them; one that has no restriction now has nothing to remember. Nothing is
// recorded of a file that is not in force, or not on the disk any more, and
// nothing is written when nothing changed, or before our own folder was made by a
// person's first edit or conversation - except where something is held that
// nothing else would hold after a restart.
func (f *File) Record(snap *Snapshot) error {
	if snap == nil || snap.Broken {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	if f.memory.sealed() {
		// Writing over it would destroy what a person may still repair.
		return errors.New(f.memory.problem.Message)
	}
	next, held := f.next(snap)
	if !native.HasFolder(f.home.Native()) {
		if !held {
			f.memory.ledger, f.memory.known = next, true
			return nil
		}
		if err := native.Make(f.home.Native()); err != nil {
			return err
		}
	}
	if next.equal(f.memory.ledger) && !f.memory.damaged && (!f.memory.missing || len(next.Servers) == 0) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	unlock, err := f.holdLock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := readBounded(f.home.Config())
	if (err != nil || digest(data) != snap.Revision) && !(errors.Is(err, fs.ErrNotExist) && snap.Revision == "") {
		// Somebody wrote since: that state is recorded once it is in force, and
		// a grant for it must not be taken for an old one.
		return nil
	}
	f.look()
	next, _ = f.next(snap)
	return f.keep(next)
}

// keep writes the ledger, if it says anything new. The lock is held.
func (f *File) keep(next Ledger) error {
	if f.memory.sealed() || next.equal(f.memory.ledger) && !f.memory.missing && !f.memory.damaged {
		return nil
	}
	data, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return fmt.Errorf("record %s: %w", f.home.ledgerFile(), err)
	}
	data = append(data, '\n')
	if f.memory.damaged {
		if err := native.SetAside(f.home.ledgerFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := f.write.create(f.home.ledgerFile(), data); err != nil {
		return err
	}
	m := &f.memory
	m.ledger, m.mark, m.known, m.missing, m.damaged, m.problem = next, digest(data), true, false, false, nil
	return nil
}

// next gives the ledger once the file of a snapshot is in force under the ledger
// of now, and whether anything is held then. A grant is used up or was never
// followed by its edit; either way it goes.
func (f *File) next(snap *Snapshot) (Ledger, bool) {
	s := f.inForce(snap)
	now := f.options.Now().UTC().Truncate(timeGrain)
	l := f.memory.ledger
	out := Ledger{Version: ledgerVersion, Servers: map[string]LedgerEntry{}, Known: map[string]string{}, InForce: map[string]string{},
		Opened: maps.Clone(l.Opened), HoldingOff: l.HoldingOff && !s.Settings.HoldFilters}
	for name, entry := range l.Servers {
		entry.Grant = nil
		out.Servers[name] = entry
	}
	for name, target := range l.Known {
		out.Known[name] = target
	}
	for name, text := range l.InForce {
		out.InForce[name] = text
	}
	held := false
	for i := range s.Servers {
		sv := &s.Servers[i]
		if sv.waiting || f.visiting {
			// What waits is not in force, and what an agent opened elsewhere is not
			// taken for it: the ledger keeps what it says.
			held = held || sv.Hold != nil && !f.visiting
			continue
		}
		if text := sv.inForce(l.InForce[sv.Name]); text != "" {
			out.InForce[sv.Name] = text
		}
		held = held || sv.Hold != nil
		if !sv.pending {
			out.Known[sv.Name] = sv.identity
		}
		if sv.adopted != "" {
			// Its old name is new again: what comes under it is a twin.
			delete(out.Servers, sv.adopted)
			delete(out.Known, sv.adopted)
		}
		delete(out.Servers, sv.Name)
		is := policy.Remember(sv.previous.Restriction, sv.Rules)
		if !is.Any() {
			continue
		}
		entry := LedgerEntry{Restriction: is, Target: sv.identity, Former: sv.former(is), Since: now, Revision: s.Revision}
		if was := sv.previous; !was.Since.IsZero() && (sv.Hold != nil || was.Restriction.Equal(is)) {
			entry.Since, entry.Revision = was.Since, was.Revision
		}
		if sv.Hold != nil {
			entry.Twin = sv.Hold.Twin
		}
		out.Servers[sv.Name] = entry
	}
	return out, held
}

// ConfirmOpen remembers that a person opened a server by our own command, also
// one that the file opens already.
func (f *File) ConfirmOpen(ctx context.Context, server string) error {
	return f.confirm(ctx, func(l *Ledger) {
		if l.Opened == nil {
			l.Opened = map[string]time.Time{}
		}
		l.Opened[server] = f.options.Now().UTC().Truncate(timeGrain)
	})
}

// ConfirmHolding is the word of our own command that `mcp.hold_lost_filters`
// says what a person means: without it a false in the file does not count. It is
// called after the file says so. What is held already stays held.
func (f *File) ConfirmHolding(ctx context.Context, on bool) error {
	return f.confirm(ctx, func(l *Ledger) { l.HoldingOff = !on })
}

// confirm writes a person's word into the ledger of the state of now.
func (f *File) confirm(ctx context.Context, word func(*Ledger)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	r := f.read(nil)
	if r.problem != nil {
		return f.refused(r)
	}
	if f.memory.sealed() {
		return &Refused{Message: f.memory.problem.Message, Hint: f.memory.problem.Hint, File: f.memory.problem.File}
	}
	before := f.lawful(r.snapshot)
	f.announce(before.version(), before.version(), "")
	next, _ := f.next(r.snapshot)
	word(&next)
	if err := f.keep(next); err != nil {
		return err
	}
	f.publish(f.mine(before, r.snapshot, ""))
	return nil
}
