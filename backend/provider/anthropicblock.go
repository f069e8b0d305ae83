package provider

import (
	"encoding/json"
	"slices"

	"hermes/backend/message"
)

// growingBlock is a content block that deltas may still change.
type growingBlock struct {
	index int
	kind  string
	// raw is the block as it began. fields are its members, used once a delta
	// has changed one.
	raw     []byte
	fields  []field
	changed bool
	// input is the inside of the JSON string that the input arrives in.
	input []byte
	shown pieces
}

func newGrowingBlock(index int, raw json.RawMessage) (*growingBlock, error) {
	ms, err := members(raw)
	if err != nil {
		return nil, err
	}
	b := &growingBlock{index: index, kind: text(find(ms, "type")), raw: slices.Clone(raw)}
	for _, m := range ms {
		b.set(m.key, m.value)
	}
	b.changed = false
	return b, nil
}

func (b *growingBlock) lookup(key string) *value {
	for _, f := range b.fields {
		if f.key == key {
			return f.val
		}
	}
	return nil
}

// set gives a member a new value.
func (b *growingBlock) set(key string, raw []byte) {
	b.changed = true
	if v := b.lookup(key); v != nil {
		*v = *newValue(raw)
		return
	}
	b.fields = append(b.fields, field{key, newValue(raw)})
}

// delta changes the block. Text grows, a signature comes whole, an input comes
// as the text of its JSON, a citation is one more; the members of any other
// delta are merged by their shape.
func (b *growingBlock) delta(raw json.RawMessage, show func(string)) error {
	ms, err := members(raw)
	if err != nil {
		return err
	}
	kind := text(find(ms, "type"))
	for _, m := range ms {
		switch {
		case m.key == "type", isNull(m.value):
		case kind == "input_json_delta" && m.key == "partial_json" && isString(m.value):
			b.changed = true
			b.input = append(b.input, inner(m.value)...)
		case kind == "signature_delta" && m.key == "signature":
			b.set(m.key, m.value)
		case kind == "citations_delta" && m.key == "citation":
			err = b.cite(m.value)
		default:
			if b.kind == blockText && m.key == "text" && isString(m.value) {
				show(b.shown.add(inner(m.value)))
			}
			b.changed = true
			b.fields, err = mergeField(b.fields, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *growingBlock) cite(citation []byte) error {
	const key = "citations"
	b.changed = true
	list := b.lookup(key)
	if list == nil || !list.isArray() {
		b.set(key, []byte("[]"))
		list = b.lookup(key)
	}
	if len(list.arr) >= maxParts {
		return errTooManyParts
	}
	if err := list.mergeArray([]byte("[]")); err != nil { // opens the list
		return err
	}
	list.arr = append(list.arr, newValue(citation))
	return nil
}

// call is the neutral view of a tool_use block, the nth of its answer.
func (b *growingBlock) call(nth int) message.ToolCall {
	c := message.ToolCall{ID: b.string("id"), Name: b.string("name"), Arguments: b.arguments()}
	if c.ID == "" {
		c.ID = message.DeterministicCallID(c.Name, c.Arguments, nth)
		b.set("id", appendString(nil, c.ID))
	}
	if b.lookup("input") == nil && len(b.input) == 0 {
		b.set("input", []byte("{}"))
	}
	return c
}

// arguments is the JSON text as the model wrote it, which need not be JSON.
func (b *growingBlock) arguments() string {
	if len(b.input) > 0 {
		return unescape(b.input)
	}
	if v := b.lookup("input"); v != nil {
		return string(v.append(nil))
	}
	return "{}"
}

func (b *growingBlock) string(key string) string {
	if v := b.lookup(key); v != nil && v.isString() {
		return text(v.append(nil))
	}
	return ""
}

// bytes is the finished block.
func (b *growingBlock) bytes() json.RawMessage {
	if len(b.input) > 0 {
		b.set("input", inputObject(unescape(b.input)))
		b.input = nil
	}
	if !b.changed {
		return validUTF8(b.raw)
	}
	out := []byte{'{'}
	for i, f := range b.fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendString(out, f.key), ':')
		out = f.val.append(out)
	}
	return validUTF8(append(out, '}'))
}
