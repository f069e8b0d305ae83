package store

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Mask takes out of stored texts what is not to be shown: Text of a whole one, Cut of
// one that was cut, such as a title. The zero value leaves them as they are stored.
type Mask struct{ Text, Cut func(string) string }

func (m Mask) cut(text string) string {
	if m.Cut == nil {
		return text
	}
	return m.Cut(text)
}

// masked is a row whose texts are as mask leaves them, nil as they are.
func (r Row) masked(mask func(string) string) Row {
	if mask == nil {
		return r
	}
	r.Content, r.ToolCallID, r.ToolName = mask(r.Content), mask(r.ToolCallID), mask(r.ToolName)
	r.ToolCalls = slices.Clone(r.ToolCalls)
	for i := range r.ToolCalls {
		call := &r.ToolCalls[i]
		call.ID, call.Name, call.Arguments = mask(call.ID), mask(call.Name), mask(call.Arguments)
		call.Target.Name, call.Target.Tool = mask(call.Target.Name), mask(call.Target.Tool)
	}
	r.Blocks = slices.Clone(r.Blocks)
	for i, block := range r.Blocks {
		r.Blocks[i] = maskedBlock(block, mask)
	}
	return r
}

// maskedBlock masks every string of a block and leaves all other bytes. One that is no
// JSON is one text.
func maskedBlock(block []byte, mask func(string) string) []byte {
	if !json.Valid(block) {
		return []byte(mask(string(block)))
	}
	var out bytes.Buffer
	for done := 0; ; {
		from := bytes.IndexByte(block[done:], '"')
		if from < 0 {
			out.Write(block[done:])
			return out.Bytes()
		}
		from += done
		to := from + 1
		for block[to] != '"' {
			if block[to] == '\\' {
				to++
			}
			to++
		}
		to++
		out.Write(block[done:from])
		done = to
		text := ""
		// Every string of a valid block is one.
		_ = json.Unmarshal(block[from:to], &text)
		if now := mask(text); now != text {
			writeJSON(&out, now)
		} else {
			out.Write(block[from:to])
		}
	}
}
