package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// member is one key of a JSON object with the bytes of its value.
type member struct {
	key   string
	value json.RawMessage
}

var (
	errNotObject = errors.New("not a JSON object")
	errNotArray  = errors.New("not a JSON array")
)

// members lists the keys of a JSON object in the order they are written. The
// values are slices of raw and keep their bytes: encoding/json's maps would
// lose the order and its encoder the spelling of numbers and escapes, which
// vendors compare. raw must be valid JSON, as everything the decoder hands out
// is; the walk then needs to look at quotes and brackets only.
func members(raw []byte) ([]member, error) {
	at := skipSpace(raw, 0)
	if at == len(raw) || raw[at] != '{' {
		return nil, errNotObject
	}
	var out []member
	for at = skipSpace(raw, at+1); at < len(raw) && raw[at] == '"'; {
		end := skipValue(raw, at)
		if end-at < 2 {
			return nil, errNotObject
		}
		key := unescape(inner(raw[at:end]))
		colon := skipSpace(raw, end)
		if at = skipSpace(raw, colon+1); at >= len(raw) {
			return nil, errNotObject
		}
		end = skipValue(raw, at)
		out = append(out, member{key, raw[at:end:end]})
		if at = skipSpace(raw, end); at < len(raw) && raw[at] == ',' {
			at = skipSpace(raw, at+1)
		}
	}
	return out, nil
}

// elements lists the items of a JSON array with their bytes; raw must be valid
// JSON.
func elements(raw []byte) ([]json.RawMessage, error) {
	at := skipSpace(raw, 0)
	if at == len(raw) || raw[at] != '[' {
		return nil, errNotArray
	}
	var out []json.RawMessage
	for at = skipSpace(raw, at+1); at < len(raw) && raw[at] != ']'; {
		end := skipValue(raw, at)
		out = append(out, raw[at:end:end])
		if at = skipSpace(raw, end); at < len(raw) && raw[at] == ',' {
			at = skipSpace(raw, at+1)
		}
	}
	return out, nil
}

func skipSpace(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\t' || raw[at] == '\r') {
		at++
	}
	return at
}

// skipValue returns the end of the value that begins at at.
func skipValue(raw []byte, at int) int {
	depth := 0
	for ; at < len(raw); at++ {
		switch raw[at] {
		case '"':
			at = skipString(raw, at) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			at = skipScalar(raw, at) - 1
		}
		if depth <= 0 {
			return at + 1
		}
	}
	return len(raw)
}

func skipString(raw []byte, at int) int {
	for at++; at < len(raw); {
		end := bytes.IndexByte(raw[at:], '"')
		if end < 0 {
			return len(raw)
		}
		at += end + 1
		slashes := 0
		for i := at - 2; raw[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
	return len(raw)
}

// skipScalar passes a number, true, false, null, or one separator.
func skipScalar(raw []byte, at int) int {
	for start := at; at < len(raw); at++ {
		switch raw[at] {
		case ' ', '\n', '\t', '\r', ',', ':', ']', '}':
			if at == start {
				return at + 1
			}
			return at
		}
	}
	return at
}

func find(ms []member, key string) json.RawMessage {
	// The last one wins, as in every JSON reader the vendors use.
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].key == key {
			return ms[i].value
		}
	}
	return nil
}

func isNull(raw []byte) bool   { return len(raw) == 0 || raw[0] == 'n' }
func isString(raw []byte) bool { return len(raw) >= 2 && raw[0] == '"' }
func isArray(raw []byte) bool  { return len(raw) > 0 && raw[0] == '[' }
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// inner is what stands between the quotes of a JSON string, escapes untouched.
func inner(raw []byte) []byte { return raw[1 : len(raw)-1] }

// text decodes a JSON string; anything else gives "".
func text(raw []byte) string {
	if !isString(raw) {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// unescape decodes the inside of a JSON string.
func unescape(in []byte) string {
	if bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in)
	}
	quoted := make([]byte, 0, len(in)+2)
	quoted = append(quoted, '"')
	quoted = append(quoted, in...)
	return text(append(quoted, '"'))
}

const hexDigits = "0123456789abcdef"

// appendString writes s as a JSON string without HTML escaping: '<', '>' and
// '&' stay themselves, so that what a model wrote is sent as it wrote it.
// Bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	return append(appendInner(append(dst, '"'), s), '"')
}

func appendInner(dst []byte, s string) []byte {
	plain := 0 // s[plain:i] needs no escape and is copied in one go
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[plain:i]...), "\ufffd"...)
				plain = i + 1
			}
			i += size
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[plain:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		plain = i
	}
	return append(dst, s[plain:]...)
}

// appendObject writes members as one compact object.
func appendObject(dst []byte, ms []member) []byte {
	dst = append(dst, '{')
	for i, m := range ms {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, m.key), ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}
