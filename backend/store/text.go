package store

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"hermes/backend/message"
)

// How much of a row can be found, in characters. The length for results is the
// one Hermes Agent's users know; the others keep a pasted book from holding up
// the turn.
const (
	maxFoundResult = 8192
	maxFoundOther  = 65536
)

// joint stands between the characters of a script that is written without
// spaces, so that each is a word to the index and a piece of a sentence is found.
const joint = '\u200b'

// searchText is what can be found of a row: the text as people read it, and the
// tools and arguments of its calls. Rows that say only how the program ended are
// not worth finding, and neither is a summary: what it sums up is found.
func searchText(row Row) string { return indexed(plainText(row)) }

// indexed is a text as the index takes it.
func indexed(text string) string { return parted(folded(text)) }

func plainText(row Row) string {
	if row.Summary {
		return ""
	}
	if row.Role == message.RoleTool {
		if row.Status == message.StatusInterrupted || row.Status == message.StatusUnknown {
			return ""
		}
		return firstRunes(message.Unfence(row.Content), maxFoundResult)
	}
	var out strings.Builder
	out.WriteString(firstRunes(message.Unnoted(row.Content), maxFoundOther))
	for _, call := range row.ToolCalls {
		name, arguments := call.Peel()
		if call.Target.Name != "" {
			name = call.Target.Name
		}
		out.WriteString("\n" + name + "\n")
		out.WriteString(firstRunes(values(arguments), maxFoundResult))
	}
	return strings.TrimSpace(out.String())
}

// values lists the keys and values of a JSON text in order: an escaped line end
// must not become a letter of the next word. What is no JSON is taken as it is.
func values(arguments string) string {
	var out strings.Builder
	in := json.NewDecoder(strings.NewReader(arguments))
	in.UseNumber()
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			return arguments
		}
		switch token := token.(type) {
		case string:
			out.WriteString(token + " ")
		case json.Number:
			out.WriteString(token.String() + " ")
		}
	}
}

func firstRunes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for at := range text {
		if limit--; limit < 0 {
			return text[:at]
		}
	}
	return text
}

// parted puts a joint between neighbours of a script without spaces.
func parted(text string) string {
	if strings.IndexFunc(text, unspaced) < 0 {
		return text
	}
	var out strings.Builder
	before := false
	for _, r := range text {
		now := unspaced(r)
		if before || now {
			out.WriteRune(joint)
		}
		before = now
		out.WriteRune(r)
	}
	return out.String()
}

func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// matching is a person's words in the language of the index, "" where nothing
// can be looked for. All words have to be there, each as the beginning of one,
// a single letter as a word; what stands in quotes has to be there exactly, in
// that order. Everything else,
// also the operators of the index, is text.
func matching(query string) string {
	var out []string
	for i, piece := range strings.Split(firstRunes(query, maxQuery), `"`) {
		words, begins := strings.FieldsFunc(piece, func(r rune) bool { return unicode.IsSpace(r) || r == 0 }), true
		if i%2 == 1 {
			words, begins = []string{strings.Join(words, " ")}, false
		}
		for _, word := range words {
			switch first, last := strings.IndexFunc(word, wordRune), strings.LastIndexFunc(word, wordRune); {
			case first < 0:
			case first == last:
				out = append(out, `"`+indexed(word)+`"`)
			default:
				out = append(out, spelt(word, begins))
			}
		}
	}
	return strings.Join(out, " AND ")
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}
