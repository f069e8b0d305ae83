package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// tree is a JSON value whose objects keep the order of their keys: listings
// and definitions have to be the same bytes every time, and the server's order
// of parameters says something to the model.
type tree struct {
	kind  treeKind
	text  string // a string's value; a number, true, false or null as written
	keys  []string
	items []*tree // of an array, or the values of keys
}

type treeKind uint8

const (
	scalarTree treeKind = iota
	stringTree
	arrayTree
	objectTree
)

// maxDepth bounds nesting; what is deeper was not written by hand.
const maxDepth = 64

var errTooDeep = fmt.Errorf("nested deeper than %d levels", maxDepth)

// parseTree reads one JSON value of at most maxDepth levels.
func parseTree(raw []byte) (*tree, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	t, err := parseValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON value")
	}
	return t, nil
}

func parseValue(dec *json.Decoder, depth int) (*tree, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case string:
		return textTree(v), nil
	case json.Number:
		return &tree{text: v.String()}, nil
	case bool:
		return boolTree(v), nil
	case json.Delim:
		return parseCollection(dec, v, depth)
	default:
		return &tree{text: "null"}, nil
	}
}

func parseCollection(dec *json.Decoder, open json.Delim, depth int) (*tree, error) {
	t := &tree{kind: arrayTree}
	if open == '{' {
		t.kind = objectTree
	}
	for dec.More() {
		if t.kind == objectTree {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			t.keys = append(t.keys, key.(string))
		}
		item, err := parseValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		t.items = append(t.items, item)
	}
	_, err := dec.Token()
	return t, err
}

func textTree(s string) *tree { return &tree{kind: stringTree, text: s} }
func boolTree(b bool) *tree {
	if b {
		return &tree{text: "true"}
	}
	return &tree{text: "false"}
}

func newObject(pairs ...any) *tree {
	t := &tree{kind: objectTree}
	for i := 0; i+1 < len(pairs); i += 2 {
		t.set(pairs[i].(string), pairs[i+1].(*tree))
	}
	return t
}

func newArray(items ...*tree) *tree { return &tree{kind: arrayTree, items: items} }

func (t *tree) isObject() bool { return t != nil && t.kind == objectTree }
func (t *tree) isArray() bool  { return t != nil && t.kind == arrayTree }
func (t *tree) isText() bool   { return t != nil && t.kind == stringTree }
func (t *tree) is(word string) bool {
	return t != nil && t.kind == scalarTree && t.text == word
}

// get is the value of a key, the last of a duplicate as in every JSON reader;
// nil if there is none or t is no object.
func (t *tree) get(key string) *tree {
	if !t.isObject() {
		return nil
	}
	for i := len(t.keys) - 1; i >= 0; i-- {
		if t.keys[i] == key {
			return t.items[i]
		}
	}
	return nil
}

// word is the text under a key, "" for anything but a string.
func (t *tree) word(key string) string {
	if v := t.get(key); v.isText() {
		return v.text
	}
	return ""
}

func (t *tree) set(key string, value *tree) {
	for i := range t.keys {
		if t.keys[i] == key {
			t.items[i] = value
			return
		}
	}
	t.keys = append(t.keys, key)
	t.items = append(t.items, value)
}

func (t *tree) delete(key string) {
	for i := len(t.keys) - 1; i >= 0; i-- {
		if t.keys[i] == key {
			t.keys = append(t.keys[:i:i], t.keys[i+1:]...)
			t.items = append(t.items[:i:i], t.items[i+1:]...)
		}
	}
}

// words lists the texts of an array, in order, other items left out.
func (t *tree) words() []string {
	if !t.isArray() {
		return nil
	}
	var out []string
	for _, item := range t.items {
		if item.isText() {
			out = append(out, item.text)
		}
	}
	return out
}

// json writes the tree compactly and without HTML escaping.
func (t *tree) json() json.RawMessage {
	var b strings.Builder
	t.write(&b)
	return json.RawMessage(b.String())
}

func (t *tree) write(b *strings.Builder) {
	switch t.kind {
	case stringTree:
		b.WriteString(quoteJSON(t.text))
	case arrayTree:
		b.WriteByte('[')
		for i, item := range t.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case objectTree:
		b.WriteByte('{')
		for i, item := range t.items {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoteJSON(t.keys[i]))
			b.WriteByte(':')
			item.write(b)
		}
		b.WriteByte('}')
	default:
		b.WriteString(t.text)
	}
}

// quoteJSON is s as a JSON string; '<', '>' and '&' stay themselves.
func quoteJSON(s string) string { return strings.TrimSuffix(encodeJSON(s), "\n") }

// encodeJSON encodes without HTML escaping. What the package encodes are
// strings and its own structs of strings and numbers, which always encode.
func encodeJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("registry: encoding %T: %v", v, err))
	}
	return b.String()
}
