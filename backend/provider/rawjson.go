package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// member is one key of a JSON object with the bytes of its value.
type member struct {
	key   string
	value json.RawMessage
}

var errNotObject = errors.New("not a JSON object")

// members lists the keys of a JSON object in the order they are written. The
// values keep their bytes: encoding/json's maps would lose the order and its
// encoder the spelling of numbers and escapes, which vendors compare.
func members(raw []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := openWith(dec, '{'); err != nil {
		return nil, err
	}
	var out []member
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("reading a key: %w", err)
		}
		key, ok := token.(string)
		if !ok {
			return nil, errNotObject
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("reading the value of %q: %w", key, err)
		}
		out = append(out, member{key, value})
	}
	return out, closeWith(dec)
}

// elements lists the items of a JSON array with their bytes.
func elements(raw []byte) ([]json.RawMessage, error) {
	var out []json.RawMessage
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("reading an array: %w", err)
	}
	return out, nil
}

func openWith(dec *json.Decoder, delim json.Delim) error {
	token, err := dec.Token()
	if err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	if token != delim {
		return errNotObject
	}
	return nil
}

func closeWith(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the JSON value")
	}
	return nil
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
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, "\ufffd"...)
			} else {
				dst = append(dst, s[i:i+size]...)
			}
			i += size
			continue
		}
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
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
