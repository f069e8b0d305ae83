package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/tailscale/hujson"

	"hermes/backend/policy"
)

const (
	// maxBytes bounds what is read: ~/.claude.json grows with a user's history.
	maxBytes = 32 << 20
	// maxDepth bounds nesting before a recursive parser sees it.
	maxDepth = 200
)

var errEmpty = errors.New("the file holds nothing")

// readJSON reads JSON with comments and trailing commas into a tree with lines.
// A byte order mark and a hard space pasted from a page are passed over.
func readJSON(data []byte) (*policy.Node, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(data) > maxBytes {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxBytes>>20)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errEmpty
	}
	if jsonDepth(data) > maxDepth {
		return nil, errors.New("the file is nested too deeply")
	}
	value, err := hujson.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var lines []int
	for i, c := range data {
		if c == '\n' {
			lines = append(lines, i)
		}
	}
	return jsonNode(value, lines), nil
}

// jsonDepth gives the deepest nesting outside of texts and comments.
func jsonDepth(data []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(data) && data[i+1] == '/':
			for i < len(data) && data[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(data) && data[i+1] == '*':
			end := bytes.Index(data[i+2:], []byte("*/"))
			if end < 0 {
				return deepest
			}
			i += end + 3
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

func jsonNode(v hujson.Value, lines []int) *policy.Node {
	line := 1 + sort.SearchInts(lines, v.StartOffset)
	switch value := v.Value.(type) {
	case *hujson.Object:
		n := &policy.Node{Kind: policy.KindMapping, Tag: "!!map", Line: line}
		for _, member := range value.Members {
			n.Children = append(n.Children, jsonNode(member.Name, lines), jsonNode(member.Value, lines))
		}
		return n
	case *hujson.Array:
		n := &policy.Node{Kind: policy.KindSequence, Tag: "!!seq", Line: line}
		for _, item := range value.Elements {
			n.Children = append(n.Children, jsonNode(item, lines))
		}
		return n
	case hujson.Literal:
		n := &policy.Node{Kind: policy.KindScalar, Value: string(value), Line: line}
		switch value.Kind() {
		case '"':
			n.Tag, n.Value = "!!str", value.String()
		case 't', 'f':
			n.Tag = "!!bool"
		case 'n':
			n.Tag = "!!null"
		default:
			n.Tag = "!!float"
		}
		return n
	}
	return &policy.Node{Line: line}
}

// writeJSON writes a tree with two spaces of indentation and a final newline.
func writeJSON(n *policy.Node) []byte {
	var b bytes.Buffer
	jsonValue(&b, n, "")
	b.WriteByte('\n')
	return b.Bytes()
}

func jsonValue(b *bytes.Buffer, n *policy.Node, indent string) {
	const step = "  "
	switch {
	case n.Kind == policy.KindMapping && len(n.Children) > 0:
		b.WriteString("{\n")
		for i := 0; i+1 < len(n.Children); i += 2 {
			b.WriteString(indent + step)
			b.Write(jsonText(n.Children[i].Value))
			b.WriteString(": ")
			jsonValue(b, n.Children[i+1], indent+step)
			if i+2 < len(n.Children) {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
		}
		b.WriteString(indent + "}")
	case n.Kind == policy.KindMapping:
		b.WriteString("{}")
	case n.Kind == policy.KindSequence:
		b.WriteByte('[')
		for i, item := range n.Children {
			if i > 0 {
				b.WriteString(", ")
			}
			jsonValue(b, item, indent)
		}
		b.WriteByte(']')
	case n.Tag == "!!str":
		b.Write(jsonText(n.Value))
	default:
		b.WriteString(n.Value)
	}
}

func jsonText(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A string always encodes.
	_ = enc.Encode(s)
	return bytes.TrimRight(b.Bytes(), "\n")
}
