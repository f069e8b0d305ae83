package policy

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Builders of trees for the tests inside the package.

func textNode(value string) *Node {
	return &Node{Kind: KindScalar, Tag: tagText, Value: value, Style: StylePlain}
}

func listNode(items ...*Node) *Node { return listValue(items...) }

func pairsNode(children ...*Node) *Node {
	return &Node{Kind: KindMapping, Tag: tagMapping, Style: StyleFlow, Children: children}
}

// many is a list with so many nodes, itself included.
func many(nodes int) *Node {
	n := &Node{Kind: KindSequence, Tag: tagList}
	for range nodes - 1 {
		n.Children = append(n.Children, textNode("x"))
	}
	return n
}

// nested is a list in a list and so on, of a depth.
func nested(depth int) *Node {
	n := textNode("x")
	for range depth - 1 {
		n = listNode(n)
	}
	return n
}

// TestEntryBounds: an entry exactly as large as the bounds allow is read, and
// one node, level or byte more denies.
func TestEntryBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("makes large trees")
	}
	entry := func(args *Node) *Node { return pairsNode(textNode("args"), args) }
	rest := len(tagMapping) + len(tagText) + len("args")
	for _, c := range []struct {
		name    string
		largest int
		args    func(n int) *Node
	}{
		{"nodes", maxNodes - 2, many},
		{"nodes, the last one missing", maxNodes - 2, func(n int) *Node {
			list := many(n)
			list.Children[n-2] = nil
			return list
		}},
		{"depth", maxDepth - 1, nested},
		{"bytes of a tag", maxBytes - rest, func(n int) *Node { return &Node{Kind: KindScalar, Tag: strings.Repeat("x", n)} }},
		{"bytes of a value", maxBytes - rest, func(n int) *Node { return &Node{Kind: KindScalar, Value: strings.Repeat("x", n)} }},
		{"bytes of an alias", maxBytes - rest, func(n int) *Node { return &Node{Kind: KindScalar, Via: strings.Repeat("x", n)} }},
		{"bytes of an anchor", maxBytes - rest, func(n int) *Node { return &Node{Kind: KindScalar, Anchor: strings.Repeat("x", n)} }},
		{"bytes of all four", maxBytes - rest - 6, func(n int) *Node {
			return &Node{Kind: KindScalar, Tag: "ab", Value: "cd", Via: "ef", Anchor: strings.Repeat("x", n)}
		}},
	} {
		if r := ReadServer(entry(c.args(c.largest))); r.State() != StateOpen {
			t.Errorf("%s: at the bound it is %s", c.name, r.Row().Text)
		}
		if r := ReadServer(entry(c.args(c.largest + 1))); r.State() != StateInvalid || r.Problems()[0].Code != "entry.size" {
			t.Errorf("%s: beyond the bound it is %s", c.name, r.Row().Text)
		}
	}
}

// loose encodes without bounds, as somebody else could.
func loose(n *Node) []byte {
	e := encoder{b: []byte(treeMagic + string(treeEntry)), nodes: 1 << 20}
	e.node(n, 1<<10)
	return e.b
}

// TestTreeBounds: the bytes of a tree at the bounds are written and read, and
// one node, level or byte more is neither.
func TestTreeBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("makes large trees")
	}
	plain := len(loose(textNode("")))
	for _, c := range []struct {
		name    string
		largest int
		tree    func(n int) *Node
	}{
		{"nodes", wireNodes, many},
		{"depth", wireDepth, nested},
		// The length of the value takes four bytes instead of one.
		{"bytes", wireBytes - plain - 3, func(n int) *Node { return textNode(strings.Repeat("x", n)) }},
	} {
		header := []byte(treeMagic + string(treeEntry))
		good := encode(bytes.Clone(header), c.tree(c.largest))
		if root, err := DecodeTree(good); err != nil || root.Kind == KindNone {
			t.Errorf("%s: at the bound: %+v, %v", c.name, root, err)
		}
		if have := encode(bytes.Clone(header), c.tree(c.largest+1)); !bytes.Equal(have, append(header, byte(KindNone))) {
			t.Errorf("%s: beyond the bound %d bytes are written", c.name, len(have))
		}
		beyond := loose(c.tree(c.largest + 1))
		if root, err := DecodeTree(beyond); !errors.Is(err, ErrTree) || root != nil {
			t.Errorf("%s: beyond the bound it is read: %v", c.name, err)
		}
		if r, _, err := DecodeServer(beyond); err == nil || r.State() != StateInvalid {
			t.Errorf("%s: beyond the bound it is decided: %v", c.name, err)
		}
	}
	beyond := loose(many(wireNodes + 1))
	last := len(loose(many(2))) - len(loose(many(1)))
	if _, err := DecodeTree(beyond[:len(beyond)-last]); !errors.Is(err, ErrTree) {
		t.Errorf("without the bytes of the node beyond the bound: %v", err)
	}
}

// TestEncodeStopsAtTheBound: what comes after a node that is too much is not
// written either, so that a tree that shares its nodes costs no more.
func TestEncodeStopsAtTheBound(t *testing.T) {
	if testing.Short() {
		t.Skip("makes large trees")
	}
	long := textNode(strings.Repeat("x", wireBytes))
	e := encoder{nodes: wireNodes}
	e.node(listNode(long, long, long), wireDepth)
	if !e.full || len(e.b) > wireBytes+1000 {
		t.Errorf("full %v, %d bytes", e.full, len(e.b))
	}
}

// TestDocumentBeyondTheBounds: a name that stands twice with large entries does
// not fit into what the page gets, which denies there as here.
func TestDocumentBeyondTheBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("makes large trees")
	}
	entry := pairsNode(textNode(keyTools), pairsNode(textNode(keyInclude), many(maxNodes-10)))
	set := ReadFile(pairsNode(textNode(keyServers), pairsNode(textNode("demo"), entry, textNode("demo"), entry)))
	have, handed, err := DecodeServer(set.Encode("demo"))
	if err != nil || have.State() != StateInvalid || have.Allows("x") || handed != nil {
		t.Errorf("%s, %v, %v", have.Row().Text, handed, err)
	}
}

// TestTreeNumbers: lines and lengths of every size survive the bytes; what is
// larger than a line can be, or longer than five groups, is no number.
func TestTreeNumbers(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 129, 255, 256, 16383, 16384, 1<<28 - 1, 1 << 28, wireLine} {
		root, err := DecodeTree(loose(&Node{Kind: KindScalar, Line: n, Column: n}))
		if err != nil || root.Line != n || root.Column != n {
			t.Errorf("%d: %+v, %v", n, root, err)
		}
	}
	for _, n := range []int{128, 200, 20_000} {
		value := strings.Repeat("x", n)
		if root, err := DecodeTree(loose(textNode(value))); err != nil || root.Value != value {
			t.Errorf("a value of %d bytes: %v", n, err)
		}
	}
	scalar := treeMagic + string(treeEntry) + string([]byte{byte(KindScalar), 0, 0, 0, 0, 0})
	for name, number := range map[string]string{
		"beyond a line":       "\x80\x80\x80\x80\x08",
		"far beyond a line":   "\xff\xff\xff\xff\x7f",
		"six groups":          "\x80\x80\x80\x80\x80\x00",
		"beyond, then a zero": "\xff\xff\xff\xff\x7f\x00",
	} {
		if _, err := DecodeTree([]byte(scalar + number + "\x00\x00")); !errors.Is(err, ErrTree) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := DecodeTree([]byte(scalar + "\xff\xff\xff\xff\x07" + "\x00\x00")); err != nil {
		t.Errorf("the last line: %v", err)
	}
}

// TestEntryIsNoDocument: the kind is part of the tree, because a document read
// as an entry would be open.
func TestEntryIsNoDocument(t *testing.T) {
	data := loose(pairsNode(textNode(keyTools), pairsNode()))
	if _, err := DecodeTree(data); err != nil {
		t.Fatal(err)
	}
	if _, entry, err := DecodeServer(data); err != nil || entry == nil || entry.Kind != KindMapping {
		t.Errorf("the entry is %+v, %v", entry, err)
	}
	if root, err := DecodeTree([]byte(treeMagic + "E\x00")); err != nil || root == nil || root.Kind != KindNone {
		t.Errorf("no shape is %+v, %v", root, err)
	}
	data[len(treeMagic)] = treeDocument
	if root, err := DecodeTree(data); !errors.Is(err, ErrTree) || root != nil {
		t.Errorf("%+v, %v", root, err)
	}
}

// TestEmptyCollectionsSurvive: with neither children nor text a list stays a
// list and a mapping a mapping.
func TestEmptyCollectionsSurvive(t *testing.T) {
	for _, n := range []*Node{listNode(), pairsNode(), listNode(listNode(), pairsNode(), nil)} {
		root, err := DecodeTree(EncodeTree(pairsNode(textNode(keyTools), pairsNode(textNode(keyInclude), n))))
		if err != nil {
			t.Fatal(err)
		}
		back := root.Children[1].Children[1]
		if back.Kind != n.Kind || back.Tag != n.Tag || len(back.Children) != len(n.Children) {
			t.Errorf("%+v became %+v", n, back)
		}
	}
}
