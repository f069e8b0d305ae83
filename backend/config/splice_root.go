package config

import (
	"strings"

	"gopkg.in/yaml.v3"

	"hermes/backend/policy"
)

// setRoot gives a file its first keys: one that holds nothing, `null` or `{}`.
func (s *splicer) setRoot(doc *document, value *policy.Node) error {
	if value.Kind != policy.KindMapping || len(value.Children) == 0 {
		return errLayout
	}
	newline := s.newline(1)
	lines := make([]string, 0, len(value.Children)/2)
	for i := 0; i+1 < len(value.Children); i += 2 {
		text, err := renderPair(value.Children[i].Value, value.Children[i+1], "", "  ", newline)
		if err != nil {
			return err
		}
		lines = append(lines, text)
	}
	text := strings.Join(lines, newline)
	root, err := decode(doc.data)
	if err != nil {
		return err
	}
	if root != nil && !isEmpty(root) {
		return s.replaceRoot(root, value, text)
	}
	for line := range s.starts {
		// Nothing may stand after the mark that ends the document.
		if from := s.starts[line]; strings.HasPrefix(string(s.data[from:]), "...") {
			s.put(from, from, text+newline)
			return nil
		}
	}
	last := len(s.starts)
	switch begin := s.starts[last-1]; {
	case begin < len(s.data): // the last line has no break, and the new one gets none
		s.put(len(s.data), len(s.data), newline+text)
	default:
		s.put(begin, begin, text+newline)
	}
	return nil
}

// replaceRoot puts lines in the place of `null` or `{}`.
func (s *splicer) replaceRoot(root *yaml.Node, value *policy.Node, text string) error {
	start, err := s.start(root)
	if err != nil {
		return err
	}
	end, err := s.end(root, 0)
	if err != nil {
		return err
	}
	if s.alone(start, "") && s.skipSpaces(end) == s.lineEnd(s.line(end)) && s.line(start) == s.line(end) && s.starts[s.line(start)-1] == start {
		s.put(start, end, text)
		return nil
	}
	flow, err := renderFlow(value)
	if err != nil {
		return err
	}
	if isEmptyMapping(root) {
		return s.flowInsert(root, strings.TrimSuffix(strings.TrimPrefix(flow, "{"), "}"))
	}
	s.put(start, end, flow)
	return nil
}

// emptyRoot leaves `{}` of a file whose last key goes, so that it is not taken
// for one that lost its content.
func (s *splicer) emptyRoot(n *yaml.Node) error {
	parts, err := s.parts(n)
	if err != nil || len(parts) != 1 {
		return errLayout
	}
	from, to, err := s.lines(parts[0])
	if err != nil {
		return err
	}
	head := s.starts[from-1]
	if from == to {
		s.put(parts[0].start, parts[0].end, "{}")
		return nil
	}
	s.put(head, s.lineEnd(from), "{}")
	inside := map[int]bool{}
	if err := s.textLines(n.Content[1], s.indentOf(n), inside); err != nil {
		return err
	}
	s.removeContent(from+1, to, inside)
	return nil
}
