package provider

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"hermes/backend/message"
)

// converseBlock is a content block that deltas may still change. kind is the
// one member a block has: text, toolUse, reasoningContent, or one this program
// does not know, which is kept by its shape.
type converseBlock struct {
	index  int
	kind   string
	closed bool
	raw    []byte // of a block that came whole
	shown  pieces

	text  []byte   // the inside of the JSON string
	use   []member // of toolUse, without a streamed input
	input []byte   // the inside of the JSON string that a tool's input arrives in

	signature []byte // of reasoning, the inside of the JSON string
	signed    bool
	redacted  []byte // of reasoning, decoded
	other     *value // of a kind nobody here knows
}

var errUnknownPart = errors.New("a part this program does not know")

// begin takes a member of the event that starts a block.
func (b *converseBlock) begin(m member, show func(string)) error {
	if m.key != "toolUse" {
		return b.grow(m, show)
	}
	ms, err := members(m.value)
	if err != nil {
		return err
	}
	for _, f := range ms {
		if f.key != "input" {
			b.use = append(b.use, member{f.key, slices.Clone(f.value)})
		} else if isObject(f.value) && len(f.value) > 2 {
			b.input = appendInner(b.input, string(f.value))
		}
	}
	return nil
}

// grow takes a member of a delta.
func (b *converseBlock) grow(m member, show func(string)) error {
	switch m.key {
	case "text":
		if !isString(m.value) {
			return fmt.Errorf("its text is no string: %w", errUnknownPart)
		}
		b.text = append(b.text, inner(m.value)...)
		show(b.shown.add(inner(m.value)))
		return nil
	case "toolUse":
		return b.growUse(m.value)
	case "reasoningContent":
		return b.growReasoning(m.value)
	}
	if b.other == nil {
		b.other = newValue(m.value)
		return nil
	}
	same := isString(m.value) && b.other.isString() || isObject(m.value) && b.other.isObject() || isArray(m.value) && b.other.isArray()
	if !same {
		return fmt.Errorf("its pieces of %q do not fit together: %w", clip(m.key), errUnknownPart)
	}
	return b.other.merge("", m.value)
}

func (b *converseBlock) growUse(raw []byte) error {
	ms, err := members(raw)
	if err != nil {
		return err
	}
	for _, f := range ms {
		switch {
		case isNull(f.value):
		case f.key != "input":
			return fmt.Errorf("%q in a call: %w", clip(f.key), errUnknownPart)
		case isString(f.value):
			b.input = append(b.input, inner(f.value)...)
		default: // not the format, but its meaning is plain
			b.input = appendInner(b.input, string(f.value))
		}
	}
	return nil
}

// growReasoning takes a piece of reasoning. The stream names its parts in
// another way than the block that has to be sent back.
func (b *converseBlock) growReasoning(raw []byte) error {
	ms, err := members(raw)
	if err != nil {
		return err
	}
	for _, f := range ms {
		switch {
		case isNull(f.value):
		case f.key == "text" && isString(f.value):
			b.text = append(b.text, inner(f.value)...)
		case f.key == "signature" && isString(f.value):
			b.signature, b.signed = append(b.signature, inner(f.value)...), true
		case f.key == "redactedContent" && isString(f.value):
			piece, err := base64.StdEncoding.DecodeString(text(f.value))
			if err != nil {
				return fmt.Errorf("reading redacted reasoning: %w", err)
			}
			b.redacted = append(b.redacted, piece...)
		default:
			return fmt.Errorf("%q in reasoning: %w", clip(f.key), errUnknownPart)
		}
	}
	if b.redacted != nil && (len(b.text) > 0 || b.signed) {
		return fmt.Errorf("reasoning that is open and redacted: %w", errUnknownPart)
	}
	return nil
}

// call is the neutral view of a toolUse block, the nth of its answer.
func (b *converseBlock) call(nth int) message.ToolCall {
	c := message.ToolCall{ID: text(find(b.use, "toolUseId")), Name: text(find(b.use, "name"))}
	switch whole := find(b.use, "input"); {
	case len(b.input) > 0:
		c.Arguments = unescape(b.input)
	case len(whole) > 0:
		c.Arguments = string(whole)
	default:
		c.Arguments = "{}"
	}
	if c.ID == "" {
		c.ID = message.DeterministicCallID(c.Name, c.Arguments, nth)
		b.raw = nil
		b.use = append([]member{{"toolUseId", appendString(nil, c.ID)}}, without(b.use, "toolUseId")...)
	}
	return c
}

func without(ms []member, key string) []member {
	return slices.DeleteFunc(slices.Clone(ms), func(m member) bool { return m.key == key })
}

// empty reports reasoning that began and in which nothing came.
func (b *converseBlock) empty() bool {
	return b.raw == nil && len(b.text) == 0 && !b.signed && b.redacted == nil
}

// bytes is the finished block, as the service wants it back.
func (b *converseBlock) bytes() json.RawMessage {
	if b.raw != nil {
		return b.raw
	}
	out := append(appendString([]byte("{"), b.kind), ':')
	switch b.kind {
	case "text":
		out = append(append(append(out, '"'), b.text...), '"')
	case "toolUse":
		use := b.use
		switch {
		case len(b.input) > 0:
			use = append(slices.Clone(use), member{"input", inputObject(unescape(b.input))})
		case find(use, "input") == nil:
			use = append(slices.Clone(use), member{"input", json.RawMessage("{}")})
		}
		out = appendObject(out, use)
	case "reasoningContent":
		out = b.reasoning(out)
	default:
		out = b.other.append(out)
	}
	return validUTF8(append(out, '}'))
}

func (b *converseBlock) reasoning(dst []byte) []byte {
	if b.redacted != nil {
		dst = append(dst, `{"redactedContent":"`...)
		return append(base64.StdEncoding.AppendEncode(dst, b.redacted), `"}`...)
	}
	dst = append(append(append(dst, `{"reasoningText":{"text":"`...), b.text...), '"')
	if b.signed {
		dst = append(append(append(dst, `,"signature":"`...), b.signature...), '"')
	}
	return append(dst, `}}`...)
}
