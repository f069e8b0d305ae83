package policy

import "strings"

// The tags this package tells apart.
const (
	tagNull      = "!!null"
	tagText      = "!!str"
	tagInt       = "!!int"
	tagFloat     = "!!float"
	tagBool      = "!!bool"
	tagTimestamp = "!!timestamp"
	tagList      = "!!seq"
	tagMapping   = "!!map"
	tagSet       = "!!set"
)

// isKey tells whether a node is the key of that name. A key that is a collection
// or missing is none.
func isKey(n *Node, name string) bool {
	return n != nil && n.Kind == KindScalar && n.Value == name
}

func isNull(n *Node) bool { return n.Kind == KindScalar && n.Tag == tagNull }

// isText tells text from the scalars that other readers of the same file do
// not take for text: a plain on or yes is true to a YAML 1.1 reader.
func isText(n *Node) bool {
	return n.Kind == KindScalar && n.Tag == tagText && !(n.Style == StylePlain && isOldBool(n.Value))
}

func isOldBool(s string) bool {
	switch s {
	case "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF":
		return true
	}
	return false
}

// isMapping is false for a mapping with another tag, which says that it is
// something else.
func isMapping(n *Node) bool { return n.Kind == KindMapping && n.Tag == tagMapping }

// isList takes lists and sets. A set whose members have values is a mapping
// with a wrong tag and is neither.
func isList(n *Node) bool {
	switch {
	case n.Kind == KindSequence:
		return n.Tag == tagList
	case n.Kind != KindMapping || n.Tag != tagSet || len(n.Children)%2 != 0:
		return false
	}
	for i := 0; i < len(n.Children); i += 2 {
		if v := n.Children[i+1]; v == nil || !isNull(v) {
			return false
		}
	}
	return true
}

// kindWord returns the catalogue's word for what a node is.
func kindWord(n *Node) string {
	if n == nil {
		return "none"
	}
	switch n.Kind {
	case KindScalar:
		return scalarWord(n)
	case KindSequence:
		if n.Tag == tagList {
			return "list"
		}
	case KindMapping:
		if n.Tag == tagMapping {
			return "mapping"
		}
		if n.Tag == tagSet {
			return "set"
		}
	default:
		return "none"
	}
	return "other"
}

func scalarWord(n *Node) string {
	switch n.Tag {
	case tagNull:
		return "null"
	case tagInt, tagFloat:
		return "number"
	case tagBool:
		return "boolean"
	case tagTimestamp:
		return "date"
	case tagText:
		if isText(n) {
			return "text"
		}
		return "boolean"
	}
	return "other"
}

// isNear tells a slip of the pen: another case, white space at the edges, an s
// too many or too few, or one letter wrong, missing or added.
func isNear(written, known string) bool {
	return oneSlip(strings.ToLower(strings.TrimSpace(written)), known)
}

// oneSlip tells whether at most one insertion, removal, replacement or swap of
// neighbours makes a of b.
func oneSlip(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	j := 0
	for j < len(a)-i && j < len(b)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	da, db := a[i:len(a)-j], b[i:len(b)-j]
	switch {
	case len(da) <= 1 && len(db) <= 1:
		return true
	case len(da) == 2 && len(db) == 2:
		return da[0] == db[1] && da[1] == db[0]
	}
	return false
}
