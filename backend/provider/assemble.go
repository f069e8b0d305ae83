package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"hermes/backend/message"
)

// maxAnswer bounds one answer, in bytes of deltas; a model's longest answers
// are far below, an endless stream is a fault of the server.
const maxAnswer = 64 << 20

// chunk is one event of a chat-completions stream.
type chunk struct {
	Object  string          `json:"object"`
	Error   json.RawMessage `json:"error"`
	Usage   *usage          `json:"usage"`
	Choices []struct {
		Index        int             `json:"index"`
		Delta        json.RawMessage `json:"delta"`
		Message      json.RawMessage `json:"message"`
		FinishReason string          `json:"finish_reason"`
	} `json:"choices"`
}

// assembler builds one answer from its deltas: the neutral view and, beside
// it, the raw assistant message with every field the vendor sent.
type assembler struct {
	onText func(string)
	size   int
	fields []field // of the assistant message, in order of appearance
	calls  []*call
	placed bool // "tool_calls" has its place in fields

	shown   pieces
	text    bytes.Buffer
	finish  string
	usage   message.Usage
	started bool // a choice has arrived
}

// call is a tool call that is still growing.
type call struct {
	index string // as written, "" when the vendor does not number calls
	id    string
	kind  string
	name  string
	args  []byte // the inside of the JSON string
	extra []field
	inFn  []field // unknown fields of "function"
}

const callsKey = "tool_calls"

// maxParts bounds how many calls, fields or numbered items one answer has;
// looking up the part a delta continues is linear in them.
const maxParts = 4096

var errTooManyParts = fmt.Errorf("more than %d parts in one answer", maxParts)

// add takes the next chunk. The assembler is of no use after an error.
func (a *assembler) add(c chunk) error {
	if c.Usage != nil {
		a.usage = c.Usage.neutral()
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // we ask for one answer
		}
		a.started = true
		if !isNull(choice.Delta) {
			if err := a.delta(choice.Delta); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	return nil
}

func (a *assembler) delta(raw json.RawMessage) error {
	if a.size += len(raw); a.size > maxAnswer {
		return fmt.Errorf("the answer is longer than %d MB", maxAnswer>>20)
	}
	ms, err := members(raw)
	if err != nil {
		return fmt.Errorf("reading a delta: %w", err)
	}
	for _, m := range ms {
		if err := a.member(m); err != nil {
			return fmt.Errorf("reading %q of a delta: %w", m.key, err)
		}
	}
	return nil
}

func (a *assembler) member(m member) error {
	if isNull(m.value) {
		return nil
	}
	switch m.key {
	case "role":
		return nil
	case callsKey:
		return a.callDeltas(m.value)
	case "content":
		return a.content(m)
	}
	var err error
	a.fields, err = mergeField(a.fields, m)
	return err
}

// content is a string for nearly everybody; a list of parts (text, thinking)
// for some, who may mix both in one stream.
func (a *assembler) content(m member) error {
	old := a.lookup(m.key)
	switch {
	case isString(m.value):
		a.show(a.shown.add(inner(m.value)))
		if old != nil && old.isArray() {
			m.value = textPart(m.value)
		}
	case isArray(m.value):
		items, err := elements(m.value)
		if err != nil {
			return err
		}
		for _, item := range items {
			a.show(partText(item))
		}
		if old != nil && old.isString() {
			part := textPart(old.append(nil))
			*old = *newValue(part)
		}
	}
	var err error
	a.fields, err = mergeField(a.fields, m)
	return err
}

func textPart(raw []byte) json.RawMessage {
	return fmt.Appendf(nil, `[{"type":"text","text":%s}]`, raw)
}

func partText(item json.RawMessage) string {
	var part struct{ Type, Text string }
	if json.Unmarshal(item, &part) != nil || part.Type != "text" {
		return ""
	}
	return part.Text
}

func (a *assembler) show(s string) {
	if s == "" {
		return
	}
	a.text.WriteString(s)
	if a.onText != nil {
		a.onText(s)
	}
}

func (a *assembler) lookup(key string) *value {
	for _, f := range a.fields {
		if f.key == key {
			return f.val
		}
	}
	return nil
}

func (a *assembler) callDeltas(raw json.RawMessage) error {
	items, err := elements(raw)
	if err != nil {
		return err
	}
	if len(items) > 0 && !a.placed {
		a.placed = true
		a.fields = append(a.fields, field{callsKey, nil})
	}
	for _, item := range items {
		ms, err := members(item)
		if err != nil {
			return err
		}
		if err := a.callFor(ms).merge(ms); err != nil {
			return err
		}
		if len(a.calls) > maxParts {
			return errTooManyParts
		}
	}
	return nil
}

// callFor finds the call a delta continues. The index decides; where a vendor
// omits it or numbers every call 0, a new id starts a new call; where it sends
// neither, a call that is complete is followed by a new one.
func (a *assembler) callFor(ms []member) *call {
	index, id := "", text(find(ms, "id"))
	if raw := find(ms, "index"); !isNull(raw) {
		index = string(raw)
	}
	if index == "" && id == "" && len(a.calls) > 0 {
		last := a.calls[len(a.calls)-1]
		if !namesFunction(ms) || !json.Valid([]byte(unescape(last.args))) {
			return last
		}
		last = &call{}
		a.calls = append(a.calls, last)
		return last
	}
	for i := len(a.calls) - 1; i >= 0; i-- {
		if c := a.calls[i]; c.index == index && (id == "" || c.id == "" || c.id == id) {
			return c
		}
	}
	c := &call{index: index}
	a.calls = append(a.calls, c)
	return c
}

func namesFunction(ms []member) bool {
	fields, err := members(find(ms, "function"))
	return err == nil && text(find(fields, "name")) != ""
}

func (c *call) merge(ms []member) error {
	var err error
	for _, m := range ms {
		if isNull(m.value) {
			continue
		}
		switch m.key {
		case "index":
		case "id":
			c.id = orOld(text(m.value), c.id)
		case "type":
			c.kind = orOld(text(m.value), c.kind)
		case "function":
			err = c.function(m.value)
		default:
			c.extra, err = mergeField(c.extra, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *call) function(raw json.RawMessage) error {
	ms, err := members(raw)
	if err != nil {
		return err
	}
	for _, m := range ms {
		switch {
		case isNull(m.value):
		case m.key == "name":
			// Most send the name once, some in every delta, few in pieces.
			if piece := text(m.value); piece != c.name {
				c.name += piece
			}
		case m.key == "arguments" && isString(m.value):
			c.args = append(c.args, inner(m.value)...)
		case m.key == "arguments":
			// Not the format, but its meaning is plain: the arguments as JSON.
			c.args = appendInner(c.args, string(m.value))
		default:
			if c.inFn, err = mergeField(c.inFn, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func orOld(fresh, old string) string {
	if fresh == "" {
		return old
	}
	return fresh
}

// named reports whether the vendor gave every call an id.
func (a *assembler) named() bool {
	return !slices.ContainsFunc(a.calls, func(c *call) bool { return c.id == "" })
}

// turn closes the answer. The caller has seen the terminal event.
func (a *assembler) turn() Turn {
	a.show(a.shown.flush())
	if v := a.lookup("refusal"); a.text.Len() == 0 && v != nil && v.isString() {
		a.show(text(v.append(nil)))
	}
	for i, c := range a.calls {
		if c.id == "" {
			// Always the same id: ids are part of the prefix vendors cache.
			c.id = message.DeterministicCallID(c.name, unescape(c.args), i)
		}
	}
	t := Turn{Content: a.text.String(), Vendor: VendorOpenAI, Usage: a.usage, Blocks: []json.RawMessage{a.block()}}
	for _, c := range a.calls {
		t.ToolCalls = append(t.ToolCalls, message.ToolCall{ID: c.id, Name: c.name, Arguments: unescape(c.args)})
	}
	t.Stop = stopReason(a.finish, len(t.ToolCalls))
	return t
}

// block writes the assistant message as a vendor wants it back.
func (a *assembler) block() json.RawMessage {
	out := []byte(`{"role":"assistant"`)
	if a.lookup("content") == nil {
		out = append(out, `,"content":null`...)
	}
	for _, f := range a.fields {
		out = append(appendString(append(out, ','), f.key), ':')
		if f.key != callsKey {
			out = f.val.append(out)
			continue
		}
		out = append(out, '[')
		for i, c := range a.calls {
			if i > 0 {
				out = append(out, ',')
			}
			out = c.append(out)
		}
		out = append(out, ']')
	}
	return validUTF8(append(out, '}'))
}

// validUTF8 mends a character that was cut in two and never finished, byte for
// byte as the JSON decoder does for the neutral view.
func validUTF8(in []byte) []byte {
	if utf8.Valid(in) {
		return in
	}
	out := make([]byte, 0, len(in)+8)
	for len(in) > 0 {
		r, size := utf8.DecodeRune(in)
		out = utf8.AppendRune(out, r)
		in = in[size:]
	}
	return out
}

func (c *call) append(dst []byte) []byte {
	dst = appendString(append(dst, `{"id":`...), c.id)
	dst = appendString(append(dst, `,"type":`...), orOld(c.kind, "function"))
	dst = appendString(append(dst, `,"function":{"name":`...), c.name)
	dst = append(append(append(dst, `,"arguments":"`...), c.args...), '"')
	dst = append(appendFields(dst, c.inFn), '}')
	return append(appendFields(dst, c.extra), '}')
}

func appendFields(dst []byte, fields []field) []byte {
	for _, f := range fields {
		dst = append(appendString(append(dst, ','), f.key), ':')
		dst = f.val.append(dst)
	}
	return dst
}

func stopReason(finish string, calls int) message.StopReason {
	switch finish {
	case "length", "max_tokens":
		return message.StopLength
	}
	if calls > 0 {
		return message.StopToolCalls
	}
	return message.StopEnd
}
