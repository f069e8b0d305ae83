package config

import (
	"fmt"
	"slices"

	"hermes/backend/policy"
)

// resolve turns a step into the operations that bring the tree to what it
// wants: none where the tree says so already.
func resolve(root *policy.Node, step Step) ([]policy.Op, error) {
	if len(step.Path) == 0 {
		return nil, &Refused{Message: "no key is named", Hint: "name one, such as mcp_servers.demo.timeout"}
	}
	value := step.Value
	if step.Kind != StepDelete {
		var err error
		if value, err = bare(value, 0); err != nil {
			return nil, err
		}
	}
	w := &walk{root: root}
	found, err := w.to(step.Path, step.Kind == StepDelete)
	if err != nil {
		return nil, err
	}
	switch step.Kind {
	case StepSet:
		if !found {
			return w.add(step.Path, value), nil
		}
		return replaceOps(step.Path, w.node, value, w.borrowed()), nil
	case StepDelete:
		if !found {
			return nil, nil
		}
		last := len(step.Path) - 1
		return []policy.Op{{Kind: policy.OpDeleteKey, Path: step.Path[:last], Key: step.Path[last]}}, nil
	case StepInsertItem, StepRemoveItem:
		return w.items(step, value, found)
	}
	return nil, fmt.Errorf("the step %q is not known", step.Kind)
}

// walk goes down a path as far as the file has it. node is where it ended,
// depth the number of keys taken, parent the mapping above node.
type walk struct {
	root, node, parent *policy.Node
	depth              int
}

// to tells whether the whole path is there. What comes only through a merge key
// counts as missing at the end of the path, where a key of its own may be
// written, and is refused before it, or where it should go.
func (w *walk) to(path []string, going bool) (bool, error) {
	w.node = w.root
	for i, name := range path {
		n := w.node
		if isNull(n) || n.Kind == policy.KindMapping && len(n.Children) == 0 {
			return false, nil
		}
		if n.Kind != policy.KindMapping {
			return false, &Refused{
				Message: fmt.Sprintf("`%s` is %s and has no keys", FormatPath(path[:i]), shapeOf(n)),
				Hint:    "give the path of a value, or unset this one first", Line: n.Line, Column: n.Column,
			}
		}
		key, value, err := written(n, name, path[:i+1])
		if err != nil {
			return false, err
		}
		if key == nil {
			if _, merged := pair(n, name); merged != nil && (going || i < len(path)-1) {
				return false, mergedKey(n, name, path[:i+1])
			}
			return false, nil
		}
		if value.Via != n.Via && i < len(path)-1 {
			return false, aliasValue(value, path[:i+1])
		}
		w.parent, w.node, w.depth = n, value, i+1
	}
	return true, nil
}

// borrowed tells that the value at the end is an alias of another one.
func (w *walk) borrowed() bool {
	return w.parent != nil && w.node.Via != w.parent.Via
}

// written gives the pair of that name that stands in the mapping itself.
func written(n *policy.Node, name string, path []string) (key, value *policy.Node, err error) {
	for i := 0; i+1 < len(n.Children); i += 2 {
		k := n.Children[i]
		if k.Kind != policy.KindScalar || k.Value != name || k.Via != n.Via {
			continue
		}
		if key != nil {
			return nil, nil, &Refused{
				Message: fmt.Sprintf("`%s` stands twice, on lines %d and %d", FormatPath(path), key.Line, k.Line),
				Hint:    "remove one of the two by hand", Line: k.Line, Column: k.Column,
			}
		}
		key, value = k, n.Children[i+1]
	}
	return key, value, nil
}

func mergedKey(n *policy.Node, name string, path []string) error {
	key, _ := pair(n, name)
	return &Refused{
		Message: fmt.Sprintf("`%s` is not written here but comes through the merge key `<<: *%s`; an edit would change every place that uses `&%s`", FormatPath(path), key.Via, key.Via),
		Hint:    "edit the place where the anchor stands, or write the key out here",
		Line:    n.Line, Column: n.Column,
	}
}

func aliasValue(n *policy.Node, path []string) error {
	return &Refused{
		Message: fmt.Sprintf("the value of `%s` is the alias `*%s`; changing it would change every place that uses `&%s`", FormatPath(path), n.Via, n.Via),
		Hint:    "write the value out here instead of the alias, or edit the place where the anchor stands",
		Line:    n.Line, Column: n.Column,
	}
}

// add makes what is missing of a path.
func (w *walk) add(path []string, value *policy.Node) []policy.Op {
	if isNull(w.node) || w.node.Kind == policy.KindMapping && len(w.node.Children) == 0 {
		return []policy.Op{{Kind: policy.OpSetValue, Path: path[:w.depth], Value: nest(path[w.depth:], value)}}
	}
	return []policy.Op{{Kind: policy.OpInsertKey, Path: path[:w.depth], Key: path[w.depth], Value: nest(path[w.depth+1:], value)}}
}

// nest wraps a value in a mapping per key.
func nest(path []string, value *policy.Node) *policy.Node {
	for i := len(path) - 1; i >= 0; i-- {
		value = Map(path[i], value)
	}
	return value
}

// items adds to a list or takes from it.
func (w *walk) items(step Step, value *policy.Node, found bool) ([]policy.Op, error) {
	if !found || isNull(w.node) {
		if step.Kind == StepRemoveItem {
			return nil, nil
		}
		list := List()
		list.Children = append(list.Children, value)
		if found {
			return replaceOps(step.Path, w.node, list, w.borrowed()), nil
		}
		return w.add(step.Path, list), nil
	}
	if w.node.Kind != policy.KindSequence {
		return nil, &Refused{
			Message: fmt.Sprintf("`%s` is %s, not a list", FormatPath(step.Path), shapeOf(w.node)),
			Hint:    "write a list, such as [a, b]", Line: w.node.Line, Column: w.node.Column,
		}
	}
	var ops []policy.Op
	for i := len(w.node.Children) - 1; i >= 0; i-- {
		item := w.node.Children[i]
		if item.Kind != value.Kind || value.Kind == policy.KindScalar && item.Value != value.Value ||
			value.Kind != policy.KindScalar && !sameValue(item, value) {
			continue
		}
		if step.Kind == StepInsertItem {
			return nil, nil
		}
		ops = append(ops, policy.Op{Kind: policy.OpRemoveItem, Path: step.Path, Index: i})
	}
	if step.Kind == StepInsertItem {
		ops = []policy.Op{{Kind: policy.OpInsertItem, Path: step.Path, Value: value}}
	}
	return ops, nil
}

// replaceOps turns one value into another with as few changes as can be, so
// that what stays keeps its place, its style and its comments.
func replaceOps(path []string, old, value *policy.Node, borrowed bool) []policy.Op {
	path = slices.Clone(path)
	switch {
	case sameValue(old, value):
		return nil
	case borrowed || old.Kind != value.Kind || len(old.Children) == 0 || len(value.Children) == 0:
	case value.Kind == policy.KindMapping && !hasMerged(old):
		return mappingOps(path, old, value)
	case value.Kind == policy.KindSequence:
		if ops := listOps(path, old, value); ops != nil {
			return ops
		}
	}
	whole := policy.Op{Kind: policy.OpSetValue, Path: path, Value: value}
	empty := isNull(old) || old.Kind == policy.KindMapping && len(old.Children) == 0
	if value.Kind == policy.KindMapping && len(value.Children) > 0 && (!empty || borrowed) {
		clear := policy.Op{Kind: policy.OpSetValue, Path: path, Value: &policy.Node{Kind: policy.KindMapping, Tag: "!!map", Style: policy.StyleFlow}}
		return []policy.Op{clear, whole}
	}
	return []policy.Op{whole}
}

func hasMerged(n *policy.Node) bool {
	for i := 0; i+1 < len(n.Children); i += 2 {
		if n.Children[i].Via != n.Via {
			return true
		}
	}
	return false
}

// mappingOps changes what differs, adds what is new and then removes what is
// gone, so that the mapping is never empty in between.
func mappingOps(path []string, old, value *policy.Node) []policy.Op {
	var ops []policy.Op
	for i := 0; i+1 < len(value.Children); i += 2 {
		name, wanted := value.Children[i].Value, value.Children[i+1]
		if _, was := pair(old, name); was != nil {
			ops = append(ops, replaceOps(append(slices.Clone(path), name), was, wanted, was.Via != old.Via)...)
			continue
		}
		ops = append(ops, policy.Op{Kind: policy.OpInsertKey, Path: path, Key: name, Value: wanted})
	}
	for i := 0; i+1 < len(old.Children); i += 2 {
		name := old.Children[i].Value
		if _, stays := pair(value, name); stays == nil {
			ops = append(ops, policy.Op{Kind: policy.OpDeleteKey, Path: path, Key: name})
		}
	}
	return ops
}

// listOps gives the removals and additions at the end that turn one list into
// another, nil where it takes more than that or nothing would stay.
func listOps(path []string, old, value *policy.Node) []policy.Op {
	kept := 0
	var gone []int
	for i, item := range old.Children {
		if kept < len(value.Children) && sameValue(item, value.Children[kept]) {
			kept++
		} else {
			gone = append(gone, i)
		}
	}
	if kept == 0 {
		return nil
	}
	var ops []policy.Op
	for i := len(gone) - 1; i >= 0; i-- {
		ops = append(ops, policy.Op{Kind: policy.OpRemoveItem, Path: path, Index: gone[i]})
	}
	for _, item := range value.Children[kept:] {
		ops = append(ops, policy.Op{Kind: policy.OpInsertItem, Path: path, Value: item})
	}
	return ops
}

func shapeOf(n *policy.Node) string {
	switch n.Kind {
	case policy.KindSequence:
		return "a list"
	case policy.KindMapping:
		return "a mapping"
	}
	return "a single value"
}
