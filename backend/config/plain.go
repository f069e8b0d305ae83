package config

import (
	"strings"
	"unicode"
)

// isPlainText tells what every YAML reader, old or new, takes for the same text
// without quotes, as a key and as a value, in brackets and outside.
func isPlainText(s string) bool {
	if isPlainWord(s) {
		return true
	}
	if !isPrintable(s) || !startsPlain(s) || isWordOfType(s) || looksLikeNumber(s) || len(s) > maxPlain {
		return false
	}
	if strings.ContainsAny(s, ",?[]{}\"'`") || strings.Contains(s, " #") || strings.Contains(s, ": ") {
		return false
	}
	last := s[len(s)-1]
	if last == ':' || last == ' ' || strings.Contains(s, "  ") {
		return false
	}
	for _, r := range s {
		if r != ' ' && unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// maxPlain bounds text without quotes: a key longer than 1,024 characters is
// none to a YAML reader.
const maxPlain = 500

func startsPlain(s string) bool {
	for i, r := range s {
		if i > 0 {
			break
		}
		if !unicode.IsLetter(r) && (r > unicode.MaxASCII || !strings.ContainsRune("0123456789_/.-+$(", r)) {
			return false
		}
	}
	return s != "" && !strings.HasPrefix(s, "- ") && !strings.HasPrefix(s, "---") && !strings.HasPrefix(s, "...")
}

// isWordOfType tells the words that YAML 1.1 or 1.2 takes for a truth value,
// nothing or a number.
func isWordOfType(s string) bool {
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", ".nan", ".inf", "+.inf", "-.inf":
		return true
	}
	return false
}

// looksLikeNumber errs on the side of yes: numbers in any base, with exponents,
// with colons, and dates.
func looksLikeNumber(s string) bool {
	return strings.ContainsRune("0123456789+-.", rune(s[0])) && strings.Trim(s, "0123456789+-._: abcdefxotzinABCDEFXOTZIN") == ""
}
