package policy

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Words is a piece of text for people together with the code and parameters it
// was made from, so that the page can say it in another language (FILTER
// section 1). Text is the English sentence.
type Words struct {
	Code   string
	Params []string
	Text   string
}

func newWords(code string, params ...string) Words {
	return Words{Code: code, Params: params, Text: render(code, params)}
}

// Template is one entry of the catalogue of all texts. In Text, {n} stands for
// parameter n, {n:one|many} for one of two forms by whether parameter n is "1",
// and {kn} for the entry "kind." + parameter n.
type Template struct {
	Code string
	Text string
}

const (
	hintSuffix = ".hint"
	kindPrefix = "kind."
)

// Codes lists every text this package can produce, in a stable order. The
// page's translations are checked against it.
func Codes() []Template {
	var out []Template
	for rest := catalogue; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if code, text, ok := strings.Cut(line, "\t"); ok {
			out = append(out, Template{Code: code, Text: text})
		}
	}
	return out
}

// template finds the text of a code. The catalogue is a constant that starts
// with a line break, so every entry stands between line breaks.
func template(code string) string {
	start := strings.Index(catalogue, "\n"+code+"\t")
	if start < 0 {
		return ""
	}
	text := catalogue[start+len(code)+2:]
	text, _, _ = strings.Cut(text, "\n")
	return text
}

func render(code string, params []string) string {
	return fill(template(code), params)
}

func fill(text string, params []string) string {
	var b strings.Builder
	for {
		before, rest, opened := strings.Cut(text, "{")
		b.WriteString(before)
		if !opened {
			return b.String()
		}
		inside, after, closed := strings.Cut(rest, "}")
		if !closed || !isPlace(inside) {
			b.WriteByte('{')
			text = rest
			continue
		}
		b.WriteString(place(inside, params))
		text = after
	}
}

// isPlace tells a place for a parameter from a brace that is part of the text,
// such as the {} of a YAML example.
func isPlace(s string) bool {
	s = strings.TrimPrefix(s, "k")
	return len(s) > 0 && s[0] >= '0' && s[0] <= '9' && (len(s) == 1 || s[1] == ':')
}

func place(s string, params []string) string {
	s, kind := strings.CutPrefix(s, "k")
	digit, forms, two := strings.Cut(s, ":")
	n := int(digit[0] - '0')
	if n >= len(params) {
		return ""
	}
	value := params[n]
	switch {
	case kind:
		return template(kindPrefix + value)
	case !two:
		return value
	}
	one, many, _ := strings.Cut(forms, "|")
	if value == "1" {
		return one
	}
	return many
}

// shownLength bounds what a hostile tool name can do to a listing.
const shownLength = 200

// show makes a name or pattern safe and unmistakable in a line of text: empty
// names, edges of white space, commas, quotes and everything that does not
// print (control characters, direction marks) are shown in quotes and escaped.
func show(s string) string {
	if len(s) == 0 {
		return `""`
	}
	if len(s) <= shownLength && isPlainText(s) {
		return s
	}
	if len(s) > shownLength {
		cut := shownLength
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
		if isPlainText(s) {
			return s
		}
	}
	return strconv.Quote(s)
}

func isPlainText(s string) bool {
	if s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return isPrintable(s[i:])
		}
		if c < ' ' || c == 0x7f || c == ',' || c == '"' {
			return false
		}
	}
	return true
}

func isPrintable(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, w := utf8.DecodeRuneInString(s[i:]); w == 1 {
				return false
			}
		}
		if r == ',' || r == '"' || !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}

func showAll(list []string) string {
	shown := make([]string, len(list))
	for i, s := range list {
		shown[i] = show(s)
	}
	return strings.Join(shown, ", ")
}
