package policy

// Kind is the shape of a Node. The zero value is no shape at all and is read
// as invalid.
type Kind uint8

// The shapes a Node can have. Aliases do not appear: whoever builds the tree
// resolves them and records the anchor in Node.Via.
const (
	KindNone Kind = iota
	KindScalar
	KindSequence
	KindMapping
)

// Style is how a node is written in the file.
type Style uint8

// The styles a Node can have. Plain is a scalar without quotes; Flow and Block
// are collections.
const (
	StyleNone Style = iota
	StylePlain
	StyleSingleQuoted
	StyleDoubleQuoted
	StyleLiteral
	StyleFolded
	StyleFlow
	StyleBlock
)

// Node is one node of the small tree that Read takes. It is built from the YAML
// parser's nodes by package config, and rebuilt in the page from the bytes of
// EncodeTree, so that the page has no YAML reader of its own.
type Node struct {
	Kind Kind
	// Tag is the resolved short tag: "!!null", "!!str", "!!int", "!!bool",
	// "!!float", "!!timestamp", "!!seq", "!!map", "!!set" or one of the user's.
	Tag string
	// Value is a scalar's text: as written in the file for plain scalars,
	// without quotes and escapes for quoted ones.
	Value string
	Style Style
	// Line and Column are 1-based; Column counts runes; both are 0 in a tree
	// that does not come from a file.
	Line, Column int
	// Via is the anchor through which an alias or a merge key led here; empty
	// for what is written in place. Edits below such a node are refused.
	Via string
	// Anchor is the anchor defined on this very node, empty for none.
	Anchor string
	// Children are the items of a sequence, or key, value, key, value ... of a
	// mapping, in file order, duplicates included. Pairs that came through a
	// merge key follow the written ones, have Via set, and are left out where a
	// written key of the same name beats them.
	Children []*Node
}
