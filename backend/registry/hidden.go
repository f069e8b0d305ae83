package registry

import "strings"

// needsCleaning reports that a schema has characters beyond ASCII, or escapes,
// among which invisible ones can be. Most have none.
func needsCleaning(raw []byte) bool {
	for i, c := range raw {
		if c >= 0x80 || c == '<' || c == '\\' && i+1 < len(raw) && strings.IndexByte("ubfr", raw[i+1]) >= 0 {
			return true
		}
	}
	return false
}

// Reasons to keep a tool back whose schema says to a model what nobody sees, at
// a place where taking it out would change what the tool takes.
const (
	hiddenName  = "a name in its input schema holds characters that nobody sees"
	hiddenValue = "a value in its input schema holds characters that nobody sees"
)

// cleanTree takes invisible characters out of the texts of a schema. A name or a
// value that has to be given exactly cannot be cleaned; then it says why the tool
// is kept back. A default or an example is left out instead, a pattern too.
func cleanTree(t *tree) (reason string) {
	if t.kind != objectTree {
		for _, item := range t.items {
			if item.isText() {
				item.text = clean(item.text)
			}
			if reason = cleanTree(item); reason != "" {
				return reason
			}
		}
		return ""
	}
	for _, key := range append([]string(nil), t.keys...) {
		if hides(key) {
			return hiddenName
		}
		item := t.get(key)
		switch key {
		case "enum", "const":
			if treeHides(item) {
				return hiddenValue
			}
			continue
		case "default", "examples", "pattern":
			if treeHides(item) {
				t.delete(key)
			}
			continue
		case "required":
			continue // names that are checked where they stand
		}
		if item.isText() {
			item.text = clean(item.text)
		}
		if reason = cleanTree(item); reason != "" {
			return reason
		}
	}
	return ""
}

// treeHides reports that a value holds a text with invisible characters.
func treeHides(t *tree) bool {
	for _, key := range t.keys {
		if hides(key) {
			return true
		}
	}
	for _, item := range t.items {
		if treeHides(item) {
			return true
		}
	}
	return t.isText() && hides(t.text)
}

// hides reports that a text has what clean takes out; line ends are no secret.
func hides(text string) bool {
	text = strings.ReplaceAll(text, "\r", "")
	return clean(text) != text
}
