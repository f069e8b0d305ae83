package config

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"hermes/backend/policy"
)

const (
	// maxAliasNodes bounds the nodes that aliases and merge keys may expand to
	// in one file (FILTER section 2 row 17): far above any shared block of
	// settings, far below what a bomb needs.
	maxAliasNodes = 50_000
	// maxDepth bounds nesting, so that no reader of the tree runs out of stack.
	maxDepth = 200
)

// converter builds policy nodes from yaml.v3 nodes.
type converter struct {
	budget int
	open   map[*yaml.Node]bool // alias targets being expanded, to find a cycle
}

func convert(root *yaml.Node) (*policy.Node, error) {
	c := &converter{budget: maxAliasNodes, open: map[*yaml.Node]bool{}}
	return c.node(root, "", 0)
}

func (c *converter) node(n *yaml.Node, via string, depth int) (*policy.Node, error) {
	if depth > maxDepth {
		return nil, tooDeep(n.Line, n.Column)
	}
	if n.Kind == yaml.AliasNode {
		return c.alias(n, depth)
	}
	if via != "" {
		if c.budget--; c.budget < 0 {
			return nil, &ParseError{
				Code:    "alias",
				Message: fmt.Sprintf("aliases expand to more than %d values", maxAliasNodes),
				Hint:    "write the values out where they are needed",
				Line:    n.Line, Column: n.Column,
			}
		}
	}
	out := &policy.Node{
		Tag: n.ShortTag(), Value: n.Value, Style: styleOf(n),
		Line: n.Line, Column: n.Column, Via: via, Anchor: n.Anchor,
	}
	switch n.Kind {
	case yaml.ScalarNode:
		out.Kind = policy.KindScalar
		if out.Tag == "!!merge" {
			out.Tag = "!!str" // `<<` merges only where it is a key
		}
		return out, nil
	case yaml.SequenceNode:
		out.Kind = policy.KindSequence
		out.Children = make([]*policy.Node, 0, len(n.Content))
		for _, item := range n.Content {
			child, err := c.node(item, via, depth+1)
			if err != nil {
				return nil, err
			}
			out.Children = append(out.Children, child)
		}
		return out, nil
	case yaml.MappingNode:
		out.Kind = policy.KindMapping
		return out, c.mapping(out, n, via, depth)
	}
	return nil, &ParseError{Code: "syntax", Message: "the YAML parser gave a node of no known kind", Line: n.Line, Column: n.Column}
}

// alias resolves `*name`. The node stands where the alias is written, so that a
// message points to the line a person has to look at; what is below it stands
// where the anchor is.
func (c *converter) alias(n *yaml.Node, depth int) (*policy.Node, error) {
	target := n.Alias
	if c.open[target] {
		return nil, &ParseError{
			Code:    "alias",
			Message: fmt.Sprintf("the alias `*%s` contains itself", n.Value),
			Hint:    "write the value out",
			Line:    n.Line, Column: n.Column,
		}
	}
	c.open[target] = true
	defer delete(c.open, target)
	out, err := c.node(target, n.Value, depth+1)
	if err != nil {
		return nil, err
	}
	out.Line, out.Column, out.Anchor = n.Line, n.Column, ""
	return out, nil
}

// mapping fills out with the written pairs in file order and then with those
// that come through a merge key and that no written key beats.
func (c *converter) mapping(out *policy.Node, n *yaml.Node, via string, depth int) error {
	out.Children = make([]*policy.Node, 0, len(n.Content))
	// The same merge key twice is a duplicate key: it is left standing, as
	// written, for policy to see (FILTER section 2 row 16).
	merging := mergeKeys(n) == 1
	var merged *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if merging && isMergeKey(n.Content[i]) {
			merged = n.Content[i+1]
			continue
		}
		for _, half := range n.Content[i : i+2] {
			child, err := c.node(half, via, depth+1)
			if err != nil {
				return err
			}
			out.Children = append(out.Children, child)
		}
	}
	if merged == nil {
		return nil
	}
	taken := map[string]bool{}
	for i := 0; i+1 < len(out.Children); i += 2 {
		if key := out.Children[i]; key.Kind == policy.KindScalar {
			taken[key.Value] = true
		}
	}
	return c.merge(out, taken, merged, via, depth)
}

// merge appends the pairs of a merge key's value: a mapping, or a list of them
// where the earlier one wins.
func (c *converter) merge(out *policy.Node, taken map[string]bool, source *yaml.Node, via string, depth int) error {
	target, name := source, via
	if source.Kind == yaml.AliasNode {
		target, name = source.Alias, source.Value
	}
	if name == "" {
		name = "<<" // written inline below the merge key: no anchor to name
	}
	if target.Kind == yaml.SequenceNode {
		if c.open[target] {
			return mergeFault(source)
		}
		c.open[target] = true
		defer delete(c.open, target)
		for _, item := range target.Content {
			if one := item; one.Kind != yaml.MappingNode && (one.Kind != yaml.AliasNode || one.Alias.Kind != yaml.MappingNode) {
				return mergeFault(item)
			}
			if err := c.merge(out, taken, item, name, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if target.Kind != yaml.MappingNode {
		return mergeFault(source)
	}
	var (
		base *policy.Node
		err  error
	)
	if source.Kind == yaml.AliasNode {
		base, err = c.alias(source, depth)
	} else {
		base, err = c.node(target, name, depth+1)
	}
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(base.Children); i += 2 {
		key, value := base.Children[i], base.Children[i+1]
		if key.Kind == policy.KindScalar {
			if taken[key.Value] {
				continue
			}
		}
		out.Children = append(out.Children, key, value)
	}
	// Only now: a key that stands twice in one base stays a duplicate.
	for i := 0; i+1 < len(base.Children); i += 2 {
		if key := base.Children[i]; key.Kind == policy.KindScalar {
			taken[key.Value] = true
		}
	}
	return nil
}

func mergeFault(n *yaml.Node) error {
	return &ParseError{
		Code:    "merge",
		Message: "the merge key `<<` needs a mapping or a list of mappings",
		Hint:    "write `<<: *anchor` where the anchor stands on a mapping",
		Line:    n.Line, Column: n.Column,
	}
}

func mergeKeys(n *yaml.Node) int {
	count := 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		if isMergeKey(n.Content[i]) {
			count++
		}
	}
	return count
}

func isMergeKey(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!merge"
}

func styleOf(n *yaml.Node) policy.Style {
	if n.Kind != yaml.ScalarNode {
		if n.Style&yaml.FlowStyle != 0 {
			return policy.StyleFlow
		}
		return policy.StyleBlock
	}
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return policy.StyleDoubleQuoted
	case n.Style&yaml.SingleQuotedStyle != 0:
		return policy.StyleSingleQuoted
	case n.Style&yaml.LiteralStyle != 0:
		return policy.StyleLiteral
	case n.Style&yaml.FoldedStyle != 0:
		return policy.StyleFolded
	}
	return policy.StylePlain
}
