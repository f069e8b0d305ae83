package policy

// What is held follows the server's name: since when, and the lost restrictions,
// each as its state, its patterns and a number for its switches.

const (
	holdResources = 1 << iota
	holdPrompts
	holdUntrusted
	holdSampling
	holdElicitation
	holdWaits
	holdAll = 1<<iota - 1
)

func appendHold(b []byte, rules Rules) []byte {
	b = appendString(b, rules.HeldSince())
	lost := rules.Lost()
	b = appendNumber(b, len(lost))
	for _, t := range lost {
		flags := 0
		for bit, on := range map[int]bool{holdResources: t.ResourcesOff, holdPrompts: t.PromptsOff, holdUntrusted: t.Untrusted, holdSampling: t.SamplingOff, holdElicitation: t.ElicitationOff, holdWaits: t.Waits} {
			if on {
				flags |= bit
			}
		}
		b = appendString(b, string(t.State))
		b = appendNumber(b, flags)
		b = appendNumber(b, len(t.Patterns))
		for _, p := range t.Patterns {
			b = appendString(b, p)
		}
	}
	return b
}

// restrictions reads what appendHold wrote after the day. What is no restriction
// makes the whole tree unreadable, which denies.
func (d *decoder) restrictions() []Restriction {
	count := d.count()
	if count > maxLost {
		d.bad = true
	}
	var out []Restriction
	for range count {
		if d.bad {
			return nil
		}
		t := Restriction{State: State(d.text())}
		flags := d.number(holdAll)
		t.ResourcesOff, t.PromptsOff, t.Untrusted = flags&holdResources != 0, flags&holdPrompts != 0, flags&holdUntrusted != 0
		t.SamplingOff, t.ElicitationOff = flags&holdSampling != 0, flags&holdElicitation != 0
		t.Waits = flags&holdWaits != 0
		for range d.count() {
			if d.bad {
				return nil
			}
			t.Patterns = append(t.Patterns, d.text())
		}
		if !t.Valid() || !t.Any() {
			d.bad = true
		}
		out = append(out, t)
	}
	return out
}
