package config

import (
	"reflect"
	"slices"
)

// maxExpected is how many edits of our own commands may be announced and not seen
// yet.
const maxExpected = 16

// Version names a state of the disk: the digests of the file and of `.env`.
type Version struct{ File, Env string }

// passage is a step from one version to another that a person took.
// server is the one whose rules the step states as a whole, empty for none.
type passage struct {
	from, to Version
	server   string
}

// Expect tells that a person's own command is about to bring the disk from one
// version to another: what that step opens does not wait. It is called before the
// file is written, so that whoever reads it knows of the step; it does not wait
// for a reader or a writer. server is the one
// that the command locks or opens, empty for none.
func (f *File) Expect(from, to Version, server string) {
	f.expect(passage{from, to, server})
}

func (f *File) expect(p passage) {
	f.expecting.Lock()
	defer f.expecting.Unlock()
	f.expected = append(f.expected, p)
	f.expected = f.expected[max(0, len(f.expected)-maxExpected):]
}

// announce tells the other running processes of this home of a step a person takes
// now.
func (f *File) announce(from, to Version, server string) {
	if f.options.Announce != nil {
		f.options.Announce(from, to, server)
	}
}

func (s *Snapshot) version() Version { return Version{s.Revision, s.env} }

// based is what a new state of the disk is held down to: the state in force, and
// what a person's own step from there to the new state changed, where own tells of
// one.
func (f *File) based(base, now *Snapshot) (under *Snapshot, own bool) {
	f.expecting.Lock()
	defer f.expecting.Unlock()
	at := slices.IndexFunc(f.expected, func(p passage) bool { return p.from == base.version() && p.to == now.version() })
	if at < 0 {
		return base, false
	}
	return base.rebased(f.was(base), now, f.expected[at].server), true
}

// was is what the file and the ledger said when a state came into force.
func (f *File) was(base *Snapshot) *Snapshot {
	if len(base.Waiting) == 0 {
		return base // also under a ledger that says something else by now
	}
	return f.lawful(base)
}

// used forgets a step once it is in force, so that it is taken once.
func (f *File) used(from, to *Snapshot) {
	if from == nil {
		return
	}
	f.expecting.Lock()
	defer f.expecting.Unlock()
	f.expected = slices.DeleteFunc(f.expected, func(p passage) bool { return p.from == from.version() && p.to == to.version() })
}

// lawful is a state of the file under the ledger, with nothing that waits.
func (f *File) lawful(s *Snapshot) *Snapshot {
	if s.bare != nil {
		s = s.bare
	}
	return s.held(f.memory.ledger, f.memory.mark, f.memory.problem)
}

// mine puts a state in force that a person's own edit made of another one: what
// the edit changed counts at once, also while an agent is at work; what waited
// goes on waiting.
func (f *File) mine(before, after *Snapshot, server string) *Snapshot {
	now := f.lawful(after)
	base := f.good
	if base == nil || len(base.Waiting) == 0 && (f.options.Busy == nil || !f.options.Busy()) {
		return now
	}
	out := now.under(base.rebased(before, now, server), day(f.options.Now()))
	f.noticed(base, out, base.version() == before.version())
	return out
}

// rebased is a state in force after a person's step from one state of the file to
// another, key by key: what the step left alone is what it was, what it changed is
// what it says - unless something of that key waits, which the person may not have
// seen; then the key waits as a whole. The rules of the one server that is named
// are what the step says: a person stated all of them.
func (s *Snapshot) rebased(from, to *Snapshot, server string) *Snapshot {
	out := *to
	out.index = map[string]int{}
	out.Servers = nil
	for i := range to.Servers {
		sv := to.Servers[i]
		was, known := from.Server(sv.Name)
		is, inForce := s.Server(sv.Name)
		switch {
		case known && (!inForce || is.fresh):
			continue // it waits as a whole
		case known:
			rules := sv.Rules
			if sv = is.stepped(was, &sv); sv.Name == server {
				sv.Rules = rules
			}
		}
		out.index[sv.Name] = len(out.Servers)
		out.Servers = append(out.Servers, sv)
	}
	if reflect.DeepEqual(from.scope.file, to.scope.file) || !reflect.DeepEqual(from.scope.file, s.scope.file) {
		out.scope = s.scope
	}
	out.Restrictions = pick(s.Restrictions, from.Restrictions, to.Restrictions, func(a, b Restrictions) bool {
		return reflect.DeepEqual(a.compared(), b.compared())
	})
	out.Settings = s.Settings
	out.Settings.Model = pick(s.Settings.Model, from.Settings.Model, to.Settings.Model, func(a, b ModelSettings) bool {
		return reflect.DeepEqual(a.placeless(), b.placeless())
	})
	out.Settings.Loops = pick(s.Settings.Loops, from.Settings.Loops, to.Settings.Loops, func(a, b Loops) bool { return a == b })
	out.Settings.Connectors = pick(s.Settings.Connectors, from.Settings.Connectors, to.Settings.Connectors, func(a, b Connectors) bool {
		return a.placeless() == b.placeless()
	})
	equal := func(a, b bool) bool { return a == b }
	out.Settings.CancelLocked = pick(s.Settings.CancelLocked, from.Settings.CancelLocked, to.Settings.CancelLocked, equal)
	out.Settings.HoldFilters = pick(s.Settings.HoldFilters, from.Settings.HoldFilters, to.Settings.HoldFilters, equal)
	out.Settings.AutoReload = pick(s.Settings.AutoReload, from.Settings.AutoReload, to.Settings.AutoReload, equal)
	return &out
}

// stepped is a server in force after a person's step of its entry.
func (sv *Server) stepped(from, to *Server) Server {
	out := *to
	equal := func(a, b bool) bool { return a == b }
	out.Enabled = pick(sv.Enabled, from.Enabled, to.Enabled, equal)
	out.Parallel = pick(sv.Parallel, from.Parallel, to.Parallel, equal)
	if !reflect.DeepEqual(from.Sampling, sv.Sampling) || reflect.DeepEqual(from.Sampling, to.Sampling) {
		out.Sampling = sv.Sampling
	}
	if from.Rules.Equal(to.Rules) || !from.Rules.Equal(sv.Rules) {
		out.Rules = sv.Rules
	}
	if reflect.DeepEqual(from.Conn, to.Conn) || !reflect.DeepEqual(from.Conn, sv.Conn) {
		out.Conn, out.identity, out.Builtin, out.Problems = sv.Conn, sv.identity, sv.Builtin, sv.Problems
	}
	out.Waits = sv.Waits
	return out
}

// pick is what is in force of a key after a person's step.
func pick[T any](inForce, from, to T, equal func(a, b T) bool) T {
	if equal(from, to) || !equal(from, inForce) {
		return inForce
	}
	return to
}

// Release is a person's word that what waits is taken: the file is in force as it
// stands. It tells whether that changed anything.
func (f *File) Release() (*Snapshot, bool) { return f.release(nil) }

// ReleaseSeen is Release for a person who saw what a state said to wait: what the
// disk says otherwise by now goes on waiting.
func (f *File) ReleaseSeen(shown *Snapshot) (*Snapshot, bool) {
	only := shown.version()
	return f.release(&only)
}

func (f *File) release(only *Version) (*Snapshot, bool) {
	f.mu.Lock()
	f.visiting = false
	if f.good == nil || len(f.good.Waiting) == 0 {
		f.mu.Unlock()
		return f.Current(), false
	}
	f.taking, f.only = true, only
	f.mu.Unlock()
	snap, changed := f.Reload()
	f.mu.Lock()
	f.taking, f.only = false, nil
	f.mu.Unlock()
	return snap, changed
}

// stepEnv tells everybody, this process too, that a person is about to change
// `.env`.
func (f *File) stepEnv(old, data []byte) {
	file := ""
	if f.good != nil {
		file = f.good.Revision
	}
	from, to := Version{file, digest(old)}, Version{file, digest(data)}
	f.expect(passage{from, to, ""})
	f.announce(from, to, "")
}
