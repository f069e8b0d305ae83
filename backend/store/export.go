package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"hermes/backend/message"
)

// Export is a session as JSON: all messages in order in the chat-completions
// shape, with the status of results, the targets of calls and the vendor's raw
// blocks, whose bytes are the stored ones (DESIGN section 4). A block that is no
// JSON is a string. A message that is compacted is not sent to a model any more:
// the next one that is a summary stands for it.
func (s *Store) Export(ctx context.Context, session string) ([]byte, error) {
	return s.ExportShown(ctx, session, Mask{})
}

// ExportShown is Export of texts as mask leaves them; of a block that it changes the
// strings alone are other ones.
func (s *Store) ExportShown(ctx context.Context, session string, mask Mask) ([]byte, error) {
	describe, err := s.Session(ctx, session)
	if err != nil {
		return nil, err
	}
	rows, err := s.Rows(ctx, session)
	if err != nil {
		return nil, err
	}
	usage, err := s.Usage(ctx, session)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(`{"session":`)
	writeJSON(&out, describe.ID)
	for _, field := range []struct{ key, value string }{
		{"title", mask.cut(describe.Title)}, {"source", describe.Source}, {"model", describe.Model},
		{"created", describe.Created.Format(time.RFC3339)}, {"updated", describe.Updated.Format(time.RFC3339)},
	} {
		writeField(&out, field.key, field.value)
	}
	writeUsage(&out, usage)
	out.WriteString(`,"messages":[`)
	for i, row := range rows {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		writeMessage(&out, row.masked(mask.Text))
	}
	out.WriteString("\n]}\n")
	return out.Bytes(), nil
}

func writeUsage(out *bytes.Buffer, usage []ModelUsage) {
	out.WriteString(`,"usage":[`)
	for i, u := range usage {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`{"model":`)
		writeJSON(out, u.Model)
		fmt.Fprintf(out, `,"input_tokens":%d,"output_tokens":%d,"cache_read_tokens":%d,"cache_write_tokens":%d`, u.Usage.InputTokens, u.Usage.OutputTokens, u.Usage.CacheRead, u.Usage.CacheWrite)
		if u.Priced {
			out.WriteString(`,"cost_usd":`)
			writeJSON(out, u.Cost)
		}
		out.WriteByte('}')
	}
	out.WriteByte(']')
}

func writeMessage(out *bytes.Buffer, row Row) {
	out.WriteString(`{"role":`)
	writeJSON(out, row.Role)
	writeField(out, "content", row.Content)
	writeField(out, "at", row.At.Format(time.RFC3339))
	if !row.Active {
		out.WriteString(`,"compacted":true`)
	}
	if row.Summary {
		out.WriteString(`,"summary":true`)
	}
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
