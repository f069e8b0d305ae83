package guard

import (
	"cmp"
	"slices"
	"strings"
)

const redacted = "[redacted]"

// Redactor takes secrets out of text: the exact values it was given, also as
// other programs write them, and whatever has the shape of a token. It is
// immutable; a nil one keeps nothing back and is not to be used.
type Redactor struct {
	values values
	words  []string
	shapes *shapes
}

const (
	// minSecret is the shortest value that is taken out wherever it stands; a
	// shorter one would tear holes into ordinary words.
	minSecret = 8
	// minWord is the shortest one that is taken out where it is a word of its own.
	minWord = 4
)

// NewRedactor makes a redactor for the exact values of a home's secrets.
func NewRedactor(values []string) *Redactor {
	r := &Redactor{shapes: newShapes()}
	var secrets []string
	for _, value := range values {
		switch {
		case strings.Contains(redacted, value): // what is put in its place would hold it again
		case len(value) >= minSecret:
			secrets = append(secrets, written(value)...)
		case len(value) >= minWord && isUnusual(value):
			r.words = append(r.words, value)
		}
	}
	r.values = newValues(secrets)
	return r
}

// Exactly is the redactor without the shapes of tokens: it takes out only what
// is known to be secret.
func (r *Redactor) Exactly() *Redactor {
	return &Redactor{values: r.values, words: r.words}
}

// Redact returns text without secrets.
func (r *Redactor) Redact(text string) string {
	text = r.exactly(text)
	if r.shapes == nil {
		return text
	}
	return assignments(r.shapes.redact(text))
}

// exactly takes out the values it was given. What is taken out may make an escape
// of what stands beside it, so it looks again where it found something; values
// that look like what is put in their place must not keep it at that.
func (r *Redactor) exactly(text string) string {
	for range 8 {
		found := r.spans(text)
		if len(found) == 0 {
			return text
		}
		var out strings.Builder
		done := 0
		for _, s := range found {
			if s.to <= done {
				continue
			}
			if s.from >= done {
				out.WriteString(text[done:s.from])
				out.WriteString(redacted)
			}
			done = s.to
		}
		out.WriteString(text[done:])
		text = out.String()
	}
	return text
}

type extent struct{ from, to int }

// spans are the places of the values in a text, as it is and as it reads when its
// escapes are undone, in order.
func (r *Redactor) spans(text string) []extent {
	var found []extent
	outer := []string{text} // what the text of a level was made from
	for {
		var levels []decoded
		take := func(start, end int) {
			if levels == nil {
				for _, from := range outer[:len(outer)-1] {
					level, _ := decode(from, true)
					levels = append(levels, level)
				}
			}
			for _, level := range slices.Backward(levels) {
				start, end = level.origin(start, end)
			}
			found = append(found, extent{start, end})
		}
		now := outer[len(outer)-1]
		r.values.find(now, take)
		for _, word := range r.words {
			findWord(now, word, take)
		}
		if len(outer) > maxEscaped {
			break
		}
		level, any := decode(now, false)
		if !any {
			break
		}
		outer = append(outer, level.text)
	}
	slices.SortFunc(found, func(a, b extent) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	return found
}

// isUnusual tells a short secret from an ordinary word or a number: of an .env
// with PASSWORD=test every folder named test would vanish from what the model
// reads, and whoever knows that password knows no secret.
func isUnusual(value string) bool {
	letters, digits, upper, lower, other := 0, 0, 0, 0, 0
	for _, r := range value {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z':
			letters, lower = letters+1, lower+1
		case r >= 'A' && r <= 'Z':
			letters, upper = letters+1, upper+1
		default:
			other++
		}
	}
	title := upper == 1 && value[0] >= 'A' && value[0] <= 'Z'
	switch {
	case digits > 0 && letters == 0 && other == 0:
		return digits >= 6
	case digits > 0 || other > 0:
		return true
	}
	return upper > 0 && lower > 0 && !title
}

// findWord gives every place where a value is with no letter, digit or _ beside it.
func findWord(text, word string, found func(start, end int)) {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return
		}
		at += from
		end := at + len(word)
		from = at + 1
		if at > 0 && isWord(text[at-1]) || end < len(text) && isWord(text[end]) {
			continue
		}
		found(at, end)
		from = end
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
