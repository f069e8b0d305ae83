package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
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
	var wire struct {
		ResultType json.RawMessage `json:"resultType"`
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    json.RawMessage `json:"isError"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return Result{}, fmt.Errorf("reading the result: %w", err)
	}
	kind, failed := "", false
	switch string(wire.IsError) {
	case "", "false", "null":
	default:
		// What is neither true nor false is no success.
		failed = true
	}
	if len(wire.ResultType) > 0 && json.Unmarshal(wire.ResultType, &kind) != nil {
		kind = string(wire.ResultType)
	}
	switch kind {
	case "", "complete":
	case "input_required":
		return Result{Blocks: raw, IsError: true, Content: "The server asked for more input, which it is not given here."}, nil
	default:
		return Result{Blocks: raw, IsError: true, Content: fmt.Sprintf("The server answered with a result of type %q, which is not supported.", kind)}, nil
	}
	parts, texts := describeAll(wire.Content)
	if structured := bytes.TrimSpace(wire.Structured); len(structured) > 0 && string(structured) != "null" && !repeats(structured, texts) {
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
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) != nil {
		if len(content) == 0 || string(content) == "null" {
			return nil, nil
		}
		var alone string
		if json.Unmarshal(content, &alone) == nil {
			return []string{alone}, []string{alone}
		}
		// A single block without its list is read as a list of one.
		blocks = []json.RawMessage{content}
	}
	for _, raw := range blocks {
		var b block
		if err := json.Unmarshal(raw, &b); err != nil || !b.known() {
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
	var value any
	if decodeExact(structured, &value) != nil {
		return false
	}
	if object, ok := value.(map[string]any); ok && len(object) == 1 {
		for _, member := range object {
			if member == strings.Join(texts, "\n") {
				return true
			}
		}
	}
	for _, text := range texts {
		var other any
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
