package config

import (
	"strings"

	"hermes/backend/policy"
)

// Written gives a value as a person types it: text that would be read as
// something else stands in quotes.
func Written(n *policy.Node) string {
	if n.Kind == policy.KindScalar && n.Tag == "!!str" {
		if again, err := Value(n.Value); err != nil || again.Kind != policy.KindScalar || again.Tag != n.Tag || again.Value != n.Value {
			return quote(n.Value)
		}
	}
	return WriteYAML(n)
}

// Mistaken tells text that was given in quotes of its own and looks like a list
// or a mapping, and which of both: it is easily meant as one.
func Mistaken(n *policy.Node) string {
	if text := strings.TrimSpace(n.Value); n.Kind != policy.KindScalar || n.Tag != "!!str" || text == "" || text[0] != '[' && text[0] != '{' {
		return ""
	}
	switch again, err := Value(n.Value); {
	case err != nil:
		return ""
	case again.Kind == policy.KindSequence:
		return "list"
	case again.Kind == policy.KindMapping:
		return "mapping"
	}
	return ""
}

// Indexed gives the first key of a path that looks like the item of a list and
// does not stand in quotes, empty for none. It is no key that anybody means.
func Indexed(path string) string {
	for rest := path; rest != ""; {
		key, after, err := pathKey(rest)
		if err != nil {
			return ""
		}
		if rest[0] != '"' && rest[0] != '\'' && strings.ContainsAny(key, "[]") {
			return key
		}
		rest = strings.TrimPrefix(after, ".")
	}
	return ""
}
