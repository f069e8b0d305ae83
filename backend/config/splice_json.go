package config

import (
	"gopkg.in/yaml.v3"

	"hermes/backend/policy"
)

// likeJSON follows the way to the place of an edit and notes whether it leads
// through brackets in which everything is in double quotes: what is added there
// has to be, too, so that a file that is JSON stays JSON.
func (s *splicer) likeJSON(n *yaml.Node) {
	switch {
	case n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode:
	case !isFlow(n):
		s.json = false
	case len(n.Content) > 0: // an empty one is like what is around it
		s.json = true
		for i, child := range n.Content {
			isKey := n.Kind == yaml.MappingNode && i%2 == 0
			if !isKey && (n.Kind == yaml.MappingNode || child.Kind != yaml.ScalarNode || child.ShortTag() != "!!str") {
				continue
			}
			s.json = s.json && child.Style&yaml.DoubleQuotedStyle != 0
		}
	}
}

// flow writes a value on one line, as the place of the edit has it.
func (s *splicer) flow(value *policy.Node) (string, error) {
	if s.json {
		value = doubleQuoted(value)
	}
	return renderFlow(value)
}

// flowPair writes `key: value` on one line, as the place of the edit has it.
func (s *splicer) flowPair(name string, value *policy.Node) (string, error) {
	if s.json {
		text, err := renderFlow(doubleQuoted(value))
		return quote(name) + ": " + text, err
	}
	flow := *value
	flow.Style = policy.StyleFlow
	return renderPair(name, &flow, "", "", "")
}

// doubleQuoted gives a copy of a value with all text in double quotes.
func doubleQuoted(n *policy.Node) *policy.Node {
	out := *n
	if n.Kind == policy.KindScalar && (n.Tag == "" || n.Tag == "!!str") {
		out.Style = policy.StyleDoubleQuoted
	}
	out.Children = make([]*policy.Node, len(n.Children))
	for i, child := range n.Children {
		out.Children[i] = doubleQuoted(child)
	}
	return &out
}
