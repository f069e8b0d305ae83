package provider

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"strings"

	"hermes/backend/message"
)

// VendorAnthropic is the value of Turn.Vendor and message.Message.Vendor for
// the Anthropic messages format, also through Bedrock: each of Blocks is one
// raw content block, in order.
const VendorAnthropic = "anthropic"

// cacheKey marks where the vendor may cut its prompt cache.
const cacheKey = "cache_control"

const (
	// maxMarkers is how many blocks of messages carry a marker; the vendor
	// takes four in all, and one belongs to the system prompt and the tools.
	maxMarkers = 3
	// unknownOutput bounds the answer of a model nothing is known about.
	unknownOutput = 8192
	// longestOutput is as much as is asked for unasked: a bound above it makes
	// vendors reserve room that no turn needs.
	longestOutput = 32000
)

// messagesOptions is what the ways to a model that speaks Anthropic messages
// differ in.
type messagesOptions struct {
	// version is the anthropic_version of a body that has no header to carry
	// it (Bedrock). The address then names the model and says that the answer
	// is streamed, so both keys are left out.
	version string
	// cache is how long a marked prefix is kept, "5m" or "1h"; "" marks none.
	cache string
	// without names optional fields the server has refused.
	without map[string]bool
	// dead are the thinking blocks whose signature was refused. They stay
	// stored and are not sent.
	dead map[blockSum]bool
	// effort is the level of reasoning to ask for, "" for none; plain asks for none
	// between calls, where a model needs a word for that.
	effort string
	plain  bool
}

// blockSum is the SHA-256 of a block.
type blockSum [sha256.Size]byte

// messagesRequest is a written body. optional lists the optional fields in it,
// thinking the signed blocks.
type messagesRequest struct {
	raw      []byte
	optional []string
	thinking []blockSum
	// asked is how the level of reasoning stands in the body.
	asked thinking
}

// writeMessages writes a request of the Anthropic messages format. It is
// written here for the reason of body: stored blocks are sent as they came.
// Messages of another vendor are written from their neutral view, so that a
// conversation can change its model; the thinking of the other one is not sent.
func writeMessages(req Request, o messagesOptions) messagesRequest {
	w := messagesWriter{options: o}
	w.conversation(req.Messages)
	marker := w.marker()
	w.mark(marker)

	out := make([]byte, 0, estimate(req))
	if o.version == "" {
		out = appendString(append(out, `{"model":`...), req.Model)
	} else {
		out = appendString(append(out, `{"anthropic_version":`...), o.version)
	}
	asked := thinkingFor(req.Model, o.effort, outputBound(req))
	asked.interleaved = asked.interleaved && !o.plain && len(req.Tools) > 0
	if asked.interleaved && o.version != "" {
		out = append(appendString(append(out, `,"anthropic_beta":[`...), interleavedBeta), ']')
	}
	out = append(out, `,"max_tokens":`...)
	out = strconv.AppendInt(out, int64(cmp.Or(asked.output, outputBound(req))), 10)
	out = append(out, asked.members...)
	if system := req.System; strings.TrimSpace(system) != "" {
		out = appendString(append(out, `,"system":[{"type":"text","text":`...), system)
		out = append(append(out, marker...), `}]`...)
		// What the vendor reads first are the tools: the mark after the system
		// prompt covers them.
		out = appendMessagesTools(out, req.Tools, "")
	} else {
		out = appendMessagesTools(out, req.Tools, marker)
	}
	out = append(out, `,"messages":[`...)
	for i, row := range w.rows {
		if i > 0 {
			out = append(out, ',')
		}
		out = row.append(out)
	}
	out = append(out, ']')
	if o.version == "" {
		out = append(out, `,"stream":true`...)
	}
	written := messagesRequest{raw: append(out, '}'), thinking: w.thinking, asked: asked}
	if marker != "" {
		written.optional = []string{cacheKey}
	}
	return written
}

// outputBound is max_tokens, which the format requires.
func outputBound(req Request) int {
	if req.MaxTokens > 0 {
		return req.MaxTokens
	}
	if facts, known := Facts(req.Model); known && facts.MaxOutput > 0 {
		return min(facts.MaxOutput, longestOutput)
	}
	return unknownOutput
}

func appendMessagesTools(dst []byte, tools []message.ToolDef, marker string) []byte {
	if len(tools) == 0 {
		return dst
	}
	dst = append(dst, `,"tools":[`...)
	for i, tool := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"name":`...), tool.Name)
		if tool.Description != "" {
			dst = appendString(append(dst, `,"description":`...), tool.Description)
		}
		dst = appendInputSchema(append(dst, `,"input_schema":`...), tool.Parameters)
		if i == len(tools)-1 {
			dst = append(dst, marker...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// appendInputSchema copies a schema; the format wants its "type" said.
func appendInputSchema(dst []byte, schema json.RawMessage) []byte {
	ms, err := members(schema)
	switch {
	case err != nil:
		return append(dst, `{"type":"object","properties":{}}`...)
	case find(ms, "type") == nil:
		return appendObject(dst, append([]member{{"type", json.RawMessage(`"object"`)}}, ms...))
	}
	return append(dst, schema...)
}

// wireRow is one message as it is sent.
type wireRow struct {
	role   message.Role
	blocks []wireBlock
}

// wireBlock is one content block; only one that was written here may carry a
// marker, a vendor's own keeps its bytes.
type wireBlock struct {
	raw    []byte
	ours   bool
	marker string
}

func (r wireRow) append(dst []byte) []byte {
	dst = appendString(append(dst, `{"role":`...), string(r.role))
	dst = append(dst, `,"content":[`...)
	for i, b := range r.blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		if b.marker == "" {
			dst = append(dst, b.raw...)
			continue
		}
		dst = append(append(dst, b.raw[:len(b.raw)-1]...), b.marker...)
		dst = append(dst, '}')
	}
	return append(dst, `]}`...)
}

// marker is the member that marks a block, with the comma before it.
func (w *messagesWriter) marker() string {
	if w.options.without[cacheKey] {
		return ""
	}
	return cacheMarker(w.options.cache)
}

// cacheMarker marks a prefix that is kept so long; "" marks none.
func cacheMarker(cache string) string {
	switch cache {
	case "":
		return ""
	case "1h":
		return `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
	}
	return `,"cache_control":{"type":"ephemeral"}`
}

// mark sets the marks of the last messages. They stand on what the program
// wrote itself, results and the user's text: a vendor's blocks are never
// touched, and the mark of the pass before is found again.
func (w *messagesWriter) mark(marker string) {
	left := maxMarkers
	for i := len(w.rows) - 1; i >= 0 && left > 0 && marker != ""; i-- {
		blocks := w.rows[i].blocks
		if last := &blocks[len(blocks)-1]; w.rows[i].role == message.RoleUser && last.ours {
			last.marker = marker
			left--
		}
	}
}
