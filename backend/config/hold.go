package config

import (
	"maps"
	"slices"
	"time"

	"hermes/backend/policy"
)

// Hold tells that a restriction whose key is gone from the file is in force all
// the same (FILTER section 6). Was is the restriction, Since when it was first
// seen, Revision the file it was seen in. Twin names the locked or held server
// that starts the same program, where the restriction is that server's; empty
// where it is the server's own.
type Hold struct {
	Since    time.Time
	Was      policy.Restriction
	Revision string
	Twin     string

	twinIs string
}

// Day is since when, as people read it.
func (h *Hold) Day() string { return day(h.Since) }

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// held gives the state in force: the file's under what the ledger remembers.
func (s *Snapshot) held(l Ledger, mark string, trouble *Problem) *Snapshot {
	out := *s
	out.bare, out.ledger = s, mark
	out.Servers = slices.Clone(s.Servers)
	out.Problems = slices.Clip(slices.Clone(s.Problems))
	if trouble != nil {
		out.Problems = append(out.Problems, *trouble)
	}
	if !s.Settings.HoldFilters && !l.HoldingOff {
		out.Problems = append(out.Problems, Problem{
			Severity: policy.SeverityWarning, Code: CodeHoldOff,
			Message: "`mcp.hold_lost_filters: false` is not confirmed, so lost filters are still held",
			Hint:    "type `hermes config set mcp.hold_lost_filters false` to confirm it, or remove the key",
			File:    s.Path, Line: s.Settings.holdLine,
		})
	}
	h := holder{snap: &out, ledger: l, off: !s.Settings.HoldFilters && l.HoldingOff}
	for i := range out.Servers {
		h.own(&out.Servers[i])
	}
	h.twins()
	for i := range out.Servers {
		h.finish(&out.Servers[i])
	}
	return &out
}

// holder puts what a ledger remembers in force.
type holder struct {
	snap   *Snapshot
	ledger Ledger
	off    bool
}

// isNew tells a server that the ledger has not seen with what it starts now.
func (h *holder) isNew(sv *Server) bool {
	target := sv.identity
	return h.ledger.Known != nil && sv.Conn.Transport != "" && h.ledger.Known[sv.Name] != target
}

// own finds what is remembered of a server: by its name, or, where it is new, by
// what it starts under a name that vanished.
func (h *holder) own(sv *Server) {
	sv.previous = LedgerEntry{Restriction: policy.Restriction{State: policy.StateOpen}}
	entry, ok := h.ledger.Servers[sv.Name]
	if !ok && h.isNew(sv) {
		entry, sv.adopted = h.vanished(sv.identity)
		ok = sv.adopted != ""
	}
	if !ok {
		return
	}
	if entry.Grant.covers(sv.Rules) {
		granted := policy.Restriction{State: policy.StateOpen}
		if !entry.Grant.Ends {
			granted.Lost = entry.Lost
		}
		entry.Restriction = granted
	}
	sv.previous = entry
	h.hold(sv, entry.Restriction)
}

// vanished finds the entry of a server that is not in the file any more and
// started the same.
func (h *holder) vanished(target string) (LedgerEntry, string) {
	for _, name := range slices.Sorted(maps.Keys(h.ledger.Servers)) {
		if _, there := h.snap.Server(name); !there && h.ledger.Servers[name].Target == target {
			return h.ledger.Servers[name], name
		}
	}
	return LedgerEntry{}, ""
}

func (h *holder) hold(sv *Server, previous ...policy.Restriction) {
	if h.off {
		// What is held already stays.
		for i, t := range previous {
			previous[i] = policy.Restriction{State: policy.StateOpen, Lost: t.Lost}
		}
	}
	h.snap.Policy = h.snap.Policy.Hold(sv.Name, day(sv.previous.Since), false, previous...)
}

// finish gives the server the rules in force and says what is held.
func (h *holder) finish(sv *Server) {
	sv.Rules, _ = h.snap.Policy.Rules(sv.Name)
	sv.Untrusted = sv.Rules.Untrusted()
	sv.Opened = h.ledger.Opened[sv.Name]
	lost := sv.Rules.Lost()
	if len(lost) == 0 {
		return
	}
	was := lost[0]
	was.Lost = lost[1:]
	sv.Hold = &Hold{Since: sv.previous.Since, Revision: sv.previous.Revision, Was: was}
	sv.Hold.Twin, sv.Hold.twinIs = h.twinHold(sv)
	sv.Problems = append(slices.Clip(sv.Problems), sv.heldProblem(h.snap.Path, policy.SeverityWarning))
}

// NewHolds tells whether something is held that the ledger does not say yet:
// whoever sees it first records it, so that no later change of the file passes
// for one of a key that was there all the time.
func (s *Snapshot) NewHolds() bool {
	for i := range s.Servers {
		sv := &s.Servers[i]
		if sv.Hold != nil && !(policy.Restriction{Lost: sv.Rules.Lost()}).Equal(policy.Restriction{Lost: sv.previous.Lost}) {
			return true
		}
	}
	return false
}

// HeldProblem says that the server is held and what to do, for a notice that
// stands apart from the server; the zero Problem when it is not.
func (sv *Server) HeldProblem(file string) Problem {
	if sv.Hold == nil {
		return Problem{}
	}
	p := sv.heldProblem(file, policy.SeverityWarning)
	p.Message = sv.Name + ": " + p.Message
	return p
}

// sameHolds tells whether two states of the same file differ in nothing that the
// ledger decides.
func sameHolds(a, b *Snapshot) bool {
	if len(a.Servers) != len(b.Servers) || len(a.Problems) != len(b.Problems) {
		return false
	}
	for i := range a.Problems {
		if !a.Problems[i].equal(b.Problems[i]) {
			return false
		}
	}
	for i := range a.Servers {
		x, y := &a.Servers[i], &b.Servers[i]
		if !x.Rules.Equal(y.Rules) || (x.Hold == nil) != (y.Hold == nil) || x.Hold != nil && (x.Hold.Day() != y.Hold.Day() || x.Hold.Twin != y.Hold.Twin) {
			return false
		}
	}
	return true
}
