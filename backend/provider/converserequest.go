package provider

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"hermes/backend/message"
)

// VendorBedrock is the value of Turn.Vendor and message.Message.Vendor for the
// Converse format of Amazon Bedrock: each of Blocks is one raw content block, in
// order. Anthropic models on Bedrock use VendorAnthropic.
const VendorBedrock = "bedrock"

// The parts of a Converse request that not every model takes, by the names a
// Memory keeps them under.
const (
	converseCache  = "cachePoint"
	converseSystem = "system"
	converseStream = "stream"
)

const (
	cachePoint = `{"cachePoint":{"type":"default"}}`
	// maxConverseID and maxConverseName are the format's bounds of toolUseId and
	// of a tool's name.
	maxConverseID   = 64
	maxConverseName = 64
)

// converseOptions is what is known of a model before it is asked.
type converseOptions struct {
	cache   bool // mark the prefix where the model takes marks
	without map[string]bool
	effort  []byte // the member that asks for a level of reasoning, with its comma
}

// writeConverse writes the body of a Converse request and lists the optional
// parts in it. It is written here and not by the SDK because its types replace a
// block they do not know by a copy of the one before it, and sort the keys of a
// tool's input.
func writeConverse(req Request, o converseOptions) (out []byte, optional []string) {
	w := converseWriter{model: strings.ToLower(req.Model), without: o.without}
	system := req.System
	for _, m := range req.Messages {
		if m.Role == message.RoleSystem && !isBlank(m.Content) {
			system = strings.TrimPrefix(system+"\n\n"+m.Content, "\n\n")
		}
	}
	if !isBlank(system) && o.without[converseSystem] {
		w.text(message.RoleUser, system)
	}
	w.conversation(req.Messages)
	optional = append(w.kinds, converseStream)
	mark := o.cache && !o.without[converseCache] && takesCachePoints(w.model)
	if mark {
		w.mark()
		optional = append(optional, converseCache)
	}

	out = append(make([]byte, 0, estimate(req)), `{"messages":[`...)
	for i, row := range w.rows {
		if i > 0 {
			out = append(out, ',')
		}
		out = row.append(out)
	}
	out = append(out, ']')
	if !isBlank(system) && !o.without[converseSystem] {
		optional = append(optional, converseSystem)
		out = append(appendString(append(out, `,"system":[{"text":`...), system), '}')
		if mark {
			out = append(append(out, ','), cachePoint...)
		}
		out = append(out, ']')
	}
	if req.MaxTokens > 0 {
		out = strconv.AppendInt(append(out, `,"inferenceConfig":{"maxTokens":`...), int64(req.MaxTokens), 10)
		out = append(out, '}')
	}
	out = append(out, o.effort...)
	return append(w.tools(out, req.Tools), '}'), optional
}

// takesCachePoints reports whether a model takes marks in system prompt and
// messages (the table "Supported models" of Bedrock's prompt caching). Marks
// between tools are left out: Nova takes none.
func takesCachePoints(model string) bool { return strings.Contains(model, "amazon.nova") }

// takesStatus reports whether a model takes the status of a tool's result.
func takesStatus(model string) bool { return strings.Contains(model, "amazon.nova") }

// converseWriter turns stored rows into messages as messagesWriter does, in the
// other format.
type converseWriter struct {
	model   string
	without map[string]bool
	rows    []wireRow
	named   []string // tools the conversation has called
	kinds   []string // stored blocks that a model may refuse
}

func (w *converseWriter) conversation(rows []message.Message) {
	for i := 0; i < len(rows); {
		m := rows[i]
		i++
		switch m.Role {
		case message.RoleAssistant:
			results := i
			for i < len(rows) && rows[i].Role == message.RoleTool {
				i++
			}
			w.results(w.assistant(m), rows[results:i])
		case message.RoleTool:
			w.stray(m)
		case message.RoleUser:
			w.text(message.RoleUser, m.Content)
		}
	}
}

// add appends blocks to the message of that role: roles have to alternate, and
// the first message has to be the user's.
func (w *converseWriter) add(role message.Role, blocks ...wireBlock) {
	switch {
	case len(blocks) == 0:
		return
	case len(w.rows) == 0 && role == message.RoleAssistant:
		w.text(message.RoleUser, goingOn)
	case len(w.rows) > 0 && w.rows[len(w.rows)-1].role == role:
		last := &w.rows[len(w.rows)-1]
		last.blocks = append(last.blocks, blocks...)
		return
	}
	w.rows = append(w.rows, wireRow{role, blocks})
}

func (w *converseWriter) text(role message.Role, s string) {
	if isBlank(s) {
		s = noText
	}
	w.add(role, wireBlock{raw: converseText(s), ours: true})
}

func converseText(s string) []byte {
	return append(appendString([]byte(`{"text":`), s), '}')
}

// assistant writes an answer and returns the calls in it.
func (w *converseWriter) assistant(m message.Message) []wireCall {
	calls := make([]wireCall, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		calls[i] = wireCall{c.ID, c.ID}
		w.named = append(w.named, c.Name)
	}
	if m.Vendor == VendorBedrock {
		if blocks, ok := w.replay(m); ok {
			w.add(message.RoleAssistant, blocks...)
			return calls
		}
	}
	if !isBlank(m.Content) {
		w.text(message.RoleAssistant, m.Content)
	}
	for i, c := range m.ToolCalls {
		calls[i].sent = converseID(c.ID)
		w.add(message.RoleAssistant, wireBlock{raw: converseUse(calls[i].sent, c), ours: true})
	}
	return calls
}

// replay gives the stored blocks as they are. It reports false for what is no
// block and for calls that are not those of the row. Blank text, which models
// send and the service refuses, is left out, and so is a kind of block that the
// model has refused before: many do not take back the reasoning they send.
func (w *converseWriter) replay(m message.Message) (blocks []wireBlock, ok bool) {
	var ids, kinds []string
	for _, raw := range m.Blocks {
		if !json.Valid(raw) {
			return nil, false
		}
		ms, err := members(raw)
		if err != nil || len(ms) != 1 {
			return nil, false
		}
		switch ms[0].key {
		case "text":
			if isBlank(text(ms[0].value)) {
				continue
			}
		case "toolUse":
			use, err := members(ms[0].value)
			if err != nil {
				return nil, false
			}
			ids = append(ids, text(find(use, "toolUseId")))
		default:
			if w.without[ms[0].key] {
				continue
			}
			kinds = append(kinds, ms[0].key)
		}
		blocks = append(blocks, wireBlock{raw: raw})
	}
	same := slices.EqualFunc(ids, m.ToolCalls, func(id string, c message.ToolCall) bool { return id == c.ID })
	if ok = same && len(m.Blocks) > 0; ok {
		w.kinds = append(w.kinds, kinds...)
	}
	return blocks, ok
}

func converseUse(id string, c message.ToolCall) []byte {
	out := appendString([]byte(`{"toolUse":{"toolUseId":`), id)
	out = appendString(append(out, `,"name":`...), converseName(c.Name))
	return append(append(append(out, `,"input":`...), inputObject(c.Arguments)...), `}}`...)
}

// converseID is an id the format takes, always the same for the same one.
func converseID(id string) string {
	if len(id) > maxConverseID {
		return message.DeterministicCallID(id, "", 0)
	}
	return wireID(id)
}

func converseName(name string) string {
	name = wireName(name)
	return name[:min(len(name), maxConverseName)]
}

// results answers the calls in their order, each exactly once.
func (w *converseWriter) results(calls []wireCall, rows []message.Message) {
	used := make([]bool, len(rows))
	for _, c := range calls {
		row := message.Message{Content: noResult, Status: message.StatusUnknown}
		for i := range rows {
			if !used[i] && rows[i].ToolCallID == c.stored {
				row, used[i] = rows[i], true
				break
			}
		}
		w.add(message.RoleUser, wireBlock{raw: w.result(c.sent, row), ours: true})
	}
	for i, row := range rows {
		if !used[i] {
			w.stray(row)
		}
	}
}

func (w *converseWriter) result(id string, row message.Message) []byte {
	content := row.Content
	if isBlank(content) {
		content = noText
	}
	out := appendString([]byte(`{"toolResult":{"toolUseId":`), id)
	out = append(append(append(out, `,"content":[`...), converseText(content)...), ']')
	if row.Status != "" && row.Status != message.StatusOK && takesStatus(w.model) {
		out = append(out, `,"status":"error"`...)
	}
	return append(out, `}}`...)
}

// stray writes a result whose call is not in the message before it, which the
// service refuses as a result.
func (w *converseWriter) stray(row message.Message) {
	w.text(message.RoleUser, "Result of an earlier call of "+wireName(row.ToolName)+": "+row.Content)
}

// mark puts cache points behind the last messages of the user's side.
func (w *converseWriter) mark() {
	left := maxMarkers
	for i := len(w.rows) - 1; i >= 0 && left > 0; i-- {
		if w.rows[i].role == message.RoleUser {
			w.rows[i].blocks = append(w.rows[i].blocks, wireBlock{raw: []byte(cachePoint), ours: true})
			left--
		}
	}
}

// tools writes what is on offer. A conversation with calls in it is refused
// without a list, so a pass that offers nothing names what was called before.
func (w *converseWriter) tools(dst []byte, offered []message.ToolDef) []byte {
	if len(offered) == 0 {
		slices.Sort(w.named)
		for _, name := range slices.Compact(w.named) {
			offered = append(offered, message.ToolDef{Name: converseName(name), Description: "No longer available."})
		}
	}
	for i, tool := range offered {
		if i == 0 {
			dst = append(dst, `,"toolConfig":{"tools":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"toolSpec":{"name":`...), tool.Name)
		if tool.Description != "" {
			dst = appendString(append(dst, `,"description":`...), tool.Description)
		}
		dst = append(appendInputSchema(append(dst, `,"inputSchema":{"json":`...), tool.Parameters), `}}}`...)
		if i == len(offered)-1 {
			dst = append(dst, `]}`...)
		}
	}
	return dst
}
