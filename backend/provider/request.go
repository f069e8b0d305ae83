package provider

import (
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

// chatOptions is what is known of a server and asked of a model before it is asked.
// The zero value is any server of the format.
type chatOptions struct {
	// vendor is the one that is spoken to, as the configuration names it.
	vendor string
	// without names optional fields a server has refused.
	without map[string]bool
	// effort is the level of reasoning to ask for, "" for none.
	effort string
	// cache is how long a marked prefix is kept, for models of a vendor that wants
	// marks; "" marks nothing.
	cache string
	ids   idRule
}

// body writes the request. It is written here and not by an SDK because stored
// messages must be sent as they came: SDK types drop unknown fields and their
// encoders escape '<', '>' and '&'. parallel_tool_calls is left out: parallel
// calls are the default, and reasoning models refuse the parameter.
//
// The second result lists the optional fields that are in the body.
func body(req Request, o chatOptions) (out []byte, optional []string) {
	out = make([]byte, 0, estimate(req))
	out = appendString(append(out, `{"model":`...), req.Model)
	out = append(out, `,"messages":[`...)
	w := bodyWriter{out: out, without: o.without, ids: newCallIDs(o.ids, req.Messages)}
	if o.cache != "" && !o.without[cacheKey] {
		w.parts, w.marker = true, cacheMarker(o.cache)
		w.optional = append(w.optional, cacheKey)
	}
	if req.System != "" {
		w.row(`{"role":"system","content":`, req.System, true)
	}
	marked := w.marked(req.Messages)
	for i, m := range req.Messages {
		w.message(m, slices.Contains(marked, i))
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
	w.out = append(w.out, chatEffort(o.vendor, o.effort)...)
	if !o.without[optionsKey] {
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
	ids      callIDs
	// parts writes texts as lists of parts, which alone can carry the marker.
	parts  bool
	marker string
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

func (w *bodyWriter) row(start, content string, mark bool) {
	w.next()
	w.out = append(w.out, start...)
	if !w.parts || isBlank(content) {
		w.out = append(appendString(w.out, content), '}')
		return
	}
	w.out = appendString(append(w.out, `[{"type":"text","text":`...), content)
	if mark {
		w.out = append(w.out, w.marker...)
	}
	w.out = append(w.out, `}]}`...)
}

// marked are the places of the rows that carry a mark beside the system prompt's:
// the last the program wrote before an answer, and the two before those.
func (w *bodyWriter) marked(rows []message.Message) (places []int) {
	if !w.parts {
		return nil
	}
	ours := func(i int) bool {
		return i < len(rows) && (rows[i].Role == message.RoleUser || rows[i].Role == message.RoleTool)
	}
	for i := len(rows) - 1; i >= 0 && len(places) < maxMarkers; i-- {
		if ours(i) && !ours(i+1) && !isBlank(rows[i].Content) {
			places = append(places, i)
		}
	}
	return places
}

func (w *bodyWriter) message(m message.Message, mark bool) {
	switch m.Role {
	case message.RoleSystem:
		w.row(`{"role":"system","content":`, m.Content, false)
	case message.RoleUser:
		w.row(`{"role":"user","content":`, m.Content, mark)
	case message.RoleTool:
		start := append(appendString([]byte(`{"role":"tool","tool_call_id":`), w.ids.of(m.ToolCallID)), `,"content":`...)
		w.row(string(start), m.Content, mark)
	case message.RoleAssistant:
		w.next()
		if m.Vendor == VendorOpenAI && len(m.Blocks) == 1 {
			if w.replay(m) {
				return
			}
		}
		w.out = appendAssistant(w.out, m, w.without[noReasoning], w.ids)
	}
}

// appendAssistant writes an assistant row from the neutral view alone. echo
// gives a row with calls the reasoning it does not have.
func appendAssistant(dst []byte, m message.Message, echo bool, ids callIDs) []byte {
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
		dst = appendCalls(append(dst, `,"tool_calls":`...), m.ToolCalls, nil, ids)
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
	same := slices.EqualFunc(stored, m.ToolCalls, func(s storedCall, c message.ToolCall) bool {
		return s.says(c) && w.ids.of(c.ID) == c.ID
	})
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
			f.value = appendCalls(nil, m.ToolCalls, stored, w.ids)
		}
		kept = append(kept, f)
	}
	if !placed && len(m.ToolCalls) > 0 {
		kept = append(kept, member{callsKey, appendCalls(nil, m.ToolCalls, stored, w.ids)})
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
