package pin

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Seen is what a sight means: the offered tools with their states, and the names
// that got one with this sight. Replaced tells that the server's name belonged to
// another program or address until now, so that all of its tools are met anew;
// Differ are those that the other one described otherwise. Beyond counts the tools
// that are set aside since this sight, as more than are remembered.
type Seen struct {
	Tools       []Brief
	New, Change []string
	Replaced    bool
	Differ      []string
	Beyond      int
}

// See takes in what a server offers now. The answer is in force also where the
// error says that it could not be written.
func (s *Store) See(key Key, sight Sight) (Seen, error) {
	var out Seen
	err := s.change(func(in state) (bool, error) {
		// It is asked again about what another process wrote meanwhile; what was
		// news to us stays news.
		earlier := out
		out = Seen{Replaced: earlier.Replaced, Differ: earlier.Differ, Beyond: earlier.Beyond}
		e, moved := s.take(in, key)
		if !e.head.Listed {
			if before := predecessor(in, key); before != nil {
				out.Replaced, out.Differ = true, before.differ(sight)
			}
		}
		before := map[string]Brief{}
		for _, b := range e.head.Tools {
			before[b.Name] = b
		}
		moved = e.see(sight, s.now(), out.Replaced) || moved
		out.Tools = e.head.Tools
		aside := 0
		for _, b := range out.Tools {
			if b.Beyond && !before[b.Name].Beyond {
				aside++
			}
			if b.Changed && (!before[b.Name].Changed || slices.Contains(earlier.Change, b.Name)) {
				out.Change = append(out.Change, b.Name)
			}
			if b.New && (!before[b.Name].New || slices.Contains(earlier.New, b.Name)) {
				out.New = append(out.New, b.Name)
			}
		}
		out.Beyond = max(out.Beyond, aside)
		return moved, nil
	})
	return out, err
}

// predecessor is the latest other program that was seen under a server's name, nil
// for none.
func predecessor(in state, key Key) *entry {
	var latest *entry
	for other, e := range in {
		if other.Server != key.Server || other.Identity == key.Identity || !e.head.Listed {
			continue
		}
		if latest == nil || e.head.When.After(latest.head.When) ||
			e.head.When.Equal(latest.head.When) && e.head.Identity < latest.head.Identity {
			latest = e
		}
	}
	return latest
}

// take gives the entry of a server to be changed, made where there is none. An
// entry of the same program under a name that is gone is taken over.
func (s *Store) take(in state, key Key) (e *entry, moved bool) {
	if e = in[key]; e == nil {
		e = &entry{head: head{Server: key.Server, Identity: key.Identity, When: s.now()}}
		if old := s.former(in, key); old != nil {
			delete(in, Key{old.head.Server, old.head.Identity})
			e = old.clone()
			e.head.Server, moved = key.Server, true
		}
		in[key] = e
	}
	if err := e.open(); err != nil {
		// The sums agree, so somebody made this line. Nothing of the file can be
		// relied on then.
		s.fault = damaged(err.Error())
		clear(in)
		e = &entry{head: head{Server: key.Server, Identity: key.Identity, When: s.now()}, records: map[string]record{}}
		in[key], moved = e, true
	}
	return e, moved
}

// look opens the entry of a server for reading.
func (s *Store) look(key Key, use func(*entry)) {
	s.refresh()
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.find(s.state, key)
	if e == nil {
		return
	}
	if err := e.open(); err != nil {
		s.fault = damaged(err.Error())
		s.state = state{}
		s.turn++
		return
	}
	use(e)
}

// Verdict says how a definition compares with the pinned one. Its zero value is
// for a tool that was never seen, which nobody may call.
type Verdict uint8

// The values of a Verdict.
const (
	Unknown Verdict = iota
	Changed
	Same
)

// Judge compares a definition with the pinned one.
func (s *Store) Judge(key Key, d Definition) Verdict {
	verdict := Unknown
	s.look(key, func(e *entry) {
		r, known := e.records[d.Name]
		switch {
		case !known:
		case r.Hash == r.hashBeside(d):
			verdict = Same
		default:
			verdict = Changed
		}
	})
	return verdict
}

// Glance is the last list of a server without its texts, and when it was seen.
type Glance struct {
	When               time.Time
	Version, Protocol  string
	Resources, Prompts bool
	Tools              []Brief
}

// Glance gives the last list of a server; ok is false where none came from this
// connection.
func (s *Store) Glance(key Key, target string) (glance Glance, ok bool) {
	in := s.listing()
	defer s.mu.Unlock()
	e := s.find(in, key)
	if e == nil || !e.head.Listed || e.head.Target != target {
		return Glance{}, false
	}
	h := e.head
	return Glance{When: h.When, Version: h.Version, Protocol: h.Protocol, Resources: h.Resources, Prompts: h.Prompts, Tools: h.Tools}, true
}

// List gives the last list of a server with all definitions; ok is false where
// none came from this connection, or one was too long to keep.
func (s *Store) List(key Key, target string) (sight Sight, ok bool) {
	s.look(key, func(e *entry) {
		if !e.head.Listed || e.head.Target != target {
			return
		}
		h := e.head
		sight = Sight{Target: h.Target, Version: h.Version, Protocol: h.Protocol, Resources: h.Resources, Prompts: h.Prompts}
		for _, b := range h.Tools {
			r, known := e.records[b.Name]
			definition, short := r.Pin, r.Short
			if r.Now != nil {
				definition, short = *r.Now, r.NowShort
			}
			if !known || short {
				return
			}
			sight.Tools = append(sight.Tools, Offer{Definition: definition, ReadOnly: b.ReadOnly, Destructive: b.Destructive, Refused: b.Refused})
		}
		ok = true
	})
	if !ok {
		return Sight{}, false
	}
	return sight, true
}

// Change is a tool whose definition is not the pinned one. Short tells that one
// of the two was too long to keep, so that only the hashes tell them apart.
type Change struct {
	Tool          string
	Pin, Now      Definition
	Hash, NowHash string
	Since         time.Time
	Short         bool
}

// Changes gives the changed tools of a server, and the names of those that were
// added since a person last looked, in the server's order.
func (s *Store) Changes(key Key) (changes []Change, added []string) {
	s.look(key, func(e *entry) {
		for _, b := range e.head.Tools {
			r := e.records[b.Name]
			if r.Now != nil {
				changes = append(changes, Change{Tool: b.Name, Pin: r.Pin, Now: *r.Now, Hash: r.Hash, NowHash: r.NowHash,
					Since: r.Since, Short: r.Short || r.NowShort})
			}
			if r.New {
				added = append(added, b.Name)
			}
		}
	})
	return changes, added
}

// ErrMoved is the error of an acceptance of something that is not there any
// more: nothing was accepted.
var ErrMoved = errors.New("the definition is not the one that was shown")

// Accept pins what a server says now of the named tools; each name stands with
// the beginning of the hash that was shown for it. added are new tools that a
// person has looked at. All are accepted or none.
func (s *Store) Accept(key Key, shown map[string]string, added []string) error {
	accepted := map[string]string{}
	return s.change(func(in state) (bool, error) {
		e, moved := s.take(in, key)
		for name, hash := range shown {
			r, known := e.records[name]
			if known && r.Now == nil && r.Hash == accepted[name] {
				continue // another process wrote it meanwhile, or the first pass did
			}
			if !known || r.Now == nil || len(hash) < 12 || !strings.HasPrefix(r.NowHash, hash) {
				return false, fmt.Errorf("%s/%s: %w", key.Server, name, ErrMoved)
			}
			accepted[name] = r.NowHash
			e.records[name], moved = r.accepted(), true
		}
		for _, name := range added {
			if r, known := e.records[name]; known && r.New {
				r.New = false
				e.records[name], moved = r, true
			}
		}
		e.mark()
		return moved, nil
	})
}

// Looked remembers that a person has looked at the tools of a server: none of
// them is new any more. What changed stays changed.
func (s *Store) Looked(key Key) error {
	return s.change(func(in state) (bool, error) {
		if in[key] == nil && s.former(in, key) == nil {
			return false, nil
		}
		e, moved := s.take(in, key)
		for name, r := range e.records {
			if r.New {
				r.New = false
				e.records[name], moved = r, true
			}
		}
		e.mark()
		return moved, nil
	})
}

// Modern tells what is remembered of a server's protocol; known is false for one
// that was never met.
func (s *Store) Modern(key Key) (modern, known bool) {
	in := s.listing()
	defer s.mu.Unlock()
	e := s.find(in, key)
	if e == nil || e.head.Era == "" {
		return false, false
	}
	return e.head.Era == eraModern, true
}

// SetModern remembers what a session found.
func (s *Store) SetModern(key Key, modern bool) error {
	era := eraLegacy
	if modern {
		era = eraModern
	}
	return s.change(func(in state) (bool, error) {
		e, moved := s.take(in, key)
		if e.head.Era != era {
			e.head.Era, moved = era, true
		}
		return moved, nil
	})
}

// Save writes what only this process remembers, once our folder exists.
func (s *Store) Save() error {
	return s.change(func(state) (bool, error) { return false, nil })
}

// Problem is what a person should know of the file. Kind is damaged, unreadable,
// unwritten or former (it was damaged once), Fault the system's own words. Lost
// tells that the pins of an earlier file are not in force.
type Problem struct {
	File, Message, Hint string
	Kind, Fault         string
	Lost                bool
}

// Problem says what is wrong with the file, nil for nothing. whole looks at all
// of it; a listing looks at the part it reads.
func (s *Store) Problem(whole bool) *Problem {
	if whole {
		s.refresh()
	}
	s.listing()
	fault, failed := s.fault, s.failed
	s.mu.Unlock()
	path := s.path()
	switch {
	case errors.Is(fault, errDamaged):
		return &Problem{File: path, Kind: "damaged", Fault: fault.Error(), Lost: true, Message: "the pinned tool definitions cannot be read: " + fault.Error() + "; the next server that connects begins anew, trusted as it is met then",
			Hint: "look at the tools of your servers; the damaged file is kept as pins.json.damaged"}
	case fault != nil:
		return &Problem{File: path, Kind: "unreadable", Fault: fault.Error(), Lost: true, Message: "the pinned tool definitions cannot be read: " + fault.Error() + "; changes of tools are noticed only while this program runs",
			Hint: "make the file readable, or use the program that wrote it"}
	case failed != nil:
		return &Problem{File: path, Kind: "unwritten", Fault: failed.Error(), Message: "the pinned tool definitions cannot be written: " + failed.Error(),
			Hint: "changes of tools are noticed only while this program runs"}
	}
	if _, err := os.Lstat(path + ".damaged"); err == nil {
		return &Problem{File: path + ".damaged", Kind: "former", Lost: true, Message: "the pinned tool definitions were damaged once, so all servers were met anew since",
			Hint: "look at their tools, then delete this file"}
	}
	return nil
}
