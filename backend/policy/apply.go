package policy

// Apply returns a copy of an entry after operations, which take effect one
// after the other. It serves previews and proofs; the file itself is changed by
// splices. What does not fit is a *Refusal.
func Apply(entry *Node, ops []Op) (*Node, error) {
	if entry == nil || !fits(entry) {
		return nil, refuse("edit.path", entry)
	}
	root := clone(entry)
	for _, op := range ops {
		if !apply(&root, op) {
			return nil, refuse("edit.path", entry)
		}
	}
	return root, nil
}

func clone(n *Node) *Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Children = make([]*Node, len(n.Children))
	for i, child := range n.Children {
		c.Children[i] = clone(child)
	}
	return &c
}

func apply(root **Node, op Op) bool {
	slot := root
	for _, key := range op.Path {
		if slot = childSlot(*slot, key); slot == nil {
			return false
		}
	}
	n := *slot
	switch op.Kind {
	case OpSetValue:
		*slot = clone(op.Value)
		return op.Value != nil
	case OpInsertKey:
		if n.Kind != KindMapping || op.Value == nil || childSlot(n, op.Key) != nil {
			return false
		}
		key := &Node{Kind: KindScalar, Tag: tagText, Value: op.Key, Style: StylePlain}
		n.Children = append(n.Children, key, clone(op.Value))
		return true
	case OpDeleteKey:
		return deleteKey(n, op.Key)
	case OpInsertItem:
		if n.Kind != KindSequence || op.Value == nil {
			return false
		}
		n.Children = append(n.Children, clone(op.Value))
		return true
	case OpRemoveItem:
		if n.Kind != KindSequence || op.Index < 0 || op.Index >= len(n.Children) {
			return false
		}
		n.Children = append(n.Children[:op.Index], n.Children[op.Index+1:]...)
		return true
	}
	return false
}

func childSlot(m *Node, key string) **Node {
	if m.Kind != KindMapping {
		return nil
	}
	for i := 0; i+1 < len(m.Children); i += 2 {
		if isKey(m.Children[i], key) && m.Children[i+1] != nil {
			return &m.Children[i+1]
		}
	}
	return nil
}

func deleteKey(m *Node, key string) bool {
	if m.Kind != KindMapping {
		return false
	}
	for i := 0; i+1 < len(m.Children); i += 2 {
		if isKey(m.Children[i], key) {
			m.Children = append(m.Children[:i], m.Children[i+2:]...)
			return true
		}
	}
	return false
}
