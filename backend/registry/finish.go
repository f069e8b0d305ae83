package registry

import (
	"strconv"
	"strings"
)

// finish makes the keywords of one simplified schema agree with each other:
// one type, no null, required names that exist.
func finish(t *tree) {
	if value := t.get("const"); value != nil {
		if t.get("enum") == nil {
			t.set("enum", newArray(value))
		}
		t.delete("const")
	}
	finishType(t)
	finishEnum(t)
	switch t.word("type") {
	case "array":
		if t.get("items") == nil {
			t.set("items", newObject()) // providers refuse a list without it
		}
	case "object":
		finishRequired(t)
	case "":
		// A branch of a union may say nothing but what it requires.
	default:
		t.delete("required")
	}
}

// finishType leaves one type word. Null is dropped, as a model leaves out what
// it does not want to give; several others become a union.
func finishType(t *tree) {
	kind := t.get("type")
	var words []string
	for _, word := range kind.words() {
		if word != "null" && isTypeWord(word) {
			words = append(words, word)
		}
	}
	switch {
	case kind.isText() && isTypeWord(kind.text):
	case len(words) == 1:
		t.set("type", textTree(words[0]))
	case len(words) > 1:
		t.delete("type")
		if t.get("anyOf") == nil && t.get("enum") == nil {
			var branches []*tree
			for _, word := range words {
				branch := newObject("type", textTree(word))
				if word == "array" {
					branch.set("items", orEmpty(t.get("items")))
				}
				branches = append(branches, branch)
			}
			t.set("anyOf", newArray(branches...))
			t.delete("items")
		}
	default:
		t.delete("type")
		inferType(t)
	}
}

func isTypeWord(word string) bool {
	switch word {
	case "string", "number", "integer", "boolean", "array", "object", "null":
		return true
	}
	return false
}

func orEmpty(t *tree) *tree {
	if t == nil {
		return newObject()
	}
	return t
}

func inferType(t *tree) {
	enum := t.get("enum")
	switch {
	case t.get("properties") != nil:
		t.set("type", textTree("object"))
	case t.get("anyOf") != nil:
	case t.get("items") != nil:
		t.set("type", textTree("array"))
	case enum.isArray() && len(enum.words()) == len(enum.items) && len(enum.items) > 0:
		t.set("type", textTree("string"))
	}
}

func finishEnum(t *tree) {
	enum := t.get("enum")
	if enum == nil {
		return
	}
	if !enum.isArray() || len(enum.items) == 0 {
		t.delete("enum")
		return
	}
	if len(enum.items) == 1 {
		return
	}
	if len(enum.items) > maxEnum {
		// Providers refuse a request with so many; the server checks the value.
		t.delete("enum")
		text := strings.TrimSpace(t.word("description") + " One of " + strconv.Itoa(len(enum.items)) + " values, such as " + examples(enum) + ".")
		t.set("description", textTree(cut(text, maxDescription)))
		return
	}
	kept := newArray()
	for _, item := range enum.items {
		if !item.is("null") {
			kept.items = append(kept.items, item)
		}
	}
	t.set("enum", kept)
}

// maxEnum is how many values a provider surely takes for one parameter.
const maxEnum = 250

// examples are the first values of a long list.
func examples(enum *tree) string {
	words := make([]string, 0, 3)
	for _, item := range enum.items[:3] {
		words = append(words, cut(string(item.json()), maxTitle))
	}
	return strings.Join(words, ", ")
}

func finishRequired(t *tree) {
	required := t.get("required")
	if required == nil {
		return
	}
	props := t.get("properties")
	kept := newArray()
	seen := map[string]bool{}
	for _, name := range required.words() {
		if !seen[name] && props.get(name) != nil {
			seen[name] = true
			kept.items = append(kept.items, textTree(name))
		}
	}
	if len(kept.items) == 0 {
		t.delete("required")
		return
	}
	t.set("required", kept)
}

// rootUnion turns "one of these sets of parameters" at the root, which
// providers refuse, into all of them, required where every set requires them;
// the description keeps what was said.
func rootUnion(t *tree) {
	union := t.get("anyOf")
	if union == nil {
		return
	}
	t.delete("anyOf")
	own := t.get("required").words()
	var common []string
	var said []string
	for i, branch := range union.items {
		required := branch.get("required").words()
		if i == 0 {
			common = required
		} else {
			common = intersection(common, required)
		}
		if len(required) > 0 {
			said = append(said, "["+strings.Join(required, ", ")+"]")
		}
		if props := branch.get("properties"); props != nil {
			mergeInto(t, newObject("properties", props))
		}
	}
	names := newArray()
	for _, name := range append(own, common...) {
		names.items = append(names.items, textTree(name))
	}
	t.delete("required")
	if len(names.items) > 0 {
		t.set("required", names)
		finishRequired(t)
	}
	if len(said) > 1 {
		text := strings.TrimSpace(t.word("description") + " Give one of these sets of parameters: " + strings.Join(said, " or ") + ".")
		t.set("description", textTree(text))
	}
}

func intersection(a, b []string) []string {
	var out []string
	for _, x := range a {
		for _, y := range b {
			if x == y {
				out = append(out, x)
				break
			}
		}
	}
	return out
}
