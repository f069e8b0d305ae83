package policy

import (
	"bytes"
	"errors"
)

// The bounds of a tree. They stop alias bombs and cycles on our own walk
// (FILTER section 2 row 17) and bound what the page's module takes. A server's
// entry beyond them denies.
const (
	maxNodes = 1 << 16
	maxDepth = 100
	maxBytes = 4 << 20
)

// The bounds of the encoding leave room for the few nodes around an entry, so
// that an entry within its bounds always fits.
const (
	wireNodes = maxNodes + 16
	wireDepth = maxDepth + 4
	wireBytes = 2 * maxBytes
	wireLine  = 1<<31 - 1
)

// The encoding starts with these bytes and the kind of tree.
const (
	treeMagic    = "HPT2"
	treeEntry    = 'E'
	treeDocument = 'D'
)

// ErrTree is returned for bytes that are no encoded tree.
var ErrTree = errors.New("policy: the bytes are not a tree of tool rules")

// EncodeTree writes an entry as bytes for the page, without the values of the
// keys that this package does not read. An entry beyond the bounds is written as
// one that is, which denies.
func EncodeTree(n *Node) []byte {
	return encode([]byte(treeMagic+string(treeEntry)), pruned(n))
}

// Encode writes what the page needs to decide about one server exactly as this
// set does, including faults that stand around the entry and what is held
// against the file. DecodeServer reads it.
func (s Set) Encode(name string) []byte {
	b := []byte(treeMagic + string(treeDocument))
	b = appendString(b, name)
	rules, _ := s.Rules(name)
	b = appendHold(b, rules)
	return encode(b, s.Document(name))
}

func encode(b []byte, n *Node) []byte {
	e := encoder{b: b, nodes: wireNodes}
	head := len(b)
	if e.node(n, wireDepth); e.full {
		e.b = append(e.b[:head], byte(KindNone))
	}
	return e.b
}

// fits tells whether a tree is within the bounds.
func fits(n *Node) bool {
	m := meter{nodes: maxNodes, bytes: maxBytes}
	return m.walk(n, maxDepth)
}

type meter struct{ nodes, bytes int }

func (m *meter) walk(n *Node, depth int) bool {
	m.nodes--
	if n == nil {
		return m.nodes >= 0
	}
	m.bytes -= len(n.Tag) + len(n.Value) + len(n.Via) + len(n.Anchor)
	if m.nodes < 0 || m.bytes < 0 || depth <= 0 {
		return false
	}
	for _, c := range n.Children {
		if !m.walk(c, depth-1) {
			return false
		}
	}
	return true
}

type encoder struct {
	b     []byte
	nodes int
	full  bool
}

func (e *encoder) node(n *Node, depth int) {
	e.nodes--
	if e.full = e.full || e.nodes < 0 || depth <= 0; e.full {
		return
	}
	if n == nil || n.Kind > KindMapping || n.Kind == KindNone || n.Style > StyleBlock {
		e.b = append(e.b, byte(KindNone))
		return
	}
	e.b = append(e.b, byte(n.Kind), byte(n.Style))
	e.b = appendString(e.b, n.Tag)
	e.b = appendString(e.b, n.Value)
	e.b = appendString(e.b, n.Via)
	e.b = appendString(e.b, n.Anchor)
	e.b = appendNumber(e.b, max(n.Line, 0))
	e.b = appendNumber(e.b, max(n.Column, 0))
	e.b = appendNumber(e.b, len(n.Children))
	e.full = len(e.b) > wireBytes
	for _, c := range n.Children {
		e.node(c, depth-1)
	}
}

func appendString(b []byte, s string) []byte {
	return append(appendNumber(b, len(s)), s...)
}

// appendNumber writes a number in groups of seven bits, the lowest first.
func appendNumber(b []byte, n int) []byte {
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

// DecodeTree reads what EncodeTree wrote. It takes at most a few megabytes and
// never panics.
func DecodeTree(data []byte) (*Node, error) {
	d, kind, err := open(data)
	if err != nil {
		return nil, err
	}
	if kind != treeEntry {
		return nil, ErrTree
	}
	return d.whole()
}

// DecodeServer reads what EncodeTree or Set.Encode wrote and decides the rules
// of its server. The node is the entry, for previews of edits. With an error
// the rules are the zero value, which denies.
func DecodeServer(data []byte) (Rules, *Node, error) {
	d, kind, err := open(data)
	if err != nil {
		return Rules{}, nil, err
	}
	name, since := "", ""
	var lost []Restriction
	if kind == treeDocument {
		name, since, lost = d.text(), d.text(), d.restrictions()
	}
	root, err := d.whole()
	if err != nil {
		return Rules{}, nil, err
	}
	if kind == treeEntry {
		return ReadServer(root), root, nil
	}
	set := ReadFile(root)
	if sv := set.server(name); sv != nil {
		set = set.holding(sv, lost, since)
	}
	rules, _ := set.Rules(name)
	return rules, set.Entry(name), nil
}

func open(data []byte) (*decoder, byte, error) {
	rest, ok := bytes.CutPrefix(data, []byte(treeMagic))
	if !ok || len(data) > wireBytes {
		return nil, 0, ErrTree
	}
	d := &decoder{rest: rest, nodes: wireNodes}
	kind := d.byte()
	if kind != treeEntry && kind != treeDocument {
		return nil, 0, ErrTree
	}
	return d, kind, nil
}

type decoder struct {
	rest  []byte
	nodes int
	bad   bool
}

func (d *decoder) whole() (*Node, error) {
	n := d.node(wireDepth)
	if d.bad || len(d.rest) != 0 {
		return nil, ErrTree
	}
	return n, nil
}

func (d *decoder) node(depth int) *Node {
	d.nodes--
	if d.nodes < 0 || depth <= 0 {
		d.bad = true
		return nil
	}
	kind := Kind(d.byte())
	if kind == KindNone {
		return &Node{}
	}
	n := &Node{Kind: kind, Style: Style(d.byte())}
	if n.Kind > KindMapping || n.Style > StyleBlock {
		d.bad = true
		return nil
	}
	n.Tag, n.Value, n.Via, n.Anchor = d.text(), d.text(), d.text(), d.text()
	n.Line, n.Column = d.number(wireLine), d.number(wireLine)
	for range d.count() {
		n.Children = append(n.Children, d.node(depth-1))
		if d.bad {
			return nil
		}
	}
	return n
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.bad = true
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *decoder) number(limit int) int {
	var n uint64
	for shift := 0; ; shift += 7 {
		b := d.byte()
		n |= uint64(b&0x7f) << shift
		last := b < 0x80
		if last && n <= uint64(limit) {
			return int(n)
		}
		if last || shift == 28 {
			d.bad = true
			return 0
		}
	}
}

// count reads how many bytes or children follow; every one takes a byte or
// more of what is left.
func (d *decoder) count() int {
	n := d.number(wireBytes)
	if n > len(d.rest) {
		d.bad = true
		return 0
	}
	return n
}

func (d *decoder) text() string {
	n := d.count()
	if d.bad {
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}
