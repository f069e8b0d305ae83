package config

import (
	"strings"

	"gopkg.in/yaml.v3"

	"hermes/backend/policy"
)

func isFlow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

// setValue replaces the value of a key.
func (s *splicer) setValue(at *step, value *policy.Node) error {
	if at.key == nil {
		return errLayout
	}
	if err := s.unshared(at.node); err != nil {
		return err
	}
	if value.Kind == policy.KindMapping && value.Style == policy.StyleBlock && !isFlow(at.parent) && isEmptyValue(at.node) {
		noted := len(s.changes)
		if err := s.setBlock(at, value); err == nil || !isEmptyMapping(at.node) {
			return err
		}
		s.changes = s.changes[:noted]
	}
	text, err := s.flow(value)
	if err != nil {
		return err
	}
	indent := s.indentOf(at.parent)
	colon, err := s.colon(at.key, indent)
	if err != nil {
		return err
	}
	if isEmpty(at.node) && at.node.Anchor == "" && at.node.Style&yaml.TaggedStyle == 0 {
		s.put(colon, colon, " "+text)
		return nil
	}
	start, err := s.start(at.node)
	if err != nil {
		return err
	}
	if isEmptyMapping(at.node) && value.Kind == policy.KindMapping && len(value.Children) > 0 {
		return s.flowInsert(at.node, strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"))
	}
	if at.node.Kind == yaml.ScalarNode || at.node.Kind == yaml.AliasNode || isFlow(at.node) {
		end, err := s.end(at.node, indent)
		if err != nil {
			return err
		}
		if text == "[]" && at.node.Kind == yaml.SequenceNode && s.emptyLines(at.node, end-1) {
			return nil
		}
		s.put(start, end, text)
		return nil
	}
	if content, last := s.skipProperties(start); content != start && s.line(start) == s.line(colon) {
		s.put(start, last, text)
	} else {
		s.put(colon, colon, " "+text)
	}
	noted := len(s.changes)
	if s.second {
		// The first try did not give what was wanted.
		if err := s.removeWhole(at.node, s.line(colon), indent); err == nil {
			return nil
		}
		s.changes = s.changes[:noted]
	}
	return s.removeParts(at.node)
}

// emptyLines empties a list in brackets line by line, so that comments in it
// stay. It does nothing where there is none or an item shares its line.
func (s *splicer) emptyLines(n *yaml.Node, closing int) bool {
	parts, err := s.parts(n)
	if err != nil || len(parts) == 0 {
		return false
	}
	comments := false
	for line := s.line(parts[0].start); line < s.line(closing); line++ {
		comments = comments || s.isCommentLine(line, nil)
	}
	for line := s.line(parts[0].start); line > n.Line; line-- {
		comments = comments || s.isCommentLine(line, nil)
	}
	for _, part := range parts {
		if !comments || !s.ownLine(part, closing) {
			return false
		}
	}
	for _, part := range parts {
		s.removeLines(s.line(part.start), s.line(part.end))
	}
	return true
}

// isEmptyValue tells a null in any spelling, or a mapping in braces that holds nothing.
func isEmptyValue(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" || isEmptyMapping(n)
}

func isEmptyMapping(n *yaml.Node) bool { return n.Kind == yaml.MappingNode && len(n.Content) == 0 }

// setBlock puts the lines of a mapping below a key that has no value.
func (s *splicer) setBlock(at *step, value *policy.Node) error {
	keyAt, err := s.start(at.key)
	if err != nil {
		return err
	}
	colon, err := s.colon(at.key, s.indentOf(at.parent))
	if err != nil {
		return err
	}
	end := colon
	if !isEmpty(at.node) {
		if end, err = s.end(at.node, 0); err != nil {
			return err
		}
		s.put(colon, end, "")
	}
	line := s.line(end)
	if !s.alone(keyAt, "") || !s.finished(end) || line != s.line(keyAt) {
		return errLayout
	}
	width := s.stepWidth()
	indent := s.indentation(keyAt) + width
	lines := make([]string, 0, len(value.Children)/2)
	for i := 0; i+1 < len(value.Children); i += 2 {
		text, err := renderPair(value.Children[i].Value, value.Children[i+1], indent, width, s.newline(line))
		if err != nil {
			return err
		}
		lines = append(lines, indent+text)
	}
	s.insertLine(line, strings.Join(lines, s.newline(line)))
	return nil
}

// insertKey adds a pair at the end of a mapping.
func (s *splicer) insertKey(at *step, name string, value *policy.Node) error {
	if at.node.Kind != yaml.MappingNode {
		return errLayout
	}
	if isFlow(at.node) {
		text, err := s.flowPair(name, value)
		if err != nil {
			return err
		}
		return s.flowInsert(at.node, text)
	}
	parts, err := s.parts(at.node)
	if err != nil || len(parts) == 0 {
		return errLayout
	}
	first, last := parts[0], parts[len(parts)-1]
	if !s.alone(first.start, ":") || !s.finished(last.end) {
		return errLayout
	}
	indent := s.indentation(first.start)
	if strings.Contains(indent, ":") { // the value of an explicit key
		indent = strings.Repeat(" ", len(indent))
	}
	line := s.line(last.end)
	text, err := renderPair(name, value, indent, s.stepWidth(), s.newline(line))
	if err != nil {
		return err
	}
	if s.second && at.key == nil {
		head := s.starts[s.line(first.start)-1]
		s.put(head, head, indent+text+s.newline(line))
		return nil
	}
	if s.second {
		colon, err := s.colon(at.key, s.indentOf(at.parent))
		if err != nil || s.line(colon) >= s.line(first.start) {
			return errLayout
		}
		line = s.line(colon)
	}
	s.insertLine(line, indent+text)
	return nil
}

// deleteKey removes a pair with its lines. Comments on lines of their own stay.
// The last pair leaves `{}`, because a key without a value is another thing
// than an empty mapping.
func (s *splicer) deleteKey(at *step, name string) error {
	found, err := s.childPair(at, name)
	if err != nil {
		return err
	}
	if isFlow(at.node) {
		return s.flowRemove(at.node, found)
	}
	if len(at.node.Content) == 2 && at.key == nil {
		return s.emptyRoot(at.node)
	}
	if len(at.node.Content) == 2 {
		return s.setValue(at, &policy.Node{Kind: policy.KindMapping, Style: policy.StyleFlow})
	}
	return s.removePart(at.node, found)
}

// childPair gives the index of the pair with that name, which may have an alias
// for a value: what goes is the mention, not the thing.
func (s *splicer) childPair(at *step, name string) (int, error) {
	n := at.node
	if n.Kind != yaml.MappingNode {
		return 0, errLayout
	}
	found := -1
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Kind == yaml.ScalarNode && key.Value == name && !isMergeKey(key) {
			if found >= 0 {
				return 0, errLayout
			}
			found = i / 2
		}
	}
	if found < 0 {
		_, err := s.child(at, name)
		return 0, err
	}
	if err := s.unshared(n.Content[2*found]); err != nil {
		return 0, err
	}
	if value := n.Content[2*found+1]; value.Kind != yaml.AliasNode {
		return found, s.unshared(value)
	}
	return found, nil
}

// insertItem adds a scalar at the end of a list.
func (s *splicer) insertItem(at *step, value *policy.Node) error {
	if at.node.Kind != yaml.SequenceNode {
		return errLayout
	}
	text, err := s.flow(value)
	if err != nil {
		return err
	}
	if isFlow(at.node) {
		return s.flowInsert(at.node, text)
	}
	parts, err := s.parts(at.node)
	if err != nil || len(parts) == 0 {
		return errLayout
	}
	last := parts[len(parts)-1]
	if !s.alone(last.start, "-") || !s.finished(last.end) {
		return errLayout
	}
	head := s.indentation(last.start)
	if !strings.Contains(head, "-") {
		return errLayout
	}
	if strings.HasSuffix(head, "-") {
		head += " " // the last item is empty
	}
	s.insertLine(s.line(last.end), head+text)
	return nil
}

// removeItem removes an item with its line. The last one leaves `[]`.
func (s *splicer) removeItem(at *step, index int) error {
	if at.node.Kind != yaml.SequenceNode || index < 0 || index >= len(at.node.Content) {
		return errLayout
	}
	if item := at.node.Content[index]; item.Kind != yaml.AliasNode {
		if err := s.unshared(item); err != nil {
			return err
		}
	}
	if isFlow(at.node) {
		return s.flowRemove(at.node, index)
	}
	if len(at.node.Content) == 1 {
		return s.setValue(at, &policy.Node{Kind: policy.KindSequence})
	}
	return s.removePart(at.node, index)
}
