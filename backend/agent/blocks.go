package agent

import (
	"bytes"
	"encoding/json"
	"slices"

	"hermes/backend/message"
)

// edit is what became of one call the model wrote: several calls after a split,
// or the same one under another id, with another name or other arguments.
type edit struct {
	calls                     []message.ToolCall
	renamed, named, rewritten bool
}

func (e edit) changes() bool { return e.split() || e.renamed || e.named || e.rewritten }

func (e edit) split() bool { return len(e.calls) > 1 }

// editBlocks replaces the blocks of split and renamed calls in place. A block
// is known by its form and its id, so signed thinking, text and everything a
// vendor may add tomorrow are the same bytes at the same relative place
// (DESIGN invariant 5). Blocks with one id belong to the calls with that id in
// order.
func editBlocks(blocks []json.RawMessage, edits map[string][]edit) []json.RawMessage {
	take := func(id string) (edit, bool) {
		queue := edits[id]
		if len(queue) == 0 {
			return edit{}, false
		}
		edits[id] = queue[1:]
		return queue[0], queue[0].changes()
	}
	var out []json.RawMessage
	for i, block := range blocks {
		replaced := editBlock(block, take)
		if replaced != nil && out == nil {
			out = append(make([]json.RawMessage, 0, len(blocks)+message.MaxCallsPerDispatch), blocks[:i]...)
		}
		switch {
		case replaced != nil:
			out = append(out, replaced...)
		case out != nil:
			out = append(out, block)
		}
	}
	if out == nil {
		return blocks
	}
	return out
}

// editBlock returns the blocks that take the place of block, or nil when it
// stays as it is.
func editBlock(block json.RawMessage, take func(string) (edit, bool)) []json.RawMessage {
	top := fieldsOf(block)
	if text(block, top, "type") == "tool_use" {
		return editUse(block, top, "id", take, func(call message.ToolCall) []byte {
			return appendUse([]byte(`{"type": "tool_use", "id": `), call)
		})
	}
	if at, ok := find(top, "toolUse"); ok {
		inner := block[at.start:at.end]
		uses := editUse(inner, fieldsOf(inner), "toolUseId", take, func(call message.ToolCall) []byte {
			return appendUse([]byte(`{"toolUseId": `), call)
		})
		for i := range uses {
			if i == 0 {
				uses[i] = splice(block, at, uses[i])
			} else {
				uses[i] = append(append([]byte(`{"toolUse": `), uses[i]...), '}')
			}
		}
		return uses
	}
	if at, ok := find(top, "tool_calls"); ok {
		if list := editCallList(block[at.start:at.end], take); list != nil {
			return []json.RawMessage{splice(block, at, list)}
		}
	}
	return nil
}

// editUse edits an object that holds an id and an input, the form Anthropic and
// Bedrock share.
func editUse(use json.RawMessage, fields []field, idKey string, take func(string) (edit, bool), fresh func(message.ToolCall) []byte) []json.RawMessage {
	if fields == nil {
		return nil
	}
	change, changed := take(text(use, fields, idKey))
	if !changed {
		return nil
	}
	first := use
	if change.split() || change.rewritten {
		first = set(first, "input", []byte(change.calls[0].Arguments))
	}
	if change.named {
		first = set(first, "name", quote(change.calls[0].Name))
	}
	if change.renamed {
		first = set(first, idKey, quote(change.calls[0].ID))
	}
	out := []json.RawMessage{first}
	for _, call := range change.calls[1:] {
		out = append(out, fresh(call))
	}
	return out
}

// appendUse ends a fresh object whose first key is the id; a child carries no
// signature and nothing else of its parent.
func appendUse(dst []byte, call message.ToolCall) []byte {
	dst = append(dst, quote(call.ID)...)
	dst = append(append(dst, `, "name": `...), quote(call.Name)...)
	dst = append(append(dst, `, "input": `...), call.Arguments...)
	return append(dst, '}')
}

// editCallList edits the tool_calls of an assistant message in the
// chat-completions form, or returns nil when nothing in it changed.
func editCallList(list json.RawMessage, take func(string) (edit, bool)) []byte {
	var out []byte
	done := 0 // what of list is already in out
	for _, at := range itemsOf(list) {
		item := list[at.start:at.end]
		fields := fieldsOf(item)
		if fields == nil {
			continue
		}
		change, changed := take(text(item, fields, "id"))
		if !changed {
			continue
		}
		out = append(out, list[done:at.start]...)
		out = append(out, firstCall(item, fields, change)...)
		for _, call := range change.calls[1:] {
			out = append(append(out, `, {"id": `...), quote(call.ID)...)
			out = append(append(out, `, "type": "function", "function": {"name": `...), quote(call.Name)...)
			out = append(append(out, `, "arguments": `...), quote(call.Arguments)...)
			out = append(out, "}}"...)
		}
		done = at.end
	}
	if done == 0 {
		return nil
	}
	return append(out, list[done:]...)
}

// firstCall is the parent's own entry with new arguments or a new id; all else
// a vendor put into it, such as a thought signature, stays.
func firstCall(item json.RawMessage, fields []field, change edit) json.RawMessage {
	if at, ok := find(fields, "function"); ok {
		function := item[at.start:at.end]
		if change.split() || change.rewritten {
			function = set(function, "arguments", quote(change.calls[0].Arguments))
		}
		if change.named {
			function = set(function, "name", quote(change.calls[0].Name))
		}
		item = splice(item, at, function)
	}
	if change.renamed {
		item = set(item, "id", quote(change.calls[0].ID))
	}
	return item
}

// field is a key of an object and where its value stands.
type field struct {
	key        string
	start, end int
}

// fieldsOf lists the keys of a JSON object, nil for anything else.
func fieldsOf(raw []byte) []field {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	fields := []field{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		end := int(dec.InputOffset())
		fields = append(fields, field{key.(string), end - len(value), end})
	}
	return fields
}

// itemsOf lists where the items of a JSON array stand, nil for anything else.
func itemsOf(raw []byte) []field {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if token, err := dec.Token(); err != nil || token != json.Delim('[') {
		return nil
	}
	var items []field
	for dec.More() {
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		end := int(dec.InputOffset())
		items = append(items, field{"", end - len(value), end})
	}
	return items
}

// find gives the last field of that name, the one every reader takes.
func find(fields []field, key string) (field, bool) {
	for _, f := range slices.Backward(fields) {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// text is the string under a key, "" for anything else.
func text(raw []byte, fields []field, key string) string {
	var s string
	if at, ok := find(fields, key); ok && raw[at.start] == '"' {
		_ = json.Unmarshal(raw[at.start:at.end], &s) // it was just read as a string
	}
	return s
}

// set replaces the value of a key, or puts the key first where it is missing.
func set(object []byte, key string, value []byte) json.RawMessage {
	if at, ok := find(fieldsOf(object), key); ok {
		return splice(object, at, value)
	}
	open := bytes.IndexByte(object, '{') + 1
	insert := append(append(quote(key), ": "...), value...)
	if len(fieldsOf(object)) > 0 {
		insert = append(insert, ", "...)
	}
	return slices.Concat(object[:open], insert, object[open:])
}

func splice(raw []byte, at field, value []byte) json.RawMessage {
	return slices.Concat(raw[:at.start], value, raw[at.end:])
}

// quote is s as a JSON string, without the encoder's escapes for HTML.
func quote(s string) []byte {
	encoded, _ := json.Marshal(s) // a string always encodes
	out, _ := message.AppendPython(nil, encoded)
	return out
}
