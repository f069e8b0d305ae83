package policy

import (
	"errors"
	"strconv"
	"strings"
)

// ErrText is returned for text that MarshalText did not write.
var ErrText = errors.New("policy: the text does not describe tool rules")

// MarshalText writes the decisions as text, the state as a word: for example
// `only "read_file" "list_*" resources=on untrusted`. It serves JSON and YAML;
// positions and problems are left behind, and so is whether something is held:
// lists that have to agree follow after "and-only" and "and-except". The zero
// value is "invalid".
func (r Rules) MarshalText() ([]byte, error) {
	b := []byte(r.State())
	if r.d == nil {
		return b, nil
	}
	b = appendPatterns(b, r.d)
	for s, w := range r.d.switches {
		switch w.value {
		case toggleOn:
			b = append(b, " "+switchKey(s)+"=on"...)
		case toggleOff:
			b = append(b, " "+switchKey(s)+"=off"...)
		}
	}
	if r.d.untrust {
		b = append(b, " untrusted"...)
	}
	for _, part := range r.d.also {
		b = append(b, " and-"+string(part.state)...)
		b = appendPatterns(b, part)
	}
	return b, nil
}

func appendPatterns(b []byte, d *decided) []byte {
	for i := range d.patterns {
		b = append(b, ' ')
		b = strconv.AppendQuote(b, d.patterns[i].text)
	}
	return b
}

// UnmarshalText reads what MarshalText wrote. With an error, and for the word
// "invalid", the rules are the zero value, which denies.
func (r *Rules) UnmarshalText(text []byte) error {
	*r = Rules{}
	word, rest, _ := strings.Cut(string(text), " ")
	d := &decided{state: State(word), failed: -1}
	switch d.state {
	case StateInvalid:
		return nil
	case StateOpen, StateOnly, StateExcept:
	default:
		return ErrText
	}
	d.wrote.include, d.wrote.exclude = d.state == StateOnly, d.state == StateExcept
	var list []pattern
	last := d
	for rest != "" {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			name, _ := strconv.Unquote(quoted) // QuotedPrefix took it for whole
			list = append(list, newPattern(&Node{Value: name}))
			rest = strings.TrimPrefix(rest[len(quoted):], " ")
			continue
		}
		word, rest, _ = strings.Cut(rest, " ")
		if part, ok := strings.CutPrefix(word, "and-"); ok && d.state != StateOpen {
			last.setPatterns(list)
			list, last = nil, &decided{state: State(part), failed: -1}
			d.also = append(d.also, last)
			if last.state != StateOnly && last.state != StateExcept {
				return ErrText
			}
			continue
		}
		if !d.flag(word) {
			return ErrText
		}
	}
	last.setPatterns(list)
	if d.state == StateOpen && len(d.patterns) > 0 || d.state == StateExcept && len(d.patterns) == 0 {
		return ErrText
	}
	d.prepareHits()
	d.miss = d.missReason()
	r.d = d
	return nil
}

func (d *decided) flag(word string) bool {
	if word == "untrusted" {
		d.untrust = true
		return true
	}
	key, value, _ := strings.Cut(word, "=")
	for s := range d.switches {
		if switchKey(s) != key {
			continue
		}
		switch value {
		case "on":
			d.switches[s].value = toggleOn
		case "off":
			d.switches[s].value = toggleOff
		default:
			return false
		}
		return true
	}
	return false
}
