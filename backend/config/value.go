package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"hermes/backend/policy"
)

// Text makes a text value. It is written in quotes exactly where a reader of
// YAML could take it for something else.
func Text(s string) *policy.Node {
	return &policy.Node{Kind: policy.KindScalar, Tag: "!!str", Value: s}
}

// List makes a list of texts, written in brackets, or a line each where that
// would be long.
func List(items ...string) *policy.Node {
	n := &policy.Node{Kind: policy.KindSequence, Tag: "!!seq"}
	for _, item := range items {
		n.Children = append(n.Children, Text(item))
	}
	return n
}

// Map makes a mapping of key, value, key, value ..., written in lines of its
// own. A key is a string; a value is a *policy.Node, a string, a []string, a
// bool or an int. Anything else makes a value that no edit writes.
func Map(pairs ...any) *policy.Node {
	n := &policy.Node{Kind: policy.KindMapping, Tag: "!!map", Style: policy.StyleBlock}
	for i := 0; i+1 < len(pairs); i += 2 {
		key, _ := pairs[i].(string)
		n.Children = append(n.Children, Text(key), valueOf(pairs[i+1]))
	}
	return n
}

func valueOf(v any) *policy.Node {
	switch v := v.(type) {
	case *policy.Node:
		return v
	case string:
		return Text(v)
	case []string:
		return List(v...)
	case bool:
		return typed("!!bool", strconv.FormatBool(v))
	case int:
		return typed("!!int", strconv.Itoa(v))
	}
	return nil
}

func typed(tag, text string) *policy.Node {
	return &policy.Node{Kind: policy.KindScalar, Tag: tag, Value: text, Style: policy.StylePlain}
}

// Value reads the text of a command line as a value: `[]`, `[a, "b"]` and
// `{a: b}` are lists and mappings, `"[]"` in quotes is text, true, false, null
// and the numbers that every reader of YAML takes for the same number are
// typed, everything else is text as it stands. A number that would be written
// otherwise, such as 1.10, is text. The error is a *Refused: text that begins
// like a list or a mapping and is none never becomes text that looks like one.
func Value(s string) (*policy.Node, error) {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" {
		return Text(s), nil
	}
	switch trimmed[0] {
	case '[', '{':
		root, err := decode([]byte(trimmed))
		if err != nil || root == nil || root.Kind == yaml.ScalarNode {
			return nil, &Refused{
				Message: "the value begins like a list or a mapping and is none",
				Hint:    `write [a, b] or {a: b}, or put text in quotes of its own: '"[text]"'`, Cause: err,
			}
		}
		return literal(root, 0)
	case '"', '\'':
		root, err := decode([]byte(trimmed))
		if err == nil && root != nil && root.Kind == yaml.ScalarNode && root.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			return Text(root.Value), nil
		}
	}
	return plainValue(s), nil
}

// literal turns what was written on a command line into a value. References
// and merge keys have no meaning there.
func literal(n *yaml.Node, depth int) (*policy.Node, error) {
	if depth > maxValueDepth || n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 || isMergeKey(n) {
		return nil, &Refused{Message: "anchors, aliases, tags and merge keys cannot be given as a value", Hint: "write the value out, or use hermes config edit"}
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			return Text(n.Value), nil
		}
		if n.Value == "" || n.Value == "~" {
			return typed("!!null", "null"), nil
		}
		return plainValue(n.Value), nil
	case yaml.SequenceNode:
		out := List()
		for _, item := range n.Content {
			child, err := literal(item, depth+1)
			if err != nil {
				return nil, err
			}
			out.Children = append(out.Children, child)
		}
		return out, nil
	case yaml.MappingNode:
		out := Map()
		for i, half := range n.Content {
			child, err := literal(half, depth+1)
			if err != nil {
				return nil, err
			}
			if i%2 == 0 && child.Kind == policy.KindScalar {
				child = Text(half.Value)
			}
			out.Children = append(out.Children, child)
		}
		return out, nil
	}
	return nil, errors.New("the value has no shape that can be written")
}

// plainValue gives a word the type that YAML 1.1 and 1.2 agree on.
func plainValue(s string) *policy.Node {
	switch s {
	case "true", "false", "True", "False", "TRUE", "FALSE":
		return typed("!!bool", strings.ToLower(s))
	case "null":
		return typed("!!null", s)
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
		return typed("!!int", s)
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && strings.Contains(s, ".") && strconv.FormatFloat(f, 'f', -1, 64) == s {
		return typed("!!float", s)
	}
	return Text(s)
}

// Lookup gives the value at a path of keys, nil where there is none. In a list
// a step is the number of the item, from 0.
func Lookup(root *policy.Node, path []string) *policy.Node {
	n := root
	for _, step := range path {
		if n != nil && n.Kind == policy.KindSequence {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(n.Children) {
				return nil
			}
			n = n.Children[i]
			continue
		}
		if _, n = pair(n, step); n == nil {
			return nil
		}
	}
	return n
}

// ParsePath reads a dotted path: keys that hold a dot stand in single or double
// quotes, as in mcp_servers."a.b".timeout. The error is a *Refused.
func ParsePath(s string) ([]string, error) {
	var path []string
	for rest := s; ; {
		key, after, err := pathKey(rest)
		if err != nil {
			return nil, &Refused{Message: fmt.Sprintf("%q is not a path: %v", s, err), Hint: `write keys with dots between them, as in mcp_servers."a.b".timeout`}
		}
		path = append(path, key)
		if after == "" {
			return path, nil
		}
		rest = after[1:]
	}
}

// pathKey takes one key off a path; what is left begins with a dot.
func pathKey(s string) (key, rest string, err error) {
	if s == "" {
		return "", "", errors.New("a key is empty")
	}
	if s[0] != '"' && s[0] != '\'' {
		at := strings.IndexByte(s, '.')
		if at < 0 {
			return s, "", nil
		}
		if at == 0 {
			return "", "", errors.New("a key is empty")
		}
		return s[:at], s[at:], nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[0] == '"' && s[i] == '\\' && i+1 < len(s) && slices.Contains([]byte(`"\`), s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == s[0]:
			if rest = s[i+1:]; rest != "" && rest[0] != '.' {
				return "", "", errors.New("a dot has to follow a quoted key")
			}
			return b.String(), rest, nil
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", errors.New("a quote is not closed")
}
