package config

import (
	"encoding/json"
	"strconv"
	"strings"

	"hermes/backend/policy"
)

// Masked gives a part of the file without its secrets, for people and logs: what
// stands under a key that names a secret, values that look like keys, passwords
// in addresses, and arguments after a flag that names one. References such as
// ${VAR} stay. Path is where the part stands in the file.
func Masked(path []string, n *policy.Node) *policy.Node {
	secret, args := "", false
	for _, key := range path {
		if namesSecret(key) {
			secret = key
		}
		args = key == keyArgs
	}
	return mask(n, secret, args)
}

const keyArgs = "args"

// mask takes the nearest name above that tells of a secret, empty for none.
func mask(n *policy.Node, secret string, args bool) *policy.Node {
	if n == nil {
		return nil
	}
	out := *n
	switch {
	case n.Kind == policy.KindScalar && n.Tag != "!!null" && HidesValue(secret, n.Value):
		out.Value = maskValue(n.Value)
	case n.Kind == policy.KindScalar && n.Tag == "!!str":
		out.Value = maskArg(n.Value)
	case n.Kind == policy.KindSequence && args && secret == "":
		out.Children = maskItems(n.Children)
	default:
		out.Children = make([]*policy.Node, len(n.Children))
		hidden := secret
		for i, child := range n.Children {
			if n.Kind == policy.KindMapping && i%2 == 0 {
				hidden, args = secret, child.Value == keyArgs
				if namesSecret(child.Value) {
					hidden = child.Value
				}
				out.Children[i] = child
				continue
			}
			if n.Kind == policy.KindMapping {
				if special, ok := maskSpecial(n.Children[i-1].Value, child); ok {
					out.Children[i] = special
					continue
				}
			}
			out.Children[i] = mask(child, hidden, args && n.Kind == policy.KindMapping)
		}
	}
	if out.Value != n.Value {
		out.Tag = "!!str"
	}
	return &out
}

// maskItems masks a list of arguments, in which a flag says what the next one
// is.
func maskItems(items []*policy.Node) []*policy.Node {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.Value
	}
	texts = maskArgs(texts)
	out := make([]*policy.Node, len(items))
	for i, item := range items {
		if item.Kind != policy.KindScalar {
			flag := ""
			if i > 0 && namesNext(items[i-1].Value) {
				flag = items[i-1].Value
			}
			out[i] = mask(item, flag, false)
			continue
		}
		one := *item
		if one.Value = texts[i]; one.Value != item.Value {
			one.Tag = "!!str"
		}
		out[i] = &one
	}
	return out
}

// IsSecret tells that a value at a path would write a secret out: it stands
// under a key that names one, or looks like one, and is no reference.
func IsSecret(path []string, n *policy.Node) bool {
	return n != nil && n.Kind == policy.KindScalar && n.Tag == "!!str" && n.Value != "" && Masked(path, n).Value != n.Value
}

// WriteYAML writes a value as YAML, in lines where it is a mapping or a list
// with something in it. A single text stands as it is, without quotes.
func WriteYAML(n *policy.Node) string {
	if n == nil {
		return ""
	}
	if n.Kind == policy.KindScalar {
		return n.Value
	}
	var b strings.Builder
	writeLines(&b, n, "")
	return strings.TrimSuffix(b.String(), "\n")
}

func writeLines(b *strings.Builder, n *policy.Node, indent string) {
	if len(n.Children) == 0 || n.Kind == policy.KindScalar || n.Kind == policy.KindSequence && isShort(n) {
		b.WriteString(indent + oneLine(n) + "\n")
		return
	}
	for i, child := range n.Children {
		switch {
		case n.Kind == policy.KindSequence && (child.Kind == policy.KindScalar || len(child.Children) == 0):
			b.WriteString(indent + "- " + oneLine(child) + "\n")
		case n.Kind == policy.KindSequence:
			var below strings.Builder
			writeLines(&below, child, indent+"  ")
			b.WriteString(indent + "- " + strings.TrimPrefix(below.String(), indent+"  "))
		case i%2 == 0:
			b.WriteString(indent + oneLine(child) + ":")
		case child.Kind == policy.KindScalar || len(child.Children) == 0 || child.Kind == policy.KindSequence && isShort(child):
			b.WriteString(" " + oneLine(child) + "\n")
		default:
			b.WriteString("\n")
			writeLines(b, child, indent+"  ")
		}
	}
}

// isShort tells a list of single values that fits a line.
func isShort(n *policy.Node) bool {
	for _, item := range n.Children {
		if item.Kind != policy.KindScalar {
			return false
		}
	}
	return len(oneLine(n)) <= maxFlowList
}

// oneLine writes a value on one line; what has no such form is said so.
func oneLine(n *policy.Node) string {
	text, err := renderFlow(n)
	if err != nil {
		return "?"
	}
	return text
}

// JSONValue gives a value as what encoding/json writes: texts, numbers, truth
// values, null, lists and maps. A number that JSON does not know is text.
func JSONValue(n *policy.Node) any {
	if isNull(n) {
		return nil
	}
	switch n.Kind {
	case policy.KindSequence:
		out := make([]any, len(n.Children))
		for i, child := range n.Children {
			out[i] = JSONValue(child)
		}
		return out
	case policy.KindMapping:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Children); i += 2 {
			out[n.Children[i].Value] = JSONValue(n.Children[i+1])
		}
		return out
	}
	switch n.Tag {
	case "!!bool":
		if v, err := strconv.ParseBool(n.Value); err == nil {
			return v
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	}
	return n.Value
}
