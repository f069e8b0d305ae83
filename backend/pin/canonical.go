package pin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
)

// canonicalDepth bounds how deep a schema may be nested; it is the bound of the
// standard library's own reader.
const canonicalDepth = 10000

// canonical is JSON in one form: keys in order, no space between, numbers with
// the digits they were written with. Absent and null are the same. A key that
// stands twice is kept twice, in its order, because readers differ in which one
// counts. What is no JSON stays as it is, behind a byte that no JSON begins with.
func canonical(raw []byte) []byte {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	if !json.Valid(raw) {
		return append([]byte{0}, raw...)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out bytes.Buffer
	if err := writeValue(d, &out, canonicalDepth); err != nil {
		return append([]byte{0}, raw...)
	}
	return out.Bytes()
}

var errTooDeep = errors.New("nested too deep")

// writeValue copies one value of a decoder.
func writeValue(d *json.Decoder, out *bytes.Buffer, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if depth == 0 {
		return errTooDeep
	}
	switch token {
	case json.Delim('{'):
		return writeObject(d, out, depth-1)
	case json.Delim('['):
		return writeArray(d, out, depth-1)
	}
	return writeScalar(token, out)
}

func writeScalar(token json.Token, out *bytes.Buffer) error {
	if number, ok := token.(json.Number); ok {
		out.WriteString(number.String())
		return nil
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(token); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // the line's end
	return nil
}

func writeArray(d *json.Decoder, out *bytes.Buffer, depth int) error {
	out.WriteByte('[')
	for first := true; d.More(); first = false {
		if !first {
			out.WriteByte(',')
		}
		if err := writeValue(d, out, depth); err != nil {
			return err
		}
	}
	return closing(d, out, ']')
}

func writeObject(d *json.Decoder, out *bytes.Buffer, depth int) error {
	type member struct{ key, text string }
	var members []member
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string) // of valid JSON it is one
		var text bytes.Buffer
		if err := writeScalar(key, &text); err != nil {
			return err
		}
		text.WriteByte(':')
		if err := writeValue(d, &text, depth); err != nil {
			return err
		}
		members = append(members, member{key, text.String()})
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.key, b.key) })
	out.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(m.text)
	}
	return closing(d, out, '}')
}

func closing(d *json.Decoder, out *bytes.Buffer, mark byte) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	out.WriteByte(mark)
	return nil
}
