package store

import (
	"slices"
	"strings"
)

// spelt is a word in the language of the index, also as it is written where there are
// no umlauts, and with them where it is typed without. begins takes it as the beginning
// of a word.
func spelt(word string, begins bool) string {
	var out []string
	for i, way := range []string{word, withoutUmlauts(word), withUmlauts(word)} {
		term := `"` + indexed(way) + `"`
		// The short ones are words of other languages as well: "does" is not "dos…".
		if begins && (i == 0 || len(way) > 3) {
			term += "*"
		}
		if i == 0 || way != word {
			out = append(out, term)
		}
	}
	out = slices.Compact(out)
	if len(out) == 1 {
		return out[0]
	}
	return "(" + strings.Join(out, " OR ") + ")"
}

func withoutUmlauts(word string) string {
	return strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue",
		"a\u0308", "ae", "o\u0308", "oe", "u\u0308", "ue", "A\u0308", "Ae", "O\u0308", "Oe", "U\u0308", "Ue").Replace(word)
}

// withUmlauts takes ae, oe and ue for umlauts, which the index has without their dots.
// At the end of a word, and for a u behind a, e or q, they are none.
func withUmlauts(word string) string {
	letters := []rune(word)
	var out strings.Builder
	for i, r := range letters {
		before := i > 0 && strings.ContainsRune("aoAO", letters[i-1]) ||
			i > 0 && strings.ContainsRune("uU", letters[i-1]) && (i < 2 || !strings.ContainsRune("aeqAEQ", letters[i-2]))
		if (r == 'e' || r == 'E') && before && i < len(letters)-1 {
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// folded writes the letters out that stand for several and that the index does
// not know as such: a sharp s, as it is typed in capitals, and ligatures.
func folded(text string) string {
	return strings.NewReplacer("ß", "ss", "ẞ", "SS",
		"ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st").Replace(text)
}

// unfolded gives a piece of a folded text as it stands in the text itself. Cut is
// what stands for what was left out before and behind the piece.
func unfolded(piece, text string) string {
	const cut = "…"
	core, before := strings.CutPrefix(piece, cut)
	core, behind := strings.CutSuffix(core, cut)
	at := strings.Index(folded(text), core)
	if at < 0 || folded(text) == text {
		return piece
	}
	var out strings.Builder
	length := 0
	for _, r := range text {
		if length >= at+len(core) {
			break
		}
		letter := string(r)
		if length >= at {
			out.WriteString(letter)
		}
		length += len(folded(letter))
	}
	found := out.String()
	if before {
		found = cut + found
	}
	if behind {
		found += cut
	}
	return found
}
