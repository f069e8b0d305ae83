package guard

import (
	"strings"
	"unicode"
)

// maxRun is how far back the word is looked at in which text ends, in bytes.
const maxRun = 4 << 10

// Begun says where in a text a secret may have begun of which only the text that
// follows tells, such as at the end of a piece of a stream; the length of the text
// is nowhere. What stands before it can be redacted by itself.
func (r *Redactor) Begun(text string) int {
	at := len(text)
	for i := max(0, len(text)-r.longest()); i < len(text); i++ {
		if r.begins(text[i:]) {
			at = i
			break
		}
	}
	// What is written with escapes is told only once the word is there.
	run := strings.LastIndexFunc(text, unicode.IsSpace) + 1
	if run = max(run, len(text)-maxRun); strings.ContainsAny(text[run:], `\%&`) {
		at = min(at, run)
	}
	for moved := true; moved; {
		moved = false
		for _, s := range r.spans(text) {
			if s.from < at && at < s.to {
				at, moved = s.from, true
			}
		}
	}
	return at
}

// begins tells whether a text is the beginning of a value and not the whole; of a
// short one also the whole, because what follows tells whether it is a word.
func (r *Redactor) begins(text string) bool {
	for _, word := range r.words {
		if strings.HasPrefix(word, text) {
			return true
		}
	}
	return r.values.begins(text)
}

func (r *Redactor) longest() int {
	n := r.values.longest
	for _, word := range r.words {
		n = max(n, len(word))
	}
	return n
}

func (v values) begins(text string) bool {
	if len(text) < minSecret {
		return v.starts[text]
	}
	for _, value := range v.texts[headOf(text)] {
		if len(value) > len(text) && strings.HasPrefix(value, text) {
			return true
		}
	}
	return false
}
