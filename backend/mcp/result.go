package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Result is what a call came back with. Content is the text for the model;
// Blocks are the exact bytes of the whole result; IsError is the server's word
// that the tool failed.
type Result struct {
	Content string
	Blocks  json.RawMessage
	IsError bool
}

// block is a content block of any kind, read loosely: an unknown kind is named,
// never fatal.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	MIMEType string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Blob     string `json:"blob"`
	} `json:"resource"`
}

// readResult turns the raw result of tools/call into a Result.
func readResult(raw json.RawMessage) (Result, error) {
	if !json.Valid(raw) {
		return Result{}, errors.New("reading the result: it is not JSON")
	}
	wire, ok := membersOf(raw)
	if !ok && string(bytes.TrimSpace(raw)) != "null" {
		return Result{}, errors.New("reading the result: it is no object")
	}
	resultType, structured := lastOf(wire, "resultType"), lastOf(wire, "structuredContent")
	kind, failed := "", false
	switch string(lastOf(wire, "isError")) {
	case "", "false", "null":
	default:
		// What is neither true nor false is no success.
		failed = true
	}
	if len(resultType) > 0 && json.Unmarshal(resultType, &kind) != nil {
		kind = string(resultType)
	}
	switch kind {
	case "", "complete":
	case "input_required":
		return Result{Blocks: raw, IsError: true, Content: "The server asked for more input, which it is not given here."}, nil
	default:
		return Result{Blocks: raw, IsError: true, Content: fmt.Sprintf("The server answered with a result of type %q, which is not supported.", kind)}, nil
	}
	parts, texts := describeAll(lastOf(wire, "content"))
	if len(structured) > 0 && string(structured) != "null" && !repeats(structured, texts) {
		parts = append(parts, string(structured))
	}
	content := strings.Join(parts, "\n")
	if failed && content == "" {
		content = "The server reported an error and did not say which."
	}
	return Result{Content: content, Blocks: raw, IsError: failed}, nil
}

// describeAll returns every block as text, and the plain text blocks alone.
func describeAll(content json.RawMessage) (parts, texts []string) {
	blocks, list := partsOf(content, '[')
	if !list {
		if len(content) == 0 || string(content) == "null" {
			return nil, nil
		}
		if alone, ok := textOf(content); ok {
			return []string{alone}, []string{alone}
		}
		// A single block without its list is read as a list of one.
		blocks = []json.RawMessage{content}
	}
	for _, raw := range blocks {
		b, err := readBlock(raw)
		if err != nil || !b.known() {
			parts = append(parts, unknownBlock(b.Type, raw))
			continue
		}
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
		parts = append(parts, b.describe())
	}
	return parts, texts
}

// readBlock reads one block. A long plain text is taken out by itself.
func readBlock(raw json.RawMessage) (block, error) {
	var b block
	const long = 64 << 10
	if len(raw) > long {
		members, _ := membersOf(raw)
		for _, m := range members {
			switch value, ok := textOf(m.value); {
			case !ok && (m.key == "annotations" || m.key == "_meta"):
			case ok && m.key == "type":
				b.Type = value
			case ok && m.key == "text":
				b.Text = value
			default:
				b.Type = ""
				members = nil
			}
			if members == nil {
				break
			}
		}
		if members != nil && b.Type == "text" {
			return b, nil
		}
		b = block{}
	}
	err := json.Unmarshal(raw, &b)
	return b, err
}

// describe is the block as text: pictures and sound are named with their size.
func (b block) describe() string {
	switch b.Type {
	case "text":
		return b.Text
	case "image", "audio":
		return fmt.Sprintf("[%s %s, %d bytes, not shown]", b.Type, orUnknown(b.MIMEType), base64.StdEncoding.DecodedLen(len(b.Data)))
	case "resource_link":
		return fmt.Sprintf("[resource %s %s]", b.Name, b.URI)
	case "resource":
		if b.Resource.Text != "" || b.Resource.Blob == "" {
			return fmt.Sprintf("[resource %s]\n%s", b.Resource.URI, b.Resource.Text)
		}
		return fmt.Sprintf("[resource %s %s, %d bytes, not shown]", b.Resource.URI, orUnknown(b.Resource.MIMEType),
			base64.StdEncoding.DecodedLen(len(b.Resource.Blob)))
	}
	return ""
}

// known tells a kind of block that describe has words for.
func (b block) known() bool {
	switch b.Type {
	case "text", "image", "audio", "resource", "resource_link":
		return true
	}
	return false
}

// maxUnknown bounds what is shown of a block of an unknown kind, in bytes.
const maxUnknown = 2000

// unknownBlock shows a block as it was sent: it may be of a kind that is newer
// than this program.
func unknownBlock(kind string, raw json.RawMessage) string {
	text := string(raw)
	if len(text) > maxUnknown {
		text = strings.ToValidUTF8(text[:maxUnknown], "") + " ..."
	}
	if kind == "" {
		return fmt.Sprintf("[content that cannot be read, %d bytes: %s]", len(raw), text)
	}
	return fmt.Sprintf("[content of the unknown type %q, %d bytes: %s]", kind, len(raw), text)
}

func orUnknown(kind string) string {
	if kind == "" {
		return "of unknown type"
	}
	return kind
}

// repeats tells whether the structured content only says again what the text
// blocks hold: the same as JSON, as the specification asks of servers, or the
// text itself as the one member of an object, as the reference servers do.
func repeats(structured json.RawMessage, texts []string) bool {
	joined := strings.Join(texts, "\n")
	if object, ok := membersOf(structured); ok && len(object) == 1 {
		if text, ok := textOf(object[0].value); ok && text == joined {
			return true
		}
	}
	var value any
	for _, text := range texts {
		if !json.Valid([]byte(text)) {
			continue
		}
		if sameJSON(structured, []byte(text)) {
			return true
		}
		var other any
		if value == nil && decodeExact(structured, &value) != nil {
			return false
		}
		if decodeExact([]byte(text), &other) == nil && reflect.DeepEqual(value, other) {
			return true
		}
	}
	return false
}

// decodeExact keeps numbers as they are written.
func decodeExact(data []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if decoder.More() {
		return fmt.Errorf("more than one value")
	}
	return nil
}
