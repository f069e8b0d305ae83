package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a server writes about itself is read by the model and by people, so it
// must not carry text that only one of them sees: Unicode TAG characters,
// direction marks, zero-width characters and fillers are taken out.

const (
	maxDescription = 2000 // runes of a tool's description
	maxTitle       = 100
	zwnj, zwj      = '\u200c', '\u200d'
)

// clean takes invisible characters and tags of ours out of a text. The joiners of Persian,
// Indic scripts and emoji stay where they stand alone between visible
// characters; a run of them is a hidden message.
func clean(s string) string { return withoutTags(visible(s)) }

// withoutTags breaks up the tags that the program itself writes around results and
// notes: what a server says of its tools must not look like its word.
func withoutTags(s string) string {
	if !strings.ContainsAny(s, "<＜﹤‹〈⟨〈") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if strings.ContainsRune("<＜﹤‹〈⟨〈", r) && beginsTag(s[i+utf8.RuneLen(r):]) {
			r = '['
		}
		b.WriteRune(r)
	}
	return b.String()
}

// beginsTag tells whether a text goes on with the name of such a tag, whatever
// signs and spaces stand in it.
func beginsTag(s string) bool {
	letters := make([]rune, 0, 32)
	for i, r := range s {
		if r == '>' || i > 300 || len(letters) == cap(letters) {
			break
		}
		if r = unicode.ToLower(r); r >= 'ａ' && r <= 'ｚ' {
			r += 'a' - 'ａ'
		}
		if unicode.IsLetter(r) {
			letters = append(letters, r)
		}
	}
	for _, name := range []string{"untrustedtoolresult", "hermesnote", "persistedoutput"} {
		if strings.HasPrefix(string(letters), name) {
			return true
		}
	}
	return false
}

func visible(s string) string {
	if isPlain(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	var b strings.Builder
	b.Grow(len(s))
	previous := ' '
	for i, r := range s {
		if r == zwj || r == zwnj {
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if isInvisible(previous) || isInvisible(next) || unicode.IsSpace(previous) || unicode.IsSpace(next) || next == utf8.RuneError {
				previous = r
				continue
			}
		} else if isInvisible(r) {
			previous = r
			continue
		}
		previous = r
		b.WriteRune(r)
	}
	return b.String()
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func isInvisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.Is(unicode.C, r): // controls, format characters (TAG, zero width, direction), private use
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0, r == 0x2028, r == 0x2029:
		return true // fillers and separators that show as nothing
	case r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0e, r >= 0xe0000 && r <= 0xe0fff:
		return true // variation selectors and TAG characters; U+FE0F makes an emoji and stays
	}
	return false
}

// cut shortens a text to at most max runes, the mark of the cut included.
func cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	runes := []rune(s)
	return strings.TrimRightFunc(string(runes[:limit-1]), unicode.IsSpace) + "…"
}

// sentence is the first sentence of a description, at most max runes, cut at a
// word. The dots of e.g., i.e. and etc. do not end a sentence.
func sentence(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	for i := 0; i < len(s); i++ {
		if s[i] != '.' && s[i] != '!' && s[i] != '?' || i+1 < len(s) && s[i+1] != ' ' {
			continue
		}
		if word := lastWord(s[:i+1]); !isAbbreviation(word) {
			s = s[:i+1]
			break
		}
	}
	if utf8.RuneCountInString(s) <= limit {
		return strings.TrimSuffix(s, ".")
	}
	short := string([]rune(s)[:limit-1])
	if at := strings.LastIndexByte(short, ' '); at > 0 {
		short = short[:at]
	}
	return strings.TrimRight(short, " ,;:") + "…"
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

func isAbbreviation(word string) bool {
	switch strings.ToLower(strings.TrimLeft(word, "(")) {
	case "e.g.", "i.e.", "etc.", "vs.", "z.b.", "p.ej.":
		return true
	}
	return false
}
