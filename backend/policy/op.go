package policy

// OpKind says what an Op does to the file.
type OpKind uint8

// The path operations an edit is made of. Package config performs them as byte
// splices and knows nothing of what the keys mean.
const (
	OpNone OpKind = iota
	// OpSetValue replaces the value of the existing key that Path ends in.
	OpSetValue
	// OpInsertKey adds Key with Value to the mapping at Path.
	OpInsertKey
	// OpDeleteKey removes Key and its value from the mapping at Path.
	OpDeleteKey
	// OpInsertItem adds Value, a scalar, at the end of the sequence at Path.
	OpInsertItem
	// OpRemoveItem removes item Index of the sequence at Path.
	OpRemoveItem
)

// Op is one path operation. Path holds mapping keys and starts below the
// server's entry, so an empty Path is the entry itself. Value is a tree without
// positions: a scalar, a sequence of scalars or a mapping.
type Op struct {
	Kind  OpKind
	Path  []string
	Key   string
	Index int
	Value *Node
}
