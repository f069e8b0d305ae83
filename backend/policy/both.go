package policy

// Both gives rules that allow exactly what both allow: those of now under
// everything that was forbidden before. Unlike Held it does not ask which key a
// person changed: a relaxation that waits is in force nowhere (FILTER section 6).
// server and since serve the words. Rules that cannot be read deny on either side;
// the zero was keeps everything off.
func Both(was, now Rules, server, since string) Rules {
	file := now.File()
	return held(file, lostBy([]Restriction{{State: StateOpen, Lost: append(now.Lost(), was.everything()...)}}, file), server, since)
}

// everything is all that the rules keep off, as restrictions.
func (r Rules) everything() []Restriction {
	t := r.File().Restriction()
	t.Lost = nil
	t.ResourcesOff, t.PromptsOff = !r.Resources(), !r.Prompts()
	t.SamplingOff, t.ElicitationOff = !r.SamplingWritten(), !r.Elicitation().Allowed
	t.Untrusted, t.Waits = r.Untrusted(), true
	return append(r.Lost(), t)
}

// Under returns the set with the rules of one server no wider than others are;
// a server that the set does not have changes nothing.
func (s Set) Under(name string, was Rules, since string) Set {
	sv := s.server(name)
	if sv == nil {
		return s
	}
	return s.holding(sv, Both(was, sv.rules, name, since).Lost(), since)
}

// Layered tells whether more than one list has to let a name through; what
// changes behind their patterns with wildcards Compare may not tell.
func (r Rules) Layered() bool { return r.d != nil && len(r.d.also) > 0 }
