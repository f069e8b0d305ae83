package terminal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Printable keeps a text from outside on its line: characters that move the
// cursor, hide text or begin a line of their own are written as escapes, so that
// no name can forge a row.
func Printable(s string) string { return escaped(s, false) }

// Passage is Printable for text of several lines, such as an answer.
func Passage(s string) string { return escaped(s, true) }

func escaped(s string, lines bool) string {
	bad := func(r rune) bool {
		if r == '\n' || r == '\t' {
			return !lines
		}
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
	}
	if strings.IndexFunc(s, bad) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if bad(r) && !joins(s, i, r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// joiner makes one picture of two (ZERO WIDTH JOINER, UTS #51).
const joiner = '\u200d'

// joins tells that r, at that place of s, is a joiner between two emoji. Anywhere
// else it hides something.
func joins(s string, at int, r rune) bool {
	if r != joiner {
		return false
	}
	before := strings.TrimSuffix(s[:at], "\ufe0f")
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(s[at+len(string(joiner)):])
	return emoji(last) && emoji(next)
}

// emoji tells whether r is in a block of pictures.
func emoji(r rune) bool {
	return r >= 0x2190 && r <= 0x21ff || r >= 0x2600 && r <= 0x27bf || r >= 0x2b00 && r <= 0x2bff || r >= 0x1f000 && r <= 0x1faff
}

// prose is Passage for a model's answer: what only joins or parts characters has
// no place on the screen and is left out, the rest is shown as an escape.
func prose(s string) string {
	if !strings.ContainsAny(s, "\u00ad\u200b\u200c\u200d\u2060\ufeff\r") {
		return Passage(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch r {
		case '\u00ad', '\u200b', '\u200c', joiner, '\u2060', '\ufeff', '\r':
			if !joins(s, i, r) {
				continue
			}
		}
		b.WriteRune(r)
	}
	return Passage(b.String())
}

// tame leaves of the control sequences in a text those that set colours and
// weight. Everything that is drawn goes through it last, so that a text that was
// forgotten to be made printable still moves no cursor.
func tame(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || r == unicode.ReplacementChar }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := colour(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\t':
			b.WriteString("    ")
		case r == '\n' || !unicode.IsControl(r):
			b.WriteRune(r)
		default:
			b.WriteString(Printable(string(r)))
		}
		i += size
	}
	return b.String()
}

// colour gives the length of the sequence for colours and weight (ECMA-48 SGR)
// with which s begins, 0 for none.
func colour(s string) int {
	rest, ok := strings.CutPrefix(s, "\x1b[")
	if !ok {
		return 0
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case c == 'm':
			return i + 3
		case c >= '0' && c <= '9', c == ';', c == ':':
		default:
			return 0
		}
	}
	return 0
}

// cells is the width of a text on the screen.
func cells(s string) int { return ansi.StringWidth(s) }

// cutTo shortens one line to a width.
func cutTo(s string, width int) string { return ansi.Truncate(s, max(width, 1), "…") }

// wrap breaks a text into lines of at most that width, at spaces where it can.
func wrap(s string, width int) []string {
	return strings.Split(ansi.Wrap(strings.ReplaceAll(s, "\t", "    "), max(width, 1), " "), "\n")
}

// hardWrap breaks one line wherever its width ends.
func hardWrap(s string, width int) []string {
	return strings.Split(ansi.Hardwrap(strings.ReplaceAll(s, "\t", "    "), max(width, 1), true), "\n")
}

// indented wraps a text and puts lead before its first line and the same width of
// spaces before the others.
func indented(lead, text string, width int) []string {
	lines := wrap(text, max(width-cells(lead), 8))
	for i := range lines {
		if i == 0 {
			lines[i] = lead + lines[i]
		} else {
			lines[i] = strings.Repeat(" ", cells(lead)) + lines[i]
		}
	}
	return lines
}

// shorten cuts a text to a number of characters.
func shorten(text string, limit int) string {
	n := 0
	for i := range text {
		if n == limit {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
