package approval

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible writes what a reader would not see, or would see in another order than
// it stands, as an escape: controls, direction marks, zero-width and TAG
// characters, fillers. A question must not say one thing to a person and be
// another. Line ends stay where lines says so.
func visible(s string, lines bool) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.IndexFunc(s, func(r rune) bool { return hidden(r, lines) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r, lines) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune, lines bool) bool {
	switch {
	case r == '\n' || r == '\t':
		return !lines
	case unicode.Is(unicode.C, r): // controls, format characters (TAG, zero width, direction), private use
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0, r == 0x2028, r == 0x2029:
		return true // fillers and separators that show as nothing
	case r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0e, r >= 0xe0000 && r <= 0xe0fff:
		return true // variation selectors and TAG characters
	}
	return false
}

// label is a short text of one line, made visible and cut at limit characters.
func label(s string, limit int) string {
	s = visible(s, false)
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// Excerpt keeps both ends of a text that is longer than limit, in bytes, because
// what matters may stand at either, and says how many bytes lie between. No
// character is cut.
func Excerpt(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	first, last := limit/2, len(text)-limit/2
	for first > 0 && !utf8.RuneStart(text[first]) {
		first--
	}
	for last < len(text) && !utf8.RuneStart(text[last]) {
		last++
	}
	return text[:first] + " … " + strconv.Itoa(last-first) + " bytes are not shown … " + text[last:]
}
