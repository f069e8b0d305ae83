package provider

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"hermes/backend/message"
)

// optionsKey asks for the token counts at the end of a stream.
const optionsKey = "stream_options"

// limitKey bounds the answer at nearly every endpoint; reasoning models refuse it
// and name newLimitKey in its place. One of them is always sent.
const (
	limitKey    = "max_tokens"
	newLimitKey = "max_completion_tokens"
)

// reasoningKey is the reasoning of a row, in the clear. noReasoning stands
// among the refused fields for a server that refuses rows without it.
const (
	reasoningKey = "reasoning_content"
	noReasoning  = "no " + reasoningKey
)

// body writes the request. It is written here and not by an SDK because stored
// messages must be sent as they came: SDK types drop unknown fields and their
// encoders escape '<', '>' and '&'. parallel_tool_calls is left out: parallel
// calls are the default, and reasoning models refuse the parameter.
//
// without names optional fields a server has refused. The second result lists
// the optional fields that are in the body.
func body(req Request, without map[string]bool) (out []byte, optional []string) {
	out = make([]byte, 0, estimate(req))
	out = appendString(append(out, `{"model":`...), req.Model)
	out = append(out, `,"messages":[`...)
	w := bodyWriter{out: out, without: without}
	if req.System != "" {
		w.row(`{"role":"system","content":`, req.System)
	}
	for _, m := range req.Messages {
		w.message(m)
	}
	w.out = append(w.out, ']')
	for i, tool := range req.Tools {
		if i == 0 {
			w.out = append(w.out, `,"tools":[`...)
		} else {
			w.out = append(w.out, ',')
		}
		w.out = appendTool(w.out, tool)
		if i == len(req.Tools)-1 {
			w.out = append(w.out, ']')
		}
	}
	w.limit(req.MaxTokens)
	w.out = append(w.out, `,"stream":true`...)
	if !without[optionsKey] {
		w.out = append(w.out, `,"stream_options":{"include_usage":true}`...)
		w.optional = append(w.optional, optionsKey)
	}
	slices.Sort(w.optional)
	return append(w.out, '}'), slices.Compact(w.optional)
}

// estimate is about how long the body becomes, so that it is allocated once.
func estimate(req Request) int {
	n := 1024 + len(req.System)
	for _, m := range req.Messages {
		n += 128 + len(m.Content) + len(m.Content)/16
		for _, b := range m.Blocks {
			n += len(b)
		}
		if len(m.Blocks) == 0 {
			for _, c := range m.ToolCalls {
				n += 128 + len(c.Arguments)*5/4
			}
		}
	}
	for _, t := range req.Tools {
		n += 128 + len(t.Description)*9/8 + len(t.Parameters)
	}
	return n
}

type bodyWriter struct {
	out      []byte
	rows     int
	without  map[string]bool
	optional []string
}

// limit bounds the answer.
func (w *bodyWriter) limit(tokens int) {
	if tokens <= 0 {
		return
	}
	key := newLimitKey
	if !w.without[limitKey] {
		key = limitKey
		w.optional = append(w.optional, limitKey)
	}
	w.out = append(appendString(append(w.out, ','), key), ':')
	w.out = strconv.AppendInt(w.out, int64(tokens), 10)
}

func (w *bodyWriter) next() {
	if w.rows++; w.rows > 1 {
		w.out = append(w.out, ',')
	}
}

func (w *bodyWriter) row(start, content string) {
	w.next()
	w.out = append(appendString(append(w.out, start...), content), '}')
}

func (w *bodyWriter) message(m message.Message) {
	switch m.Role {
	case message.RoleSystem:
		w.row(`{"role":"system","content":`, m.Content)
	case message.RoleUser:
		w.row(`{"role":"user","content":`, m.Content)
	case message.RoleTool:
		start := append(appendString([]byte(`{"role":"tool","tool_call_id":`), m.ToolCallID), `,"content":`...)
		w.row(string(start), m.Content)
	case message.RoleAssistant:
		w.next()
		if m.Vendor == VendorOpenAI && len(m.Blocks) == 1 {
			if w.replay(m) {
				return
			}
		}
		w.out = appendAssistant(w.out, m, w.without[noReasoning])
	}
}

// appendAssistant writes an assistant row from the neutral view alone. echo
// gives a row with calls the reasoning it does not have.
func appendAssistant(dst []byte, m message.Message, echo bool) []byte {
	dst = append(dst, `{"role":"assistant","content":`...)
	if m.Content == "" && len(m.ToolCalls) > 0 {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, m.Content)
	}
	if len(m.ToolCalls) > 0 {
		if echo {
			dst = append(dst, `,"reasoning_content":" "`...)
		}
		dst = appendCalls(append(dst, `,"tool_calls":`...), m.ToolCalls, nil)
	}
	return append(dst, '}')
}

// replay writes the stored assistant message. Where its calls are still those
// of the row, the stored bytes are copied; after a split the calls are written
// again and everything else is copied. It reports false, having written
// nothing, for a block that is not a JSON object.
func (w *bodyWriter) replay(m message.Message) bool {
	// The block comes from a file; half a row must not spoil the request.
	if !json.Valid(m.Blocks[0]) {
		return false
	}
	ms, err := members(m.Blocks[0])
	if err != nil {
		return false
	}
	stored, err := storedCalls(find(ms, callsKey))
	if err != nil {
		return false
	}
	same := slices.EqualFunc(stored, m.ToolCalls, storedCall.says)
	refused := false
	for _, f := range ms {
		if isOptional(f) {
			w.optional = append(w.optional, f.key)
			refused = refused || w.without[f.key]
		}
	}
	echo := w.without[noReasoning] && len(m.ToolCalls) > 0 && isNull(find(ms, reasoningKey))
	if same && !refused && !echo {
		w.out = append(w.out, m.Blocks[0]...)
		return true
	}
	kept := ms[:0:0]
	placed := same
	for _, f := range ms {
		switch {
		case isOptional(f) && w.without[f.key]:
			continue
		case f.key == callsKey && !same:
			if placed || len(m.ToolCalls) == 0 {
				continue
			}
			placed = true
			f.value = appendCalls(nil, m.ToolCalls, stored)
		}
		kept = append(kept, f)
	}
	if !placed && len(m.ToolCalls) > 0 {
		kept = append(kept, member{callsKey, appendCalls(nil, m.ToolCalls, stored)})
	}
	if echo {
		kept = slices.DeleteFunc(kept, func(f member) bool { return f.key == reasoningKey })
		kept = append(kept, member{reasoningKey, json.RawMessage(`" "`)})
	}
	w.out = appendObject(w.out, kept)
	return true
}

// isOptional reports whether a field of a stored message is not part of the
// chat-completions request format, so that a strict server may refuse it.
func isOptional(f member) bool {
	switch f.key {
	case "role", "content", "name", "refusal", "audio", "function_call", callsKey:
		return false
	}
	return true
}

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
func appendCalls(dst []byte, calls []message.ToolCall, stored []storedCall) []byte {
	dst = append(dst, '[')
	for i, c := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		at := slices.IndexFunc(stored, func(s storedCall) bool { return s.call.ID == c.ID })
		switch {
		case at < 0:
			dst = appendCall(dst, c)
		case stored[at].says(c):
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

func appendTool(dst []byte, tool message.ToolDef) []byte {
	dst = appendString(append(dst, `{"type":"function","function":{"name":`...), tool.Name)
	if tool.Description != "" {
		dst = appendString(append(dst, `,"description":`...), tool.Description)
	}
	dst = append(dst, `,"parameters":`...)
	if isObject(tool.Parameters) {
		dst = append(dst, tool.Parameters...)
	} else {
		dst = append(dst, `{"type":"object","properties":{}}`...)
	}
	return append(dst, `}}`...)
}
