package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A result may be tens of megabytes in one string. What reads it here goes over it
// once to see that it is JSON and then finds its parts by their marks alone, where
// encoding/json would go over it again for every level.

// member is one member of an object, value as it was sent.
type member struct {
	key   string
	value json.RawMessage
}

// membersOf splits an object that is known to be valid JSON; false for what is no
// object. The values are parts of raw.
func membersOf(raw []byte) ([]member, bool) {
	parts, ok := partsOf(raw, '{')
	if !ok {
		return nil, false
	}
	out := make([]member, 0, len(parts)/2)
	for i := 0; i+1 < len(parts); i += 2 {
		key, ok := textOf(parts[i])
		if !ok {
			return nil, false
		}
		out = append(out, member{key, parts[i+1]})
	}
	return out, true
}

// lastOf gives the value that encoding/json would take: of several members of a
// name, in whatever case, the last.
func lastOf(members []member, name string) json.RawMessage {
	for i := len(members) - 1; i >= 0; i-- {
		if strings.EqualFold(members[i].key, name) {
			return members[i].value
		}
	}
	return nil
}

// partsOf splits an array, or an object into its names and values, one after
// another.
func partsOf(raw []byte, open byte) ([]json.RawMessage, bool) {
	at := afterSpace(raw, 0)
	if at >= len(raw) || raw[at] != open {
		return nil, false
	}
	var out []json.RawMessage
	for at++; ; {
		at = afterSpace(raw, at)
		for at < len(raw) && (raw[at] == ',' || raw[at] == ':') {
			at = afterSpace(raw, at+1)
		}
		if at >= len(raw) {
			return nil, false
		}
		if raw[at] == ']' || raw[at] == '}' {
			return out, afterSpace(raw, at+1) == len(raw)
		}
		end := afterValue(raw, at)
		out = append(out, raw[at:end])
		at = end
	}
}

func afterSpace(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\t' || raw[at] == '\r') {
		at++
	}
	return at
}

// afterValue is where the value that begins at a place ends.
func afterValue(raw []byte, at int) int {
	depth := 0
	for at < len(raw) {
		switch raw[at] {
		case '"':
			at = afterString(raw, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
			at++
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return at
			}
			at++
			continue
		default:
			at++
			continue
		}
		if depth == 0 {
			return at
		}
	}
	return len(raw)
}

// afterString is where the string that begins at a place ends.
func afterString(raw []byte, at int) int {
	for at++; at < len(raw); {
		quote := bytes.IndexByte(raw[at:], '"')
		if quote < 0 {
			return len(raw)
		}
		quote += at
		escapes := 0
		for quote-escapes > at && raw[quote-escapes-1] == '\\' {
			escapes++
		}
		at = quote + 1
		if escapes%2 == 0 {
			return at
		}
	}
	return len(raw)
}

// textOf reads a string as encoding/json does.
func textOf(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inside := raw[1 : len(raw)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

// sameJSON tells two JSON texts that say the same in the same order, whatever
// stands between their parts and however their strings are escaped. It may say no
// of two that are equal; the long ones that servers send twice are alike.
func sameJSON(a, b []byte) bool {
	for i, j := 0, 0; ; {
		i, j = afterSpace(a, i), afterSpace(b, j)
		if i >= len(a) || j >= len(b) {
			return i >= len(a) && j >= len(b)
		}
		if a[i] != b[j] {
			return false
		}
		if a[i] != '"' {
			i, j = i+1, j+1
			continue
		}
		ends, endt := afterString(a, i), afterString(b, j)
		if !bytes.Equal(a[i:ends], b[j:endt]) {
			s, okS := textOf(a[i:ends])
			t, okT := textOf(b[j:endt])
			if !okS || !okT || s != t {
				return false
			}
		}
		i, j = ends, endt
	}
}
