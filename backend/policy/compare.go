package policy

// Delta is one thing that a change of rules opens or closes. Kind is "tool",
// "future", "pattern", "helper", "feature" or "trust"; Name is the tool, the
// pattern or the key, empty for "future". What says it in words; Before and
// After are the reasons of both sides, and Line and Column stand in the file
// after the change.
type Delta struct {
	Kind          string
	Name          string
	Opens         bool
	What          Words
	Before, After Words
	Line, Column  int
}

// Compare tells what a change from one set of rules to another opens and closes:
// for every name the rules or the caller mention, for tools to come, for what
// only a pattern can match, for helpers, the server's own questions and trust.
// The zero Rules stand for a server that is not there or may not run. Whatever
// opens for any name at all is told by at least one Delta that opens.
func Compare(was, now Rules, names []string) []Delta {
	var out []Delta
	add := func(kind, name string, what Words, before, after Verdict) {
		if before.Allowed != after.Allowed {
			out = append(out, Delta{Kind: kind, Name: name, Opens: after.Allowed, What: what,
				Before: before.Reason, After: after.Reason, Line: after.Line, Column: after.Column})
		}
	}
	for _, name := range mentioned(was, now, names) {
		add("tool", name, Words{Code: "delta.tool", Params: []string{show(name)}, Text: show(name)}, was.Tool(name), now.Tool(name))
	}
	add("future", "", agentWords("delta.future"), was.future(), now.future())
	for _, p := range newlyMatched(was, now) {
		add("pattern", p, agentWords("delta.pattern", show(p)), was.noun(p, false), now.noun(p, true))
	}
	for _, p := range newlyMatched(now, was) {
		add("pattern", p, agentWords("delta.pattern", show(p)), was.noun(p, true), now.noun(p, false))
	}
	for s := range switchCount {
		code := "delta.helper"
		if s > switchPrompts {
			code = "delta.feature"
		}
		add(code[len("delta."):], switchKey(s), agentWords(code, switchKey(s)), was.switchVerdict(s), now.switchVerdict(s))
	}
	// Trust weighs only where something can be called on both sides.
	if was.callable() && now.callable() && was.Untrusted() != now.Untrusted() {
		code := "delta.trust"
		if now.Untrusted() {
			code = "delta.untrust"
		}
		out = append(out, Delta{Kind: "trust", Name: keyTrust, Opens: !now.Untrusted(), What: agentWords(code), Line: now.Line(), Column: now.Column()})
	}
	return out
}

// mentioned are the given names and those of both rules, each once.
func mentioned(was, now Rules, names []string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, list := range [][]string{names, was.Names(), was.beside(), now.Names(), now.beside()} {
		for _, name := range list {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// beside are the plain names of the lists beside the deciding one.
func (r Rules) beside() []string {
	var out []string
	if r.d == nil {
		return nil
	}
	for _, part := range r.d.also {
		for i := range part.patterns {
			if part.patterns[i].glob == nil {
				out = append(out, part.patterns[i].text)
			}
		}
	}
	return out
}

// future is the verdict on a tool that nothing mentions.
func (r Rules) future() Verdict {
	switch r.State() {
	case StateOpen, StateExcept:
		return Verdict{Allowed: true, Reason: r.Row(), Line: r.Line(), Column: r.Column()}
	case StateOnly:
		return Verdict{Reason: r.Row(), Line: r.Line(), Column: r.Column()}
	}
	return r.Tool("?")
}

func (r Rules) noun(pattern string, allowed bool) Verdict {
	v := Verdict{Allowed: allowed, Reason: r.Row(), Line: r.Line(), Column: r.Column()}
	if r.d == nil {
		return v
	}
	if i := r.d.find(pattern); i >= 0 {
		v.Line, v.Column = r.d.patterns[i].at.line, r.d.patterns[i].at.column
	}
	return v
}

// newlyMatched gives the patterns with wildcards behind which a name may be on
// now that was off before, and that no plain name and no future tool tells. It
// errs on the side of naming one.
func newlyMatched(was, now Rules) []string {
	var out []string
	wasOpen, nowOpen := was.State() == StateOpen || was.State() == StateExcept, now.State() == StateOpen || now.State() == StateExcept
	if now.State() == StateOnly && !wasOpen {
		for _, i := range now.d.globs {
			if p := now.d.patterns[i].text; !was.holds(p) {
				out = append(out, p)
			}
		}
	}
	if was.State() == StateExcept && (nowOpen || now.State() == StateOnly && len(now.d.globs) > 0) {
		for _, i := range was.d.globs {
			if p := was.d.patterns[i].text; now.State() != StateExcept || !now.holds(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// holds tells whether the list has this pattern or the one that matches all.
func (r Rules) holds(pattern string) bool {
	return r.d != nil && (r.d.find(pattern) >= 0 || r.d.find("*") >= 0)
}

func (r Rules) callable() bool {
	return r.State() != StateInvalid && !r.Locked()
}
