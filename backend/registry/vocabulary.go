package registry

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	minPart     = 5 // runes of a part of a compound
	minRest     = 3 // runes of what it is put together with
	maxCompound = 8 // words of the catalogue that one word of a query stands for
)

// vocabulary are the longer words of a catalogue without accents. German writes in
// one word what others write in two, so a word of a query may be a part of one of
// these, or the other way round.
type vocabulary map[string]bool

func (v vocabulary) add(e *Entry) {
	for _, text := range []string{e.Tool, e.Title, e.Description} {
		for _, word := range searchWords(text) {
			if word = unaccented(word); utf8.RuneCountInString(word) >= minPart {
				v[word] = true
			}
		}
	}
}

// compounds are the words of the catalogue that end in a word or are its beginning
// or its end, in a fixed order.
func (v vocabulary) compounds(word string) []string {
	word = unaccented(word)
	long := utf8.RuneCountInString(word)
	if long < minPart {
		return nil
	}
	var out []string
	for known := range v {
		rest := utf8.RuneCountInString(known) - long
		switch {
		case rest >= minRest && strings.HasSuffix(known, word):
		case -rest >= minRest && (strings.HasPrefix(word, known) || strings.HasSuffix(word, known)):
		default:
			continue
		}
		out = append(out, known)
	}
	slices.Sort(out)
	return out[:min(len(out), maxCompound)]
}

// otherSpellings are a word as others write it: ae for ä, and without the endings of
// German and Spanish plurals, which the English stemmer leaves.
func otherSpellings(word string) []string {
	word = strings.ToLower(word)
	written := strings.NewReplacer("ae", "a", "oe", "o", "ue", "u").Replace(word)
	typed := strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue").Replace(word)
	out := []string{written, typed}
	for _, ending := range []string{"innen", "en", "er", "es", "e", "n", "s"} {
		for _, spelling := range []string{word, written, typed} {
			if short, ok := strings.CutSuffix(spelling, ending); ok && utf8.RuneCountInString(short) >= 4 {
				out = append(out, short)
			}
		}
	}
	seen := map[string]bool{word: true}
	return slices.DeleteFunc(out, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}

// unaccented is a word in lower case without the accents of German and Spanish, as
// the index has it.
func unaccented(word string) string {
	return strings.Map(func(r rune) rune {
		switch r = unicode.ToLower(r); r {
		case 'ä', 'á', 'à', 'â':
			return 'a'
		case 'é', 'è', 'ê':
			return 'e'
		case 'í', 'ï':
			return 'i'
		case 'ö', 'ó', 'ô':
			return 'o'
		case 'ü', 'ú', 'û':
			return 'u'
		case 'ñ':
			return 'n'
		case 'ç':
			return 'c'
		}
		return r
	}, strings.ReplaceAll(word, "ß", "ss"))
}
