package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// brackets gives the offsets of a flow collection's opening and closing
// bracket.
func (s *splicer) brackets(n *yaml.Node) (open, closing int, err error) {
	at, err := s.start(n)
	if err != nil {
		return 0, 0, err
	}
	content, _ := s.skipProperties(at)
	end, err := s.flowEnd(n, content)
	if err != nil || content >= len(s.data) || s.data[content] != '[' && s.data[content] != '{' {
		return 0, 0, errLayout
	}
	return content, end - 1, nil
}

// flowInsert adds an item or a pair at the end of a flow collection, on a line
// of its own where the last one has its own.
func (s *splicer) flowInsert(n *yaml.Node, text string) error {
	open, closing, err := s.brackets(n)
	if err != nil {
		return err
	}
	parts, err := s.parts(n)
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		if strings.TrimSpace(string(s.data[open+1:closing])) == "" {
			s.put(open+1, closing, text)
		} else {
			s.put(open+1, open+1, text) // a comment stands between the brackets
		}
		return nil
	}
	last := parts[len(parts)-1]
	if comma := s.comma(last.end); s.ownLine(last, closing) {
		line := s.line(last.end)
		text = s.indentation(last.start) + text
		if comma < 0 {
			s.put(last.end, last.end, ",")
		} else {
			text += ","
		}
		s.insertLine(line, text)
		return nil
	}
	separator := ", "
	if len(parts) > 1 {
		between := string(s.data[parts[len(parts)-2].end:last.start])
		if strings.Trim(between, " \t") == "," {
			separator = between
		}
	}
	s.put(last.end, last.end, separator+text)
	return nil
}

// comma gives the offset of the comma that follows on the same line, -1 for
// none.
func (s *splicer) comma(at int) int {
	if at = s.skipSpaces(at); at < len(s.data) && s.data[at] == ',' {
		return at
	}
	return -1
}

// ownLine tells whether a part of a flow collection has its lines to itself,
// apart from its comma and a comment.
func (s *splicer) ownLine(part span, closing int) bool {
	end := part.end
	if comma := s.comma(end); comma >= 0 {
		end = comma + 1
	}
	return s.alone(part.start, "") && s.finished(end) && s.line(closing) > s.line(part.end)
}

// flowRemove takes an item or a pair out of a flow collection together with one
// comma.
func (s *splicer) flowRemove(n *yaml.Node, index int) error {
	open, closing, err := s.brackets(n)
	if err != nil {
		return err
	}
	parts, err := s.parts(n)
	if err != nil {
		return err
	}
	part, last := parts[index], index == len(parts)-1
	blank := func(from, to int) bool { return strings.Trim(string(s.data[from:to]), " \t,") == "" }
	switch {
	case s.ownLine(part, closing):
		if s.comma(part.end) < 0 && last && index > 0 {
			// The item before has become the last one and needs no comma.
			if comma := s.skipGap(parts[index-1].end); s.data[comma] == ',' {
				s.put(comma, comma+1, "")
			}
		}
		s.removeLines(s.line(part.start), s.line(part.end))
	case len(parts) == 1 && blank(open+1, part.start) && blank(part.end, closing):
		s.put(open+1, closing, "")
	case index > 0 && blank(parts[index-1].end, part.start):
		left := ""
		if s.data[parts[index-1].end-1] == ':' { // a key without a value: the bracket would join it
			left = " "
		}
		s.put(parts[index-1].end, part.end, left)
	case !last && blank(part.end, parts[index+1].start):
		s.put(part.start, parts[index+1].start, "")
	default:
		return s.flowRemoveApart(parts, index)
	}
	return nil
}

// flowRemoveApart takes out an item that comments or line breaks stand around,
// and the comma after it, or before it where it is the last one.
func (s *splicer) flowRemoveApart(parts []span, index int) error {
	part := parts[index]
	if comma := s.skipGap(part.end); s.data[comma] == ',' {
		if comma == s.skipSpaces(part.end) {
			s.put(part.start, s.skipSpaces(comma+1), "")
			return nil
		}
		s.put(comma, comma+1, "")
	} else if index > 0 {
		comma := s.skipGap(parts[index-1].end)
		if s.data[comma] != ',' {
			return errLayout
		}
		s.put(comma, comma+1, "")
	}
	s.put(part.start, part.end, "")
	return nil
}
