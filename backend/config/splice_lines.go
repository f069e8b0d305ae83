package config

import "gopkg.in/yaml.v3"

// removePart removes the lines of one item or pair of a block.
func (s *splicer) removePart(n *yaml.Node, index int) error {
	parts, err := s.parts(n)
	if err != nil {
		return err
	}
	from, to, err := s.lines(parts[index])
	if err != nil {
		return err
	}
	inside := map[int]bool{}
	if n.Kind == yaml.SequenceNode {
		err = s.textLines(n.Content[index], n.Column-1, inside)
	} else {
		err = s.textLines(n.Content[2*index+1], s.indentOf(n), inside)
	}
	if err != nil {
		return err
	}
	s.removeContent(from, to, inside)
	return nil
}

// textLines notes the lines that belong to a text of several lines, where a #
// is no comment.
func (s *splicer) textLines(n *yaml.Node, indent int, inside map[int]bool) error {
	switch n.Kind {
	case yaml.ScalarNode:
		start, err := s.start(n)
		if err != nil || isEmpty(n) {
			return err
		}
		end, err := s.end(n, indent)
		if err != nil {
			return err
		}
		for line := s.line(start) + 1; line <= s.line(end); line++ {
			inside[line] = true
		}
	case yaml.SequenceNode:
		indent = n.Column - 1
	case yaml.MappingNode:
		if len(n.Content) > 0 && !isFlow(n) {
			indent = s.indentOf(n)
		}
	}
	for _, child := range n.Content {
		if err := s.textLines(child, indent, inside); err != nil {
			return err
		}
	}
	return nil
}

// removeContent removes lines but for comments that have a line of their own:
// they are a person's words, and nobody asked to drop them. They move out to
// the column of what was removed, so that they cannot become part of a literal
// text before them.
func (s *splicer) removeContent(from, to int, inside map[int]bool) {
	head := s.starts[from-1]
	indent := string(s.data[head:s.skipSpaces(head)])
	for from <= to {
		for ; from <= to && s.isCommentLine(from, inside); from++ {
			begin := s.starts[from-1]
			if text := s.skipSpaces(begin); text-begin > len(indent) {
				s.put(begin, text, indent)
			}
		}
		end := from
		for end < to && !s.isCommentLine(end+1, inside) {
			end++
		}
		if from <= to {
			s.removeLines(from, end)
		}
		from = end + 1
	}
}

func (s *splicer) isCommentLine(line int, inside map[int]bool) bool {
	at := s.skipSpaces(s.starts[line-1])
	return !inside[line] && at < len(s.data) && s.data[at] == '#'
}

// removeParts removes the lines of all items or pairs of a block and leaves the
// blank lines and comments between them.
func (s *splicer) removeParts(n *yaml.Node) error {
	parts, err := s.parts(n)
	if err != nil {
		return err
	}
	// Neighbours are taken out as one, because at the end of a file without a
	// break they would reach for the same break.
	for i := 0; i < len(parts); {
		from, to, err := s.lines(parts[i])
		if err != nil {
			return err
		}
		for i++; i < len(parts); i++ {
			next, end, err := s.lines(parts[i])
			if err != nil {
				return err
			}
			if next != to+1 {
				break
			}
			to = end
		}
		s.removeLines(from, to)
	}
	return nil
}

// lines gives the lines that a part of a block has to itself.
func (s *splicer) lines(part span) (from, to int, err error) {
	if !s.alone(part.start, "-?") || !s.finished(part.end) {
		return 0, 0, errLayout
	}
	return s.line(part.start), s.line(part.end), nil
}
