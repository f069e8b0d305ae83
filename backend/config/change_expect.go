package config

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"hermes/backend/policy"
)

// maxValueDepth bounds the nesting of a value that is written.
const maxValueDepth = 50

// bare copies a value without what belongs to the place it comes from, and
// refuses one that cannot be written.
func bare(n *policy.Node, depth int) (*policy.Node, error) {
	if n == nil || n.Kind == policy.KindNone || depth > maxValueDepth {
		return nil, &Refused{Message: "the value has no shape that can be written", Hint: "write text, a number, a list or a mapping"}
	}
	if !utf8.ValidString(n.Value) {
		return nil, &Refused{Message: "the value is not valid UTF-8", Hint: "write it as UTF-8"}
	}
	out := &policy.Node{Kind: n.Kind, Tag: tagOf(n), Value: n.Value, Style: n.Style}
	seen := map[string]bool{}
	for i, child := range n.Children {
		if n.Kind == policy.KindMapping && i%2 == 0 {
			if child == nil || child.Kind != policy.KindScalar || seen[child.Value] {
				return nil, &Refused{Message: "a mapping of the value has a key that is no text or stands twice", Hint: "give every key once"}
			}
			seen[child.Value] = true
		}
		c, err := bare(child, depth+1)
		if err != nil {
			return nil, err
		}
		out.Children = append(out.Children, c)
	}
	if n.Kind == policy.KindMapping && len(n.Children)%2 != 0 {
		return nil, fmt.Errorf("a mapping has a key without a value")
	}
	return out, nil
}

// sameValue compares two values in kind, type and text: not in places, styles
// and anchors, and mappings in any order.
func sameValue(a, b *policy.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || tagOf(a) != tagOf(b) || len(a.Children) != len(b.Children) {
		return false
	}
	if a.Kind == policy.KindMapping {
		a, b = sorted(a), sorted(b)
	}
	return slices.EqualFunc(a.Children, b.Children, sameValue)
}

// expect gives the tree that an operation is to make, nil where it does not
// fit. Only the nodes on the way are copied.
func expect(root *policy.Node, op policy.Op) *policy.Node {
	if len(op.Path) == 0 {
		return expectHere(root, op)
	}
	return expectBelow(root, op.Path, op)
}

func expectBelow(n *policy.Node, path []string, op policy.Op) *policy.Node {
	if len(path) == 0 {
		return expectHere(n, op)
	}
	if n == nil || n.Kind != policy.KindMapping {
		return nil
	}
	out := *n
	out.Children = slices.Clone(n.Children)
	for i := len(n.Children) - 2; i >= 0; i -= 2 {
		if k := n.Children[i]; k.Kind == policy.KindScalar && k.Value == path[0] && k.Via == n.Via {
			below := expectBelow(n.Children[i+1], path[1:], op)
			if below == nil {
				return nil
			}
			out.Children[i+1] = below
			return &out
		}
	}
	return nil
}

func expectHere(n *policy.Node, op policy.Op) *policy.Node {
	if op.Kind == policy.OpSetValue {
		return op.Value
	}
	if n == nil {
		return nil
	}
	out := *n
	out.Children = slices.Clone(n.Children)
	switch {
	case op.Kind == policy.OpInsertKey && n.Kind == policy.KindMapping:
		// A key of its own beats one that comes through a merge key.
		out.Children = slices.Concat(withoutKey(out.Children, op.Key), Map(op.Key, op.Value).Children)
		if n.Via != "" {
			return nil
		}
	case op.Kind == policy.OpDeleteKey && n.Kind == policy.KindMapping:
		out.Children = withoutKey(out.Children, op.Key)
	case op.Kind == policy.OpInsertItem && n.Kind == policy.KindSequence:
		out.Children = append(out.Children, op.Value)
	case op.Kind == policy.OpRemoveItem && n.Kind == policy.KindSequence && op.Index < len(out.Children):
		out.Children = slices.Delete(out.Children, op.Index, op.Index+1)
	default:
		return nil
	}
	return &out
}

func withoutKey(children []*policy.Node, name string) []*policy.Node {
	out := make([]*policy.Node, 0, len(children))
	for i := 0; i+1 < len(children); i += 2 {
		if k := children[i]; k.Kind != policy.KindScalar || k.Value != name {
			out = append(out, k, children[i+1])
		}
	}
	return out
}
