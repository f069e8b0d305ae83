package registry

import (
	"slices"
	"strings"
)

// A compact signature says in one line what a model needs to write a call:
// name(path: string, head?: integer, mode?: "a"|"b").

const (
	signatureDepth = 3
	maxChoices     = 8
	maxChoiceText  = 160
)

// signature writes the parameters of a tool, required ones first, each group in
// the server's order.
func signature(params *tree) string { return "(" + fields(params, 0) + ")" }

func fields(t *tree, depth int) string {
	props := t.get("properties")
	if props == nil {
		return ""
	}
	required := t.get("required").words()
	var first, rest []string
	for i, name := range props.keys {
		kind := typeWords(props.items[i], depth+1)
		if slices.Contains(required, name) {
			first = append(first, fieldName(name)+": "+kind)
		} else {
			rest = append(rest, fieldName(name)+"?: "+kind)
		}
	}
	return strings.Join(append(first, rest...), ", ")
}

func fieldName(name string) string {
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return quoteJSON(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

func typeWords(t *tree, depth int) string {
	if enum := t.get("enum"); enum.isArray() {
		return choices(enum.items)
	}
	if union := t.get("anyOf"); union.isArray() {
		var words []string
		for _, branch := range union.items {
			if word := typeWords(branch, depth); !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		return strings.Join(words, "|")
	}
	switch word := t.word("type"); word {
	case "array":
		item := typeWords(orEmpty(t.get("items")), depth)
		if strings.Contains(item, "|") && item[0] != '{' {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		return objectWords(t, depth)
	case "":
		return "any"
	default:
		return word
	}
}

func objectWords(t *tree, depth int) string {
	if depth > signatureDepth {
		return "object"
	}
	inside := fields(t, depth)
	if more := t.get("additionalProperties"); more.isObject() && inside == "" {
		inside = "[key]: " + typeWords(more, depth+1)
	}
	if inside == "" {
		return "object"
	}
	return "{" + inside + "}"
}

func choices(items []*tree) string {
	var words []string
	length := 0
	for _, item := range items {
		word := string(item.json())
		length += len(word)
		if len(words) == maxChoices || length > maxChoiceText {
			words = append(words, "…")
			break
		}
		words = append(words, word)
	}
	return strings.Join(words, "|")
}
