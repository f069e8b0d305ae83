package config

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes/backend/policy"
)

// renderFlow writes a value on one line.
func renderFlow(n *policy.Node) (string, error) {
	switch n.Kind {
	case policy.KindScalar:
		return renderScalar(n)
	case policy.KindSequence:
		items := make([]string, len(n.Children))
		for i, child := range n.Children {
			var err error
			if items[i], err = renderFlow(child); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(items, ", ") + "]", nil
	case policy.KindMapping:
		pairs := make([]string, 0, len(n.Children)/2)
		for i := 0; i+1 < len(n.Children); i += 2 {
			key, err := renderScalar(n.Children[i])
			if err != nil {
				return "", err
			}
			value, err := renderFlow(n.Children[i+1])
			if err != nil {
				return "", err
			}
			pairs = append(pairs, key+": "+value)
		}
		return "{" + strings.Join(pairs, ", ") + "}", nil
	}
	return "", fmt.Errorf("a value without a shape cannot be written")
}

// renderPair writes `key: value`, in lines of its own where the value is a
// mapping in block style. indent stands before each further line.
func renderPair(key string, value *policy.Node, indent, step, newline string) (string, error) {
	head, err := renderScalar(&policy.Node{Kind: policy.KindScalar, Tag: "!!str", Value: key})
	if err != nil {
		return "", err
	}
	if value.Kind != policy.KindMapping || value.Style != policy.StyleBlock || len(value.Children) == 0 {
		text, err := renderFlow(value)
		if err == nil && value.Kind == policy.KindSequence && value.Style != policy.StyleFlow && newline != "" && len(text) > maxFlowList {
			return renderItems(head, value, indent+step, newline)
		}
		return head + ": " + text, err
	}
	out := head + ":"
	for i := 0; i+1 < len(value.Children); i += 2 {
		line, err := renderPair(value.Children[i].Value, value.Children[i+1], indent+step, step, newline)
		if err != nil {
			return "", err
		}
		out += newline + indent + step + line
	}
	return out, nil
}

// maxFlowList is the length from which a new list gets a line per item, unless
// its style says brackets.
const maxFlowList = 100

// renderItems writes a list with a line per item.
func renderItems(head string, list *policy.Node, indent, newline string) (string, error) {
	out := head + ":"
	for _, item := range list.Children {
		text, err := renderFlow(item)
		if err != nil {
			return "", err
		}
		out += newline + indent + "- " + text
	}
	return out, nil
}

// renderScalar writes a scalar in its own style where that is safe, else in
// double quotes.
func renderScalar(n *policy.Node) (string, error) {
	if n.Kind != policy.KindScalar || !utf8.ValidString(n.Value) {
		return "", fmt.Errorf("a name that is not valid UTF-8 cannot be written")
	}
	switch {
	case n.Tag != "" && n.Tag != "!!str":
		return n.Value, nil
	case n.Style == policy.StyleSingleQuoted && isPrintable(n.Value):
		return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'", nil
	case n.Style != policy.StyleDoubleQuoted && isPlainText(n.Value):
		return n.Value, nil
	}
	return quote(n.Value), nil
}

// isPlainWord tells what every YAML reader, old or new, takes for text without
// quotes, in brackets and outside.
func isPlainWord(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-' || c == '.' || c == '/')) {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf":
		return false
	}
	return true
}

func isPrintable(s string) bool {
	for _, r := range s {
		if !isPrintableRune(r) {
			return false
		}
	}
	return true
}

// isPrintableRune leaves out what YAML does not allow or takes for a break, and
// the marks that make text look like another one.
func isPrintableRune(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfeff, r == 0x2028, r == 0x2029, r == 0xfffe, r == 0xffff:
		return false
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return false
	}
	return true
}

// quote writes text in double quotes as YAML escapes it.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case isPrintableRune(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		case r > 0xff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\x%02X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
