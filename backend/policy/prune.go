package policy

// pruned is an entry without what this package does not read: values of keys
// such as env, headers, args and url never leave the program with its rules.
// Every key stays, with its place and in its order, so that duplicates and slips
// of the pen read the same and an edit is planned the same.
func pruned(entry *Node) *Node {
	switch {
	case entry == nil || entry.Kind == KindNone:
		return nil
	case !fits(entry):
		return tooLarge(entry)
	case entry.Kind == KindMapping && entry.Tag != tagMapping, entry.Kind == KindSequence:
		return hollow(entry)
	case entry.Kind == KindScalar:
		return shapeOfText(entry)
	}
	return prunePairs(entry, func(key string, value *Node) *Node {
		switch key {
		case keyTools:
			return pruneTools(value)
		case keyTrust:
			if value.Kind == KindScalar {
				return value
			}
		case keySampling, keyElicitation:
			return pruneFeature(value)
		}
		return blank(value)
	})
}

// pruneTools keeps the lists and switches of tools.
func pruneTools(tools *Node) *Node {
	switch {
	case tools.Kind == KindScalar:
		return shapeOfText(tools)
	case !isMapping(tools):
		return tools
	}
	return prunePairs(tools, func(key string, value *Node) *Node {
		switch key {
		case keyInclude, keyExclude, keyResources, keyPrompts:
			return value
		}
		return blank(value)
	})
}

// pruneFeature keeps a switch, or the key enabled of a mapping.
func pruneFeature(value *Node) *Node {
	if value.Kind != KindMapping {
		return value
	}
	return prunePairs(value, func(key string, value *Node) *Node {
		if key == keyEnabled && value.Kind == KindScalar {
			return value
		}
		return blank(value)
	})
}

// prunePairs copies a mapping with other values. Half a pair and a node that is
// not there stay, because they deny.
func prunePairs(m *Node, keep func(key string, value *Node) *Node) *Node {
	out := *m
	out.Children = make([]*Node, len(m.Children))
	for i, n := range m.Children {
		out.Children[i] = n
		if n == nil || n.Kind == KindNone || n.Kind > KindMapping {
			continue
		}
		if key := m.Children[i-i%2]; i%2 == 1 && key != nil && key.Kind == KindScalar {
			out.Children[i] = keep(key.Value, n)
		} else if i%2 == 1 {
			out.Children[i] = blank(n)
		} else if n.Kind != KindScalar {
			out.Children[i] = hollow(n)
		}
	}
	return &out
}

// blank is a value of which only its place is told.
func blank(n *Node) *Node {
	return &Node{Kind: KindScalar, Tag: tagNull, Style: StylePlain, Line: n.Line, Column: n.Column}
}

// hollow is a list or a mapping without what is in it.
func hollow(n *Node) *Node {
	out := *n
	out.Children = nil
	return &out
}

// shapeOfText is a scalar without its text, except for the words that other
// readers take for true and false: they decide what the problem calls it.
func shapeOfText(n *Node) *Node {
	if n.Style == StylePlain && isOldBool(n.Value) {
		return n
	}
	out := *n
	out.Value = ""
	return &out
}

// tooLarge stands for an entry beyond the bounds: it is deeper than they allow
// and nothing else, so that it denies for the same reason.
func tooLarge(entry *Node) *Node {
	out := &Node{Kind: KindSequence, Tag: tagList}
	for range maxDepth {
		out = &Node{Kind: KindSequence, Tag: tagList, Children: []*Node{out}}
	}
	out.Line, out.Column, out.Via, out.Anchor = entry.Line, entry.Column, entry.Via, entry.Anchor
	return out
}
