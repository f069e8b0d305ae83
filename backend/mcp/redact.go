package mcp

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes/backend/config"
)

// redactor replaces the values a person keeps out of the file by stars, in
// everything we write about a server: its log, its state, its errors.
type redactor struct {
	replacer *strings.Replacer
	// short are secrets that are replaced only where they are words of their own.
	short []string
}

const (
	// longSecret is the length from which a secret is replaced wherever it
	// stands, also within a longer word.
	longSecret = 8
	// shortestSecret leaves out what would tear holes into every text.
	shortestSecret = 4
)

// suspicious gives the values whose names say that they are secret, as people
// also write into the file itself.
func suspicious(values map[string]string) []string {
	var secrets []string
	for name, value := range values {
		if !config.HidesValue(name, value) {
			continue
		}
		if _, bare, ok := strings.Cut(value, " "); ok && len(bare) >= longSecret {
			// "Bearer abc": the server may write the token alone.
			secrets = append(secrets, bare)
		}
		secrets = append(secrets, value)
	}
	return secrets
}

// newRedactor takes pairs of a template and what it was expanded to, and
// secrets as they are. Of a pair the secret is the part that came from
// variables; nothing says of a short one that it is more than a word such as
// true.
func newRedactor(expanded map[string]string, more []string) redactor {
	var secrets, short []string
	for _, secret := range more {
		switch {
		case len(secret) >= longSecret:
			secrets = append(secrets, secret)
		case len(secret) >= shortestSecret:
			short = append(short, secret)
		}
	}
	for template, value := range expanded {
		start, end := strings.Index(template, "${"), strings.LastIndex(template, "}")
		if template == value || start < 0 || end < start {
			continue
		}
		tail := template[end+1:]
		if len(value) < start+len(tail) {
			continue
		}
		if secret := value[start : len(value)-len(tail)]; len(secret) >= longSecret {
			secrets = append(secrets, secret)
		}
	}
	longestFirst := func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }
	// A longer secret first: one may hold another.
	slices.SortFunc(secrets, longestFirst)
	slices.SortFunc(short, longestFirst)
	r := redactor{short: slices.Compact(short)}
	if len(secrets) == 0 {
		return r
	}
	var list []string
	for _, secret := range slices.Compact(secrets) {
		list = append(list, secret, "***")
	}
	r.replacer = strings.NewReplacer(list...)
	return r
}

func (r redactor) clean(text string) string {
	if r.replacer != nil {
		text = r.replacer.Replace(text)
	}
	for _, secret := range r.short {
		text = withoutWord(text, secret)
	}
	return text
}

// withoutWord replaces a word where it does not stand within a longer one.
func withoutWord(text, word string) string {
	if !strings.Contains(text, word) {
		return text
	}
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	var out strings.Builder
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			out.WriteString(text[from:])
			return out.String()
		}
		begin, end := from+at, from+at+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if inWord(before) && inWord(first) || inWord(last) && inWord(after) {
			_, size := utf8.DecodeRuneInString(text[begin:])
			out.WriteString(text[from : begin+size])
			from = begin + size
			continue
		}
		out.WriteString(text[from:begin] + "***")
		from = end
	}
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
