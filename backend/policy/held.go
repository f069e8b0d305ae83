package policy

import "slices"

// hold is what makes rules held: the rules of the file, and the restrictions
// whose keys are gone from it and that stay in force all the same. server and
// since only serve the words, and so do firm, the rules under what is held
// without what waits, and other: a key of what is held stands in the file and
// says something else.
type hold struct {
	file          Rules
	lost          []Restriction
	server, since string
	firm          Rules
	other         bool
}

// Held gives the rules in force of a server whose restrictions so far are
// remembered (FILTER section 6, the lock ledger). It is pure: no clock, no file.
//
// What is lost. A restriction is lost when its key is gone and nothing else in
// the file keeps out what it kept out: `include` or `exclude` gone, `resources:
// false` or `prompts: false` gone (a key without a value counts as gone, because
// it is read as not written), `trust: untrusted` gone. What a key says that is
// still there is somebody's decision and is never held: `include: []` to
// `include: ["*"]`, `exclude: []`, `resources: true` and `trust: full` act at
// once. A remembered value that could not be read is lost when neither include
// nor exclude stands there now; it is held as what it was, denying everything.
//
// An exclude that is gone where an include was written instead is lost as well,
// unless the whitelist cannot let through what the exclude kept out: the person
// who wrote a whitelist did not say that what was forbidden is allowed now. Who
// means that leaves the exclude key there, where include makes it count for
// nothing, or empties it.
//
// What is in force. The file and every lost restriction have to allow a call. So
// the result never allows more than the file, and never more than the file with
// the lost keys written back; what the file forbids newly counts as well.
//
// How a hold ends. Previous.Lost are holds that began earlier: no key in the file
// ends them, also not a present one, unless the file by itself keeps out all that
// they keep out, as it does when the key is written back by hand. Otherwise it
// takes granted: a person accepted what the file says.
//
// Rules that cannot be read deny everything and are not held; Remember keeps what
// was remembered until they can be read.
func Held(previous Restriction, now Rules, granted bool) Rules {
	if granted {
		return now.File()
	}
	return held(now.File(), lostBy([]Restriction{previous}, now.File()), "", "")
}

// held puts lost restrictions in force over the rules of the file.
func held(file Rules, lost []Restriction, server, since string) Rules {
	if len(lost) == 0 || file.State() == StateInvalid {
		return file
	}
	h := &hold{file: file, lost: lost, server: server, since: since, firm: file}
	if firm := firmly(lost); len(firm) > 0 {
		h.firm = Rules{file.d.under(&hold{file: file, lost: firm})}
		h.other = len(file.Standing(Restriction{State: StateOpen, Lost: firm})) > 0
	}
	return Rules{file.d.under(h)}
}

// firmly leaves out what is kept off only because a change waits.
func firmly(lost []Restriction) []Restriction {
	return slices.DeleteFunc(slices.Clone(lost), func(t Restriction) bool { return t.Waits })
}

// lostBy are the restrictions that have to be held over the rules of the file,
// each once: the ones held already that the file does not make up for, and the
// ones whose keys are gone now.
func lostBy(previous []Restriction, file Rules) []Restriction {
	if file.State() == StateInvalid {
		return nil
	}
	var out []Restriction
	add := func(t Restriction) {
		t = t.uncovered(file)
		if t.Any() && !slices.ContainsFunc(out, t.Equal) {
			out = append(out, t)
		}
	}
	for _, p := range previous {
		for _, l := range p.Lost {
			add(l)
		}
		add(p.gone(file.d))
	}
	if len(out) > maxLost {
		// More than anybody can tell apart: deny rather than forget one.
		return append([]Restriction{{State: StateInvalid}}, out[:maxLost-1]...)
	}
	return out
}

// gone is the part of a restriction whose keys are not there any more.
func (t Restriction) gone(d *decided) Restriction {
	out := Restriction{State: StateOpen}
	switch t.State {
	case StateOpen:
	case StateOnly:
		if !d.wrote.include {
			out.State, out.Patterns = StateOnly, t.Patterns
		}
	case StateExcept:
		if !d.wrote.exclude {
			out.State, out.Patterns = StateExcept, t.Patterns
		}
	default:
		if !d.wrote.include && !d.wrote.exclude {
			out.State = StateInvalid
		}
	}
	out.ResourcesOff = t.ResourcesOff && d.switches[switchResources].value == toggleUnset
	out.PromptsOff = t.PromptsOff && d.switches[switchPrompts].value == toggleUnset
	out.Untrusted = t.Untrusted && !d.wrote.trust
	return out
}

// uncovered is the part of a restriction that the rules do not keep out by
// themselves. It errs on the side of holding: what two patterns with wildcards
// have in common is not worked out.
func (t Restriction) uncovered(now Rules) Restriction {
	out := Restriction{State: t.State, Patterns: cloneStrings(t.Patterns), Waits: t.Waits}
	if t.coveredBy(now) {
		out.State, out.Patterns = StateOpen, nil
	}
	out.ResourcesOff = t.ResourcesOff && now.Resources()
	out.PromptsOff = t.PromptsOff && now.Prompts()
	out.Untrusted = t.Untrusted && !now.Untrusted()
	out.SamplingOff = t.SamplingOff && now.SamplingWritten()
	out.ElicitationOff = t.ElicitationOff && now.Elicitation().Allowed
	return out
}

// coveredBy tells whether the lists of the rules keep out all that the
// restriction's list keeps out, now and for tools to come. For a
// restriction without a list the answer makes no difference.
func (t Restriction) coveredBy(now Rules) bool {
	was := t.decided()
	switch was.state {
	case StateOnly:
		return now.State() == StateOnly && every(now.d, func(p *pattern) bool {
			return p.text == "" || was.find(p.text) >= 0 || p.glob == nil && was.match(p.text) >= 0
		})
	case StateExcept:
		switch now.State() {
		case StateExcept:
			return every(was, func(p *pattern) bool {
				return p.text == "" || now.d.find(p.text) >= 0 || p.glob == nil && now.d.match(p.text) >= 0
			})
		case StateOnly:
			return every(now.d, func(p *pattern) bool { return p.apart(was) })
		}
		return false
	}
	return now.Locked()
}

// apart tells for certain that no name matches both the pattern and the list.
func (p *pattern) apart(list *decided) bool {
	if p.glob == nil {
		return list.match(p.text) < 0
	}
	return every(list, func(q *pattern) bool { return q.glob == nil && !p.matches(q.text) })
}

func every(d *decided, holds func(*pattern) bool) bool {
	for i := range d.patterns {
		if !holds(&d.patterns[i]) {
			return false
		}
	}
	return true
}

// under decides about the rules of a file under lost restrictions: the lists
// become one where they can, and what is left over is asked beside it.
func (d *decided) under(h *hold) *decided {
	out := *d
	out.hold, out.patterns, out.byText, out.globs, out.also = h, nil, nil, nil, nil
	var only, except []*decided
	for _, t := range append(cloneRestrictions(h.lost), Restriction{State: d.state, Patterns: h.file.Patterns()}) {
		switch part := t.decided(); part.state {
		case StateInvalid:
			out.state = StateInvalid
		case StateOnly:
			only = append(only, part)
		case StateExcept:
			except = append(except, part)
		}
	}
	switch {
	case out.state == StateInvalid:
	case len(only) > 0:
		out.state = StateOnly
		out.also = append(slices.Clone(only[1:]), except...)
		out.setPatterns(slices.DeleteFunc(only[0].patterns, func(p pattern) bool {
			return p.glob == nil && !out.passes(p.text)
		}))
	case len(except) > 0:
		out.state = StateExcept
		var list []pattern
		for _, part := range except {
			for _, p := range part.patterns {
				if !slices.ContainsFunc(list, func(q pattern) bool { return q.text == p.text }) {
					list = append(list, p)
				}
			}
		}
		out.setPatterns(list)
	}
	out.switchesUnder(h)
	return &out
}

// switchesUnder writes out what is on: under a held whitelist only what the file
// writes on, under a value that cannot be read nothing.
func (d *decided) switchesUnder(h *hold) {
	for s := range d.switches {
		w := &d.switches[s]
		on := h.file.on(s) && d.state != StateInvalid
		for _, t := range h.lost {
			on = on && (t.State == StateExcept || t.State == StateOpen || w.value == toggleOn)
			on = on && !(s == switchResources && t.ResourcesOff) && !(s == switchPrompts && t.PromptsOff)
			on = on && !(s == switchSampling && t.SamplingOff) && !(s == switchElicitation && t.ElicitationOff)
		}
		w.value = toggleOff
		if on {
			w.value = toggleOn
		}
	}
	for _, t := range h.lost {
		d.untrust = d.untrust || t.Untrusted
	}
}

// passes tells whether the lists beside the deciding one let a name through.
func (d *decided) passes(name string) bool {
	for _, part := range d.also {
		if (part.state == StateOnly) != (part.match(name) >= 0) {
			return false
		}
	}
	return true
}

// IsHeld tells whether a lost restriction is in force against what the file
// says.
func (r Rules) IsHeld() bool { return r.d != nil && r.d.hold != nil }

// File returns the rules as the file says them, without what is held; the rules
// themselves when nothing is.
func (r Rules) File() Rules {
	if r.IsHeld() {
		return r.d.hold.file
	}
	return r
}

// Lost returns the restrictions that are held, nil for none.
func (r Rules) Lost() []Restriction {
	if !r.IsHeld() {
		return nil
	}
	return cloneRestrictions(r.d.hold.lost)
}

// Over returns what is in force over a file once it says something else and
// nobody ended the hold: what these rules hold stays held.
func (r Rules) Over(file Rules) Rules {
	if !r.IsHeld() {
		return file.File()
	}
	h := r.d.hold
	return held(file.File(), lostBy([]Restriction{{State: StateOpen, Lost: h.lost}}, file.File()), h.server, h.since)
}

// HeldSince returns since when, as it was handed to Set.Hold; empty for rules
// that are not held.
func (r Rules) HeldSince() string {
	if !r.IsHeld() {
		return ""
	}
	return r.d.hold.since
}

// Remember gives what has to be remembered of a server once rules are in force.
// While the rules cannot be read nothing is forgotten, because nobody has decided
// anything; a filter that cannot be read is itself remembered only where there
// was none to keep.
func Remember(previous Restriction, now Rules) Restriction {
	if now.d == nil {
		return previous
	}
	if now.State() != StateInvalid || now.IsHeld() {
		return now.Restriction()
	}
	out := previous
	if out.State == StateOpen && now.d.wrote.filter {
		out.State, out.Patterns = StateInvalid, nil
	}
	out.Untrusted = out.Untrusted || now.d.untrust
	return out
}

// Hold returns the set with one server's rules held under what is remembered of
// it. since is the day for the words; granted, and a server that the set does not
// have, change nothing.
func (s Set) Hold(name, since string, granted bool, previous ...Restriction) Set {
	sv := s.server(name)
	if sv == nil || granted {
		return s
	}
	return s.holding(sv, lostBy(previous, sv.rules.File()), since)
}

// holding is the set with lost restrictions in force over one server.
func (s Set) holding(sv *server, lost []Restriction, since string) Set {
	rules := held(sv.rules.File(), lost, sv.name, since)
	if !rules.IsHeld() && !sv.rules.IsHeld() {
		return s
	}
	f := *s.f
	f.servers = make(map[string]*server, len(s.f.servers))
	for n, one := range s.f.servers {
		f.servers[n] = one
	}
	now := *sv
	now.rules = rules
	f.servers[sv.name] = &now
	return Set{&f}
}
