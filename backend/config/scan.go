package config

import (
	"bytes"
	"errors"
	"strings"

	"gopkg.in/yaml.v3"
)

// errLayout says that the bytes are not laid out in a way the splicer knows:
// then nothing is changed.
var errLayout = errors.New("the file is laid out in a way that cannot be edited in place")

// span is a range of bytes, end exclusive.
type span struct{ start, end int }

// scanner finds where the parser's nodes begin and end. The parser tells where
// a node begins; where it ends has to be read from the bytes.
type scanner struct{ *text }

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// skipSpaces passes blanks on one line.
func (s scanner) skipSpaces(at int) int {
	for at < len(s.data) && isSpace(s.data[at]) {
		at++
	}
	return at
}

// skipGap passes blanks, line breaks and comments.
func (s scanner) skipGap(at int) int {
	for at < len(s.data) {
		if isSpace(s.data[at]) {
			at++
		} else if n := breakAt(s.data, at); n > 0 {
			at += n
		} else if s.data[at] == '#' && s.isCommentStart(at) {
			at = s.lineEnd(s.line(at))
		} else {
			break
		}
	}
	return at
}

// isCommentStart tells whether a # begins a comment: after a blank, at the
// start of a line, or after a bracket or comma that ends a token.
func (s scanner) isCommentStart(at int) bool {
	if at == 0 || at == s.starts[s.line(at)-1] {
		return true
	}
	return isSpace(s.data[at-1]) || strings.IndexByte(",[{]}", s.data[at-1]) >= 0
}

// start gives the offset of a node, its anchor and tag included.
func (s scanner) start(n *yaml.Node) (int, error) {
	at := s.offset(n.Line, n.Column)
	if at < 0 {
		return 0, errLayout
	}
	return at, nil
}

// skipProperties passes an anchor and a tag and the gap after them. last is the
// end of the last property, or at where there is none.
func (s scanner) skipProperties(at int) (content, last int) {
	last = at
	for at < len(s.data) && (s.data[at] == '&' || s.data[at] == '!') {
		if strings.HasPrefix(string(s.data[at:min(at+2, len(s.data))]), "!<") {
			for at < len(s.data) && s.data[at] != '>' {
				at++
			}
		}
		for at < len(s.data) && !isSpace(s.data[at]) && breakAt(s.data, at) == 0 && strings.IndexByte(",[]{}", s.data[at]) < 0 {
			at++
		}
		last = at
		at = s.skipGap(at)
	}
	return at, last
}

// end gives the offset just after a node. indent is the number of columns
// before the block that holds it, which bounds a literal text.
func (s scanner) end(n *yaml.Node, indent int) (int, error) {
	at, err := s.start(n)
	if err != nil {
		return 0, err
	}
	if n.Kind == yaml.AliasNode {
		return s.literalWord(at, "*"+n.Value)
	}
	content, last := s.skipProperties(at)
	switch {
	case n.Kind == yaml.ScalarNode:
		return s.scalarEnd(n, content, last, indent)
	case n.Style&yaml.FlowStyle != 0:
		return s.flowEnd(n, content)
	case len(n.Content) == 0:
		return 0, errLayout
	case n.Kind == yaml.SequenceNode:
		return s.end(n.Content[len(n.Content)-1], n.Column-1)
	}
	key := n.Content[len(n.Content)-2]
	return s.pairEnd(key, n.Content[len(n.Content)-1], s.indentOf(n))
}

// indentOf gives the columns before a block mapping's keys. The mapping's own
// place is that of its anchor or tag where it has one.
func (s scanner) indentOf(n *yaml.Node) int {
	at, err := s.start(n.Content[0])
	if err != nil {
		return n.Content[0].Column - 1
	}
	line := s.starts[n.Content[0].Line-1]
	if head := strings.TrimRight(string(s.data[line:at]), " "); strings.HasSuffix(head, "?") {
		return len(head) - 1
	}
	return n.Content[0].Column - 1
}

func (s scanner) literalWord(at int, word string) (int, error) {
	if !strings.HasPrefix(string(s.data[at:min(at+len(word), len(s.data))]), word) {
		return 0, errLayout
	}
	return at + len(word), nil
}

// isEmpty tells a null that is written with no character at all.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" &&
		n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// pairEnd gives the end of a key with its value. The parser's place of an empty
// value may be that of the next token, so it is found from the key.
func (s scanner) pairEnd(key, value *yaml.Node, indent int) (int, error) {
	if !isEmpty(value) || value.Anchor != "" || value.Style&yaml.TaggedStyle != 0 {
		return s.end(value, indent)
	}
	at, err := s.end(key, indent)
	if err != nil {
		return 0, err
	}
	if colon := s.skipGap(at); colon < len(s.data) && s.data[colon] == ':' {
		return colon + 1, nil
	}
	return at, nil
}

// colon gives the offset just after the colon that ends a key.
func (s scanner) colon(key *yaml.Node, indent int) (int, error) {
	at, err := s.end(key, indent)
	if err != nil {
		return 0, err
	}
	if at = s.skipGap(at); at >= len(s.data) || s.data[at] != ':' {
		return 0, errLayout
	}
	return at + 1, nil
}

func (s scanner) scalarEnd(n *yaml.Node, at, last, indent int) (int, error) {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return s.quotedEnd(at, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		return s.quotedEnd(at, '\'')
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return s.blockTextEnd(at, indent)
	case n.Value == "":
		return last, nil
	}
	return s.plainEnd(at, n.Value)
}

func (s scanner) quotedEnd(at int, quote byte) (int, error) {
	if at >= len(s.data) || s.data[at] != quote {
		return 0, errLayout
	}
	for at++; at < len(s.data); at++ {
		switch {
		case quote == '"' && s.data[at] == '\\':
			at++
		case s.data[at] != quote:
		case quote == '\'' && at+1 < len(s.data) && s.data[at+1] == quote:
			at++
		default:
			return at + 1, nil
		}
	}
	return 0, errLayout
}

// plainEnd compares a plain scalar's value with the bytes; where it runs over
// several lines, any gap stands for the blanks and breaks of the value.
func (s scanner) plainEnd(at int, value string) (int, error) {
	for i := 0; i < len(value); {
		if isSpace(value[i]) || breakAt([]byte(value), i) > 0 {
			for i < len(value) && (isSpace(value[i]) || breakAt([]byte(value), i) > 0) {
				i += max(1, breakAt([]byte(value), i))
			}
			gap := at
			for at < len(s.data) && (isSpace(s.data[at]) || breakAt(s.data, at) > 0) {
				at += max(1, breakAt(s.data, at))
			}
			if at == gap {
				return 0, errLayout
			}
			continue
		}
		if at >= len(s.data) || s.data[at] != value[i] {
			return 0, errLayout
		}
		at++
		i++
	}
	return at, nil
}

// blockTextEnd gives the end of a literal or folded text: after its last line
// that is not blank, or with + after the blank ones, too.
func (s scanner) blockTextEnd(at, indent int) (int, error) {
	first := s.line(at)
	end := s.lineEnd(first)
	keep, bound := false, -1
	for _, c := range s.data[at+1 : end] {
		if c == '#' || isSpace(c) {
			break
		}
		keep = keep || c == '+'
		if c >= '1' && c <= '9' {
			bound = indent + int(c-'0')
		}
	}
	for line := first + 1; line <= len(s.starts); line++ {
		begin, stop := s.starts[line-1], s.lineEnd(line)
		body := bytes.TrimLeft(s.data[begin:stop], " ")
		if len(bytes.TrimSpace(body)) == 0 {
			if keep && (stop > begin || line < len(s.starts)) {
				end = stop
			}
			continue
		}
		depth := stop - begin - len(body)
		if bound < 0 {
			bound = max(depth, indent+1)
		}
		if depth < bound {
			break
		}
		end = stop
	}
	return end, nil
}

// flowEnd gives the end of a list in brackets or a mapping in braces.
func (s scanner) flowEnd(n *yaml.Node, at int) (int, error) {
	if at >= len(s.data) {
		return 0, errLayout
	}
	var closing byte
	switch {
	case s.data[at] == '[' && n.Kind == yaml.SequenceNode:
		closing = ']'
	case s.data[at] == '{' && n.Kind == yaml.MappingNode:
		closing = '}'
	case n.Kind == yaml.MappingNode && len(n.Content) == 2:
		return s.pairEnd(n.Content[0], n.Content[1], 0) // [key: value]
	default:
		return 0, errLayout
	}
	at++
	parts, err := s.parts(n)
	if err != nil {
		return 0, err
	}
	if len(parts) > 0 {
		at = parts[len(parts)-1].end
	}
	for {
		at = s.skipGap(at)
		switch {
		case at < len(s.data) && s.data[at] == ',':
			at++
		case at < len(s.data) && s.data[at] == closing:
			return at + 1, nil
		default:
			return 0, errLayout
		}
	}
}

// parts gives the ranges of the items of a list, or of the pairs of a mapping.
func (s scanner) parts(n *yaml.Node) ([]span, error) {
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	out := make([]span, 0, len(n.Content)/step)
	for i := 0; i+step <= len(n.Content); i += step {
		start, err := s.start(n.Content[i])
		if err != nil {
			return nil, err
		}
		var end int
		switch {
		case step == 1 && n.Style&yaml.FlowStyle != 0:
			end, err = s.end(n.Content[i], 0)
		case step == 1:
			end, err = s.end(n.Content[i], n.Column-1)
		case n.Style&yaml.FlowStyle != 0:
			end, err = s.pairEnd(n.Content[i], n.Content[i+1], 0)
		default:
			end, err = s.pairEnd(n.Content[i], n.Content[i+1], s.indentOf(n))
		}
		if err != nil {
			return nil, err
		}
		out = append(out, span{start, end})
	}
	return out, nil
}
