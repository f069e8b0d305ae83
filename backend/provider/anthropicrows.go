package provider

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"hermes/backend/message"
)

// messagesWriter turns stored rows into messages: user and assistant in turn,
// every call answered in the message after it.
type messagesWriter struct {
	options  messagesOptions
	rows     []wireRow
	thinking []blockSum
}

// The words that keep a damaged or foreign history in the form the vendor
// wants.
const (
	noText     = "(no text)"
	noResult   = "No result of this call was recorded. Whether it took effect is not known."
	goingOn    = "(The conversation goes on.)"
	maxName    = 128
	brokenJSON = "INVALID_JSON" // the key the vendor's documentation names for input it cannot parse
)

func (w *messagesWriter) conversation(rows []message.Message) {
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
		default:
			w.text(message.RoleUser, m.Content)
		}
	}
}

// add appends blocks to the message of that role.
func (w *messagesWriter) add(role message.Role, blocks ...wireBlock) {
	switch {
	case len(blocks) == 0:
		return
	case len(w.rows) == 0 && role == message.RoleAssistant:
		w.text(message.RoleUser, goingOn) // the first message has to be the user's
	case len(w.rows) > 0 && w.rows[len(w.rows)-1].role == role:
		last := &w.rows[len(w.rows)-1]
		last.blocks = append(last.blocks, blocks...)
		return
	}
	w.rows = append(w.rows, wireRow{role, blocks})
}

// text adds a text block; the vendor refuses one without a visible character.
func (w *messagesWriter) text(role message.Role, s string) {
	if isBlank(s) {
		s = noText
	}
	w.add(role, wireBlock{raw: textBlock(s), ours: true})
}

func textBlock(s string) []byte {
	return append(appendString([]byte(`{"type":"text","text":`), s), '}')
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// wireCall is a call with the id it has in the row and the one it is sent with.
type wireCall struct{ stored, sent string }

// assistant writes an answer and returns the calls in it.
func (w *messagesWriter) assistant(m message.Message) []wireCall {
	if m.Vendor == VendorAnthropic {
		if blocks, thinking, ok := w.replay(m); ok {
			w.thinking = append(w.thinking, thinking...)
			w.add(message.RoleAssistant, blocks...)
			calls := make([]wireCall, len(m.ToolCalls))
			for i, c := range m.ToolCalls {
				calls[i] = wireCall{c.ID, c.ID}
			}
			return calls
		}
	}
	if !isBlank(m.Content) {
		w.text(message.RoleAssistant, m.Content)
	}
	calls := make([]wireCall, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		calls[i] = wireCall{c.ID, wireID(c.ID)}
		w.add(message.RoleAssistant, wireBlock{raw: useBlock(calls[i].sent, c), ours: true})
	}
	return calls
}

// replay gives the stored blocks as they are. It reports false for blocks that
// are no blocks, and for calls that are not those of the row: such a row is
// written from its neutral view, because one broken row would make every
// request of the session fail. Blank text, which the vendor sends but does not
// take, and thinking it has refused before are left out.
func (w *messagesWriter) replay(m message.Message) (blocks []wireBlock, thinking []blockSum, ok bool) {
	var ids []string
	for _, raw := range m.Blocks {
		if !json.Valid(raw) {
			return nil, nil, false
		}
		ms, err := members(raw)
		if err != nil {
			return nil, nil, false
		}
		switch text(find(ms, "type")) {
		case blockText:
			if isBlank(text(find(ms, "text"))) {
				continue
			}
		case blockUse:
			ids = append(ids, text(find(ms, "id")))
		case blockThinking, blockRedacted:
			sum := blockSum(sha256.Sum256(raw))
			if w.options.dead[sum] {
				continue
			}
			thinking = append(thinking, sum)
		}
		blocks = append(blocks, wireBlock{raw: raw})
	}
	same := slices.EqualFunc(ids, m.ToolCalls, func(id string, c message.ToolCall) bool { return id == c.ID })
	return blocks, thinking, same && len(m.Blocks) > 0
}

// useBlock writes a call of another vendor.
func useBlock(id string, c message.ToolCall) []byte {
	out := appendString([]byte(`{"type":"tool_use","id":`), id)
	out = appendString(append(out, `,"name":`...), wireName(c.Name))
	return append(append(append(out, `,"input":`...), inputObject(c.Arguments)...), '}')
}

// inputObject is the arguments as the object the format requires. What the
// model wrote stays readable for it when it is none.
func inputObject(arguments string) []byte {
	raw := []byte(arguments)
	switch {
	case isBlank(arguments):
		return []byte("{}")
	case json.Valid(raw) && isObject(raw[skipSpace(raw, 0):]):
		return raw
	}
	out := append(appendString([]byte("{"), brokenJSON), ':')
	return append(appendString(out, arguments), '}')
}

// wireID is an id the format takes. One it does not take becomes another that
// is always the same: ids are part of the prefix vendors cache.
func wireID(id string) string {
	if id != "" && wireName(id) == id {
		return id
	}
	return message.DeterministicCallID(id, "", 0)
}

// wireName makes a name fit ^[a-zA-Z0-9_-]{1,128}$, the vendor's rule.
func wireName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "_"
	}
	return name[:min(len(name), maxName)]
}

// results answers the calls in their order, each exactly once.
func (w *messagesWriter) results(calls []wireCall, rows []message.Message) {
	used := make([]bool, len(rows))
	for _, c := range calls {
		row := message.Message{Content: noResult, Status: message.StatusUnknown}
		for i := range rows {
			if !used[i] && rows[i].ToolCallID == c.stored {
				row, used[i] = rows[i], true
				break
			}
		}
		w.add(message.RoleUser, wireBlock{raw: resultBlock(c.sent, row), ours: true})
	}
	for i, row := range rows {
		if !used[i] {
			w.stray(row)
		}
	}
}

func resultBlock(id string, row message.Message) []byte {
	out := appendString([]byte(`{"type":"tool_result","tool_use_id":`), id)
	if !isBlank(row.Content) {
		out = appendString(append(out, `,"content":`...), row.Content)
	}
	if row.Status != "" && row.Status != message.StatusOK {
		out = append(out, `,"is_error":true`...)
	}
	return append(out, '}')
}

// stray writes a result whose call is not in the message before it, which the
// vendor refuses as a result.
func (w *messagesWriter) stray(row message.Message) {
	w.text(message.RoleUser, "Result of an earlier call of "+wireName(row.ToolName)+": "+row.Content)
}
