package registry

import (
	"strings"
	"unicode"
)

// searchWords splits a text into the words that are indexed and looked for:
// letters and digits of every script, parts of camelCase names beside the whole
// word, and each character of scripts that write without spaces.
func searchWords(s string) []string {
	var out []string
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, camel(strings.ReplaceAll(s[start:end], "ß", "ss"))...)
			start = -1
		}
	}
	for i, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush(i)
			out = append(out, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && start >= 0:
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(s))
	return out
}

// camel adds the parts of a name like readFile or HTTPServer to the whole.
func camel(word string) []string {
	runes := []rune(word)
	var parts []string
	start := 0
	for i := 1; i < len(runes); i++ {
		lowerUpper := unicode.IsLower(runes[i-1]) && unicode.IsUpper(runes[i])
		acronymEnd := i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i+1])
		if lowerUpper || acronymEnd {
			parts = append(parts, string(runes[start:i]))
			start = i
		}
	}
	if start == 0 {
		return []string{word}
	}
	return append(append(parts, string(runes[start:])), word)
}

// contentWords leaves out the words that only hold a sentence together: a query
// of nothing else asks for nothing. Each word once, at most maxTerms.
func contentWords(query string) []string {
	var out []string
	seen := map[string]bool{}
	for _, word := range searchWords(query) {
		key := strings.ToLower(word)
		if !seen[key] && !isFiller(key) {
			out = append(out, word)
		}
		seen[key] = true
	}
	return out[:min(len(out), maxTerms)]
}

func isFiller(word string) bool {
	switch word {
	case "a", "an", "the", "of", "to", "for", "in", "on", "at", "by", "with", "from", "and", "or", "my", "me", "i", "is", "it", "all", "this", "that", "these", "using", "via",
		"der", "die", "das", "den", "dem", "ein", "eine", "einen", "und", "oder", "für", "mit", "von", "im", "zu", "auf", "aus",
		"el", "la", "los", "las", "un", "una", "de", "del", "y", "o", "en", "para", "con", "por":
		return true
	}
	return false
}
