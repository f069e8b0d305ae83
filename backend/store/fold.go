package store

import "strings"

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
