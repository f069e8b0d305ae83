package provider

import (
	"bytes"
	"encoding/json"
	"slices"

	"hermes/backend/message"
)

// storedCall is a call of a stored message with its bytes.
type storedCall struct {
	call message.ToolCall
	raw  json.RawMessage
}

// says compares what is sent; the target a row remembers never is.
func (s storedCall) says(c message.ToolCall) bool {
	return s.call.ID == c.ID && s.call.Name == c.Name && s.call.Arguments == c.Arguments
}

func storedCalls(raw json.RawMessage) ([]storedCall, error) {
	if isNull(raw) {
		return nil, nil
	}
	items, err := elements(raw)
	if err != nil {
		return nil, err
	}
	out := make([]storedCall, 0, len(items))
	for _, item := range items {
		call, err := readCall(item)
		if err != nil {
			return nil, err
		}
		out = append(out, storedCall{call, item})
	}
	return out, nil
}

func readCall(raw json.RawMessage) (message.ToolCall, error) {
	ms, err := members(raw)
	if err != nil {
		return message.ToolCall{}, err
	}
	call := message.ToolCall{ID: text(find(ms, "id"))}
	fn := find(ms, "function")
	if isNull(fn) {
		return call, nil
	}
	fields, err := members(fn)
	if err != nil {
		return message.ToolCall{}, err
	}
	call.Name = text(find(fields, "name"))
	if args := find(fields, "arguments"); isString(args) {
		call.Arguments = text(args)
	} else if !isNull(args) {
		call.Arguments = string(args)
	}
	return call, nil
}

// appendCalls writes calls as the vendor wants them. A call that is still as
// stored keeps its bytes; one whose id is stored (the first child of a split
// keeps its parent's id) keeps the parent's other fields, thought signatures
// among them; the others are new.
func appendCalls(dst []byte, calls []message.ToolCall, stored []storedCall, ids callIDs) []byte {
	dst = append(dst, '[')
	for i, c := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		at := slices.IndexFunc(stored, func(s storedCall) bool { return s.call.ID == c.ID })
		said := at >= 0 && stored[at].says(c) && ids.of(c.ID) == c.ID
		c.ID = ids.of(c.ID)
		switch {
		case at < 0:
			dst = appendCall(dst, c)
		case said:
			dst = append(dst, bytes.TrimSpace(stored[at].raw)...)
		default:
			dst = appendChanged(dst, c, stored[at].raw)
		}
	}
	return append(dst, ']')
}

func appendCall(dst []byte, c message.ToolCall) []byte {
	dst = appendString(append(dst, `{"id":`...), c.ID)
	dst = appendString(append(dst, `,"type":"function","function":{"name":`...), c.Name)
	return append(appendString(append(dst, `,"arguments":`...), c.Arguments), `}}`...)
}

func appendChanged(dst []byte, c message.ToolCall, raw json.RawMessage) []byte {
	ms, err := members(raw)
	if err != nil {
		return appendCall(dst, c)
	}
	for i, m := range ms {
		if m.key == "id" {
			ms[i].value = appendString(nil, c.ID)
			continue
		}
		if m.key != "function" || !isObject(m.value) {
			continue
		}
		fields, err := members(m.value)
		if err != nil {
			return appendCall(dst, c)
		}
		ms[i].value = appendObject(nil, replaced(fields, c))
	}
	return appendObject(dst, ms)
}

func replaced(fields []member, c message.ToolCall) []member {
	for i := range fields {
		switch fields[i].key {
		case "name":
			fields[i].value = appendString(nil, c.Name)
		case "arguments":
			fields[i].value = appendString(nil, c.Arguments)
		}
	}
	return fields
}
