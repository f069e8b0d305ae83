package policy

import "strings"

// Standing is a key of a held restriction that stands in the file and says
// something else than what is held: what somebody wrote since. Text is how the
// file says it, such as `include: [echo]`. Line and Column are 0 for `trust`.
type Standing struct {
	Key, Text    string
	Line, Column int
}

// Stands tells whether this is what stands in the place of a key of a restriction;
// what could not be read was the whole block.
func (s Standing) Stands(key string) bool {
	return s.Key == key || key == keyTools && (s.Key == keyInclude || s.Key == keyExclude)
}

// Standing gives the keys of a restriction that stand in the file. It is asked
// about one that is held: what stands there is then not what it says.
func (r Rules) Standing(t Restriction) []Standing {
	file := r.File()
	if file.d == nil {
		return nil
	}
	var out []Standing
	for _, key := range t.Keys() {
		switch key {
		case keyTools:
			out = append(append(out, file.standing(keyInclude)...), file.standing(keyExclude)...)
		default:
			out = append(out, file.standing(key)...)
		}
	}
	return out
}

// standing tells of one key, nothing where it is gone.
func (r Rules) standing(key string) []Standing {
	d := r.d
	one := Standing{Key: key, Line: d.at.line, Column: d.at.column}
	switch key {
	case keyInclude:
		if !d.wrote.include {
			return nil
		}
		one.Text = listText(key, r.Patterns())
	case keyExclude:
		if !d.wrote.exclude {
			return nil
		}
		one.Text = key
		if !d.wrote.include {
			one.Text = listText(key, r.Patterns())
		}
	case keyTrust:
		if !d.wrote.trust {
			return nil
		}
		one.Text, one.Line, one.Column = trustText(d.untrust), 0, 0
	default:
		for s, w := range d.switches {
			if switchKey(s) == key && w.value != toggleUnset {
				one.Text, one.Line, one.Column = switchText(s, w.value == toggleOn), w.at.line, w.at.column
				return []Standing{one}
			}
		}
		return nil
	}
	return []Standing{one}
}

// standingText joins what the file says as one reads it there.
func standingText(list []Standing) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = one.Text
	}
	return strings.Join(texts, ", ")
}

// OnlyWaits tells that the rules are held only because a change waits: no key of
// the file is gone.
func (r Rules) OnlyWaits() bool { return r.IsHeld() && !r.d.hold.firm.IsHeld() }

// Texts says a restriction as a file would, such as `include: [read_file]` and
// `resources: false`, with what it holds besides; a value that could not be read
// is the key alone.
func (t Restriction) Texts() []string {
	var out []string
	add := func(there bool, text string) {
		if !there {
			return
		}
		for _, before := range out {
			if before == text {
				return
			}
		}
		out = append(out, text)
	}
	for _, part := range append([]Restriction{t}, t.Lost...) {
		add(part.denies(), keyTools)
		add(part.State == StateOnly, listText(keyInclude, part.Patterns))
		add(part.State == StateExcept, listText(keyExclude, part.Patterns))
		add(part.ResourcesOff, switchText(switchResources, false))
		add(part.PromptsOff, switchText(switchPrompts, false))
		add(part.Untrusted, trustText(true))
		add(part.SamplingOff, switchText(switchSampling, false))
		add(part.ElicitationOff, switchText(switchElicitation, false))
	}
	return out
}

// maxListed bounds how many names a sentence lists.
const maxListed = 12

func listText(key string, names []string) string {
	text := showAll(names[:min(len(names), maxListed)])
	if len(names) > maxListed {
		text += ", …"
	}
	return key + ": [" + text + "]"
}

func switchText(s int, on bool) string {
	if on {
		return switchKey(s) + ": true"
	}
	return switchKey(s) + ": false"
}

func trustText(untrusted bool) string {
	if untrusted {
		return keyTrust + ": untrusted"
	}
	return keyTrust + ": full"
}
