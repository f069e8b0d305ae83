package store

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"hermes/backend/message"
)

// Export is a session as JSON: the messages in order in the chat-completions
// shape, with the status of results, the targets of calls and the vendor's raw
// blocks, whose bytes are the stored ones (DESIGN section 4).
func (s *Store) Export(ctx context.Context, session string) ([]byte, error) {
	describe, err := s.Session(ctx, session)
	if err != nil {
		return nil, err
	}
	rows, err := s.Messages(ctx, session)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(`{"session":`)
	writeJSON(&out, describe.ID)
	for _, field := range []struct{ key, value string }{
		{"title", describe.Title}, {"source", describe.Source}, {"model", describe.Model},
		{"created", describe.Created.Format(time.RFC3339)}, {"updated", describe.Updated.Format(time.RFC3339)},
	} {
		writeField(&out, field.key, field.value)
	}
	out.WriteString(`,"messages":[`)
	for i, row := range rows {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		writeMessage(&out, row)
	}
	out.WriteString("\n]}\n")
	return out.Bytes(), nil
}

func writeMessage(out *bytes.Buffer, row message.Message) {
	out.WriteString(`{"role":`)
	writeJSON(out, row.Role)
	writeField(out, "content", row.Content)
	if len(row.ToolCalls) > 0 {
		out.WriteString(`,"tool_calls":[`)
		for i, call := range row.ToolCalls {
			if i > 0 {
				out.WriteByte(',')
			}
			writeCall(out, call)
		}
		out.WriteByte(']')
	}
	for _, field := range []struct{ key, value string }{
		{"tool_call_id", row.ToolCallID}, {"name", row.ToolName}, {"status", string(row.Status)}, {"vendor", row.Vendor},
	} {
		if field.value != "" {
			writeField(out, field.key, field.value)
		}
	}
	if len(row.Blocks) > 0 {
		out.WriteString(`,"blocks":[`)
		for i, block := range row.Blocks {
			if i > 0 {
				out.WriteByte(',')
			}
			if json.Valid(block) {
				out.Write(block)
			} else {
				writeJSON(out, string(block))
			}
		}
		out.WriteByte(']')
	}
	out.WriteByte('}')
}

func writeCall(out *bytes.Buffer, call message.ToolCall) {
	out.WriteString(`{"id":`)
	writeJSON(out, call.ID)
	out.WriteString(`,"type":"function","function":{"name":`)
	writeJSON(out, call.Name)
	writeField(out, "arguments", call.Arguments)
	out.WriteByte('}')
	if call.Target != (message.Target{}) {
		out.WriteString(`,"target":`)
		writeJSON(out, call.Target)
	}
	out.WriteByte('}')
}

func writeField(out *bytes.Buffer, key, value string) {
	out.WriteByte(',')
	writeJSON(out, key)
	out.WriteByte(':')
	writeJSON(out, value)
}

// writeJSON writes text as it is: no escapes for HTML. Strings and structs of
// strings always encode.
func writeJSON(out *bytes.Buffer, value any) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value)
	out.Truncate(out.Len() - 1) // the encoder's line end
}
