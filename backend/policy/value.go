package policy

import "strings"

// The values that edits write. Styles are wishes: a value in braces stays on
// its line, a block takes lines of its own.

func setValue(value *Node, path ...string) Op {
	return Op{Kind: OpSetValue, Path: path, Value: value}
}

func mapping(style Style, pairs ...any) *Node {
	n := &Node{Kind: KindMapping, Tag: tagMapping, Style: style}
	for i := 0; i < len(pairs); i += 2 {
		key, _ := pairs[i].(string)
		value, _ := pairs[i+1].(*Node)
		n.Children = append(n.Children, &Node{Kind: KindScalar, Tag: tagText, Value: key, Style: StylePlain}, value)
	}
	return n
}

func flow(key string, value *Node) *Node  { return mapping(StyleFlow, key, value) }
func block(key string, value *Node) *Node { return mapping(StyleBlock, key, value) }

func listValue(items ...*Node) *Node {
	return &Node{Kind: KindSequence, Tag: tagList, Style: StyleFlow, Children: items}
}

func listOf(names []string) *Node {
	list := listValue()
	for _, n := range names {
		list.Children = append(list.Children, textValue(n, nil))
	}
	return list
}

func falseValue() *Node {
	return &Node{Kind: KindScalar, Tag: tagBool, Value: "false", Style: StylePlain}
}

// textValue writes a name in the style its neighbours share, and in quotes
// wherever a reader of YAML could take the plain word for something else.
func textValue(name string, neighbours []*Node) *Node {
	n := &Node{Kind: KindScalar, Tag: tagText, Value: name, Style: StylePlain}
	if style := sharedStyle(neighbours); style == StyleDoubleQuoted || style == StyleSingleQuoted && isPlainText(name) {
		n.Style = style
	} else if !isPlainWord(name) {
		n.Style = StyleDoubleQuoted
	}
	return n
}

func sharedStyle(items []*Node) Style {
	shared := StyleNone
	for _, item := range items {
		if item.Tag != tagText {
			continue
		}
		if shared != StyleNone && shared != item.Style {
			return StyleNone
		}
		shared = item.Style
	}
	return shared
}

// isPlainWord tells whether every YAML reader takes the unquoted word for
// text: it starts with a letter or _, holds only letters, digits, _, - , . and
// /, and is none of the words for true, false, null, infinity and not a number.
func isPlainWord(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-' || c == '.' || c == '/')) {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf":
		return false
	}
	return true
}
