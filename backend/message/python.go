package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// ErrNotJSON is the fault of AppendPython when the text is not one JSON value.
var ErrNotJSON = errors.New("not a JSON value")

// AppendPython appends the JSON value raw to dst as Python's
// json.dumps(json.loads(raw), ensure_ascii=False) writes it: ", " and ": "
// between the parts, keys in the order of their first appearance and a repeated
// key with its last value, strings with Python's short escapes and everything
// beyond ASCII as it is. The ids of split calls are hashes over this text, so
// it has to be exact (DESIGN section 5).
//
// It differs from Python in three places, on purpose: numbers keep the spelling
// they came with (1.10 stays 1.10), half a surrogate pair stays an escape
// (Python cannot encode it at all), and NaN or Infinity are not JSON.
func AppendPython(dst, raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return dst, ErrNotJSON
	}
	out, rest := appendValue(dst, skipSpace(raw), 0)
	if rest == nil {
		return dst, fmt.Errorf("%w: nested deeper than %d levels", ErrNotJSON, maxDepth)
	}
	return out, nil
}

// maxDepth bounds nesting. Python gives up near a thousand levels; what is
// deeper than this is not a call anybody meant.
const maxDepth = 500

// appendValue writes the value at the start of raw and returns what follows it.
// raw was checked by json.Valid as a whole, so no form of damage is met here;
// nil as the rest means that it nests too deep.
func appendValue(dst, raw []byte, depth int) (out, rest []byte) {
	if depth > maxDepth {
		return dst, nil
	}
	switch raw[0] {
	case '{':
		return appendObject(dst, raw, depth)
	case '[':
		return appendArray(dst, raw, depth)
	}
	n := valueLen(raw)
	if raw[0] == '"' {
		return appendPythonString(dst, raw[:n]), raw[n:]
	}
	return append(dst, raw[:n]...), raw[n:]
}

func appendArray(dst, raw []byte, depth int) (out, rest []byte) {
	dst = append(dst, '[')
	raw = skipSpace(raw[1:])
	for first := true; raw[0] != ']'; first = false {
		if !first {
			dst = append(dst, ", "...)
			raw = skipSpace(raw[1:]) // the comma
		}
		if dst, raw = appendValue(dst, raw, depth+1); raw == nil {
			return dst, nil
		}
		raw = skipSpace(raw)
	}
	return append(dst, ']'), raw[1:]
}

// span is where the value of a key stands in the output.
type span struct{ start, end int }

func appendObject(dst, raw []byte, depth int) (out, rest []byte) {
	dst = append(dst, '{')
	raw = skipSpace(raw[1:])
	written := map[string]span{}
	for raw[0] != '}' {
		if raw[0] == ',' {
			raw = skipSpace(raw[1:])
		}
		n := stringLen(raw)
		key := string(appendPythonString(nil, raw[:n]))
		raw = skipSpace(skipSpace(raw[n:])[1:]) // the colon
		if old, again := written[key]; again {
			var value []byte
			if value, raw = appendValue(nil, raw, depth+1); raw == nil {
				return dst, nil
			}
			dst = replaceValue(dst, written, old, value)
			raw = skipSpace(raw)
			continue
		}
		if len(written) > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(dst, key...), ": "...)
		start := len(dst)
		if dst, raw = appendValue(dst, raw, depth+1); raw == nil {
			return dst, nil
		}
		written[key] = span{start, len(dst)}
		raw = skipSpace(raw)
	}
	return append(dst, '}'), raw[1:]
}

// replaceValue gives a repeated key its last value at its first place, as in a
// Python dict, and moves the spans behind it.
func replaceValue(dst []byte, written map[string]span, old span, value []byte) []byte {
	moved := len(value) - (old.end - old.start)
	for key, s := range written {
		switch {
		case s == old:
			written[key] = span{old.start, old.end + moved}
		case s.start > old.start:
			written[key] = span{s.start + moved, s.end + moved}
		}
	}
	return slices.Replace(dst, old.start, old.end, value...)
}

// valueLen is the length of the JSON value at the start of raw.
func valueLen(raw []byte) int {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i += stringLen(raw[i:]) - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(raw)
}

// stringLen is the length of the JSON string at the start of raw, with its
// quotes.
func stringLen(raw []byte) int {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

func skipSpace(raw []byte) []byte {
	for len(raw) > 0 && (raw[0] == ' ' || raw[0] == '\t' || raw[0] == '\n' || raw[0] == '\r') {
		raw = raw[1:]
	}
	return raw
}

// appendPythonString rewrites a JSON string with the escapes Python chooses.
func appendPythonString(dst, quoted []byte) []byte {
	in := quoted[1 : len(quoted)-1]
	dst = append(dst, '"')
	for len(in) > 0 {
		c := in[0]
		if c != '\\' {
			dst = append(dst, c)
			in = in[1:]
			continue
		}
		switch in[1] {
		case 'u':
			var size int
			dst, size = appendEscapedRune(dst, in)
			in = in[size:]
			continue
		case '/':
			dst = append(dst, '/')
		default: // " \ b f n r t are Python's own short forms
			dst = append(dst, '\\', in[1])
		}
		in = in[2:]
	}
	return append(dst, '"')
}

// appendEscapedRune writes the character of the \uXXXX at the start of in, or
// of a surrogate pair, and returns how many bytes it read.
func appendEscapedRune(dst, in []byte) ([]byte, int) {
	unit := hex4(in[2:6])
	if unit >= 0xd800 && unit < 0xdc00 && len(in) >= 12 && in[6] == '\\' && in[7] == 'u' {
		if low := hex4(in[8:12]); low >= 0xdc00 && low < 0xe000 {
			return utf8.AppendRune(dst, (unit-0xd800)<<10|(low-0xdc00)+0x10000), 12
		}
	}
	if unit >= 0xd800 && unit < 0xe000 {
		return appendUnit(dst, unit), 6
	}
	switch unit {
	case '"', '\\':
		return append(dst, '\\', byte(unit)), 6
	case '\b':
		return append(dst, `\b`...), 6
	case '\f':
		return append(dst, `\f`...), 6
	case '\n':
		return append(dst, `\n`...), 6
	case '\r':
		return append(dst, `\r`...), 6
	case '\t':
		return append(dst, `\t`...), 6
	}
	if unit < 0x20 {
		return appendUnit(dst, unit), 6
	}
	return utf8.AppendRune(dst, unit), 6
}

func appendUnit(dst []byte, unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[unit>>12&15], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
}

func hex4(in []byte) rune {
	var r rune
	for _, c := range in {
		r <<= 4
		switch {
		case c <= '9':
			r |= rune(c - '0')
		case c <= 'F':
			r |= rune(c-'A') + 10
		default:
			r |= rune(c-'a') + 10
		}
	}
	return r
}
