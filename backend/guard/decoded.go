package guard

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoded is a text as it reads once its escapes are undone: those of JSON and of
// programming languages (\/ \u002f \x2f \057), of addresses (%2f) and of HTML
// (&#47; &#x2f; &sol;), mixed as they come. pieces say where each came from, so
// that what is found here can be masked there.
type decoded struct {
	text   string
	pieces []piece
}

// piece is an escape: size bytes at at stand for length bytes from from on.
type piece struct{ at, size, from, length int }

// maxEscaped is how often a text may be escaped: JSON within JSON within an
// address.
const maxEscaped = 3

// decode undoes every escape of a text once, and says whether there was any. The
// pieces take more room than the text and are wanted only where something was
// found.
func decode(text string, pieces bool) (d decoded, any bool) {
	var out strings.Builder
	done := 0
	for i := nextEscape(text, 0); i < len(text); i = nextEscape(text, i) {
		var room [utf8.UTFMax]byte
		plain, length := unescape(text[i:], room[:0])
		if length == 0 {
			i++
			continue
		}
		if !any {
			any = true
			out.Grow(len(text))
		}
		out.WriteString(text[done:i])
		if pieces {
			d.pieces = append(d.pieces, piece{at: out.Len(), size: len(plain), from: i, length: length})
		}
		out.Write(plain)
		i += length
		done = i
	}
	if any {
		out.WriteString(text[done:])
		d.text = out.String()
	}
	return d, any
}

// nextEscape is where something that may be an escape begins, from a place on.
func nextEscape(text string, from int) int {
	for i := from; i < len(text); i++ {
		if c := text[i]; c == '\\' || c == '%' || c == '&' {
			return i
		}
	}
	return len(text)
}

// origin gives the span of the text that a span of the decoded one came from.
func (d decoded) origin(start, end int) (from, to int) {
	before := func(at int) (piece, bool) {
		n, _ := slices.BinarySearchFunc(d.pieces, at+1, func(p piece, at int) int { return p.at - at })
		if n == 0 {
			return piece{}, false
		}
		return d.pieces[n-1], at < d.pieces[n-1].at+d.pieces[n-1].size
	}
	from = start
	if p, within := before(start); within {
		from = p.from
	} else {
		from = p.from + p.length + start - p.at - p.size
	}
	last := end - 1
	if p, within := before(last); within {
		to = p.from + p.length
	} else {
		to = p.from + p.length + last - p.at - p.size + 1
	}
	return from, to
}

// unescape appends what the escape at the beginning of a text stands for; length
// is how long it is, 0 for no escape.
func unescape(text string, out []byte) (plain []byte, length int) {
	switch text[0] {
	case '%':
		return bytesOf(text, "%", out)
	case '&':
		return entity(text, out)
	}
	if len(text) < 2 {
		return nil, 0
	}
	switch c := text[1]; c {
	case '/', '"', '\\', '\'':
		return append(out, c), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'x':
		return bytesOf(text, `\x`, out)
	case 'U':
		r, ok := digits(text, 2, 8, 16)
		return utf8.AppendRune(out, r), 10 * toInt(ok)
	case 'u':
		return unicodeOf(text, out)
	case '0', '1', '2', '3':
		r, ok := digits(text, 1, 3, 8)
		return utf8.AppendRune(out, r), 4 * toInt(ok)
	}
	return nil, 0
}

// unicodeOf reads \u002f, a pair of them, and \u{2f}.
func unicodeOf(text string, out []byte) (plain []byte, length int) {
	if strings.HasPrefix(text, `\u{`) {
		end := strings.IndexByte(text[:min(len(text), 12)], '}')
		if end < 0 {
			return nil, 0
		}
		r, ok := digits(text, 3, end-3, 16)
		return utf8.AppendRune(out, r), (end + 1) * toInt(ok)
	}
	r, ok := digits(text, 2, 4, 16)
	if !ok {
		return nil, 0
	}
	if utf16.IsSurrogate(r) && strings.HasPrefix(text[6:], `\u`) {
		if low, ok := digits(text, 8, 4, 16); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			return utf8.AppendRune(out, utf16.DecodeRune(r, low)), 12
		}
	}
	return utf8.AppendRune(out, r), 6
}

// bytesOf reads the escapes of bytes that make one character: of UTF-8, or, where
// they are none, of Latin-1.
func bytesOf(text, sign string, out []byte) (plain []byte, length int) {
	size := len(sign) + 2
	var raw [utf8.UTFMax]byte
	n := 0
	for ; n < len(raw) && strings.HasPrefix(text[min(len(text), n*size):], sign); n++ {
		value, ok := digits(text, n*size+len(sign), 2, 16)
		if !ok {
			break
		}
		raw[n] = byte(value)
		if raw[0] < utf8.RuneSelf {
			return append(out, raw[0]), size
		}
	}
	if n == 0 {
		return nil, 0
	}
	if r, bytes := utf8.DecodeRune(raw[:n]); r != utf8.RuneError {
		return append(out, raw[:bytes]...), bytes * size
	}
	return utf8.AppendRune(out, rune(raw[0])), size
}

// entity reads &#47; &#x2f; with or without the last sign, and names of HTML.
func entity(text string, out []byte) (plain []byte, length int) {
	if len(text) > 2 && text[1] == '#' {
		begin, base, most := 2, 10, 8
		if text[2] == 'x' || text[2] == 'X' {
			begin, base, most = 3, 16, 8
		}
		n := 0
		for n < most && begin+n < len(text) && isDigit(text[begin+n], base) {
			n++
		}
		r, ok := digits(text, begin, n, base)
		if !ok {
			return nil, 0
		}
		length = begin + n
		if length < len(text) && text[length] == ';' {
			length++
		}
		return utf8.AppendRune(out, r), length
	}
	n := 1
	for n < len(text) && n < 12 && isWord(text[n]) {
		n++
	}
	if n == 1 || n == len(text) || text[n] != ';' {
		return nil, 0
	}
	name := text[:n+1]
	if plain := html.UnescapeString(name); len(plain) < len(name) && plain[0] != '&' || name == "&amp;" {
		return append(out, plain...), len(name)
	}
	return nil, 0
}

func isDigit(c byte, base int) bool {
	return c >= '0' && c <= '9' || base == 16 && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
}

// digits reads n digits from a place on.
func digits(text string, from, n, base int) (rune, bool) {
	if n <= 0 || from+n > len(text) {
		return 0, false
	}
	value, err := strconv.ParseUint(text[from:from+n], base, 32)
	if err != nil || value > utf8.MaxRune {
		return 0, false
	}
	return rune(value), true
}

func toInt(ok bool) int {
	if ok {
		return 1
	}
	return 0
}
