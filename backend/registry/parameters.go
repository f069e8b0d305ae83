package registry

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// parameters turns an input schema into one that providers of OpenAI-style
// function calling take (field case C7): an object at the root, no references,
// no combinators at the root, no unions with null, nothing that small grammars
// do not know. It only has to tell a model what to write; arguments are
// validated against the schema as the server gave it.
func parameters(schema json.RawMessage) json.RawMessage { return parameterTree(schema).json() }

// maxNodes bounds how much a schema may grow when its references are put in
// place.
const maxNodes = 4000

func parameterTree(schema json.RawMessage) *tree {
	source, err := parseTree(schema)
	if err != nil || !source.isObject() {
		source = newObject()
	}
	s := simplifier{root: source, left: maxNodes, names: namesOf(source)}
	out := s.schema(source)
	if !out.isObject() {
		out = newObject()
	}
	rootUnion(out)
	result := newObject("type", textTree("object"))
	for i, key := range out.keys {
		switch key {
		case "type", "enum", "not", "anyOf", "properties":
		default:
			result.set(key, out.items[i])
		}
	}
	props := out.get("properties")
	if !props.isObject() {
		props = newObject()
	}
	result.set("properties", props)
	return result
}

// simplifier walks a schema once, putting references in place.
type simplifier struct {
	root *tree
	open []string // references being followed
	left int
	// names are those of the parameters as they are written out.
	names offeredNames
}

// schema returns the simplified schema; nil for one that allows nothing.
func (s *simplifier) schema(in *tree) *tree {
	if in.is("false") {
		return nil
	}
	if !in.isObject() {
		return newObject()
	}
	if s.left--; s.left <= 0 {
		return outline(in)
	}
	if ref := in.word("$ref"); ref != "" {
		return s.reference(in, ref)
	}
	out := newObject()
	for i, key := range in.keys {
		s.keyword(out, key, in.items[i])
	}
	s.combine(out, in)
	finish(out)
	return out
}

// outline stands for a part that is left out: nested in itself, or too much.
func outline(in *tree) *tree {
	out := newObject()
	if word := in.word("type"); word != "" {
		out.set("type", textTree(word))
	} else if in.get("properties").isObject() {
		out.set("type", textTree("object"))
	}
	if text := in.word("description"); text != "" {
		out.set("description", textTree(cut(text, maxDescription)))
	}
	finish(out)
	return out
}

func (s *simplifier) reference(in *tree, ref string) *tree {
	target := s.lookup(ref)
	if target == nil {
		out := outline(in)
		out.delete("type")
		return out // defined elsewhere: any value
	}
	if slices.Contains(s.open, ref) {
		return outline(target)
	}
	s.open = append(s.open, ref)
	merged := newObject()
	for i, key := range target.keys {
		merged.set(key, target.items[i])
	}
	for i, key := range in.keys {
		if key != "$ref" {
			merged.set(key, in.items[i])
		}
	}
	out := s.schema(merged)
	s.open = s.open[:len(s.open)-1]
	return out
}

// lookup follows a local reference: "#", a JSON pointer, or an anchor.
func (s *simplifier) lookup(ref string) *tree {
	fragment, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	if fragment != "" && fragment[0] != '/' {
		return findAnchor(s.root, fragment)
	}
	at := s.root
	for _, part := range strings.Split(fragment, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch {
		case at.isObject():
			at = at.get(part)
		case at.isArray():
			at = at.at(part)
		default:
			return nil
		}
		if at == nil {
			return nil
		}
	}
	if !at.isObject() {
		return nil
	}
	return at
}

func (t *tree) at(index string) *tree {
	n := 0
	for _, c := range []byte(index) {
		if c < '0' || c > '9' || n > len(t.items) {
			return nil
		}
		n = n*10 + int(c-'0')
	}
	if index == "" || n >= len(t.items) {
		return nil
	}
	return t.items[n]
}

func findAnchor(t *tree, name string) *tree {
	if t.word("$anchor") == name || t.word("$dynamicAnchor") == name {
		return t
	}
	for _, item := range t.items {
		if found := findAnchor(item, name); found != nil {
			return found
		}
	}
	return nil
}

// keyword copies one keyword, simplified. Those that are missing here are for
// validators, not for a model: $defs, $id, not, if, patternProperties ...
func (s *simplifier) keyword(out *tree, key string, value *tree) {
	switch key {
	case "title", "description":
		if value.isText() {
			out.set(key, textTree(cut(clean(value.text), maxDescription)))
		}
	case "required":
		if value.isArray() {
			names := newArray()
			for _, name := range value.words() {
				names.items = append(names.items, textTree(s.names.offer(name)))
			}
			out.set(key, names)
		}
	case "type", "enum", "const", "default", "format", "examples",
		"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "multipleOf", "uniqueItems":
		out.set(key, value)
	case "pattern":
		// A dialect with look-around is refused by providers, or makes their
		// grammars hang.
		if value.isText() && compiles(value.text) {
			out.set(key, value)
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		if !value.is("true") && !value.is("false") { // draft 4 has booleans here
			out.set(key, value)
		}
	case "properties":
		if value.isObject() {
			out.set(key, s.properties(value))
		}
	case "additionalProperties":
		if value.isObject() {
			out.set(key, s.schema(value))
		} else if value.is("false") {
			out.set(key, value)
		}
	case "items":
		if value.isArray() {
			out.set(key, s.tuple(value.items))
		} else if sub := s.schema(value); sub != nil {
			out.set(key, sub)
		}
	case "prefixItems":
		if value.isArray() && out.get("items") == nil {
			out.set("items", s.tuple(value.items))
		}
	}
}

func (s *simplifier) properties(in *tree) *tree {
	out := newObject()
	for i, name := range in.keys {
		if sub := s.schema(in.items[i]); sub != nil {
			out.set(s.names.offer(name), sub)
		}
	}
	return out
}

// tuple gives a list whose places differ one schema for all places.
func (s *simplifier) tuple(items []*tree) *tree {
	return oneOf(s.branches(items))
}

func (s *simplifier) branches(items []*tree) []*tree {
	var out []*tree
	seen := map[string]bool{}
	for _, item := range items {
		sub := s.schema(item)
		if sub == nil || isNullSchema(sub) {
			continue
		}
		if text := string(sub.json()); !seen[text] {
			seen[text] = true
			out = append(out, sub)
		}
	}
	return out
}

func oneOf(branches []*tree) *tree {
	switch len(branches) {
	case 0:
		return newObject()
	case 1:
		return branches[0]
	}
	return newObject("anyOf", newArray(branches...))
}

func isNullSchema(t *tree) bool {
	if t.word("type") == "null" {
		return true
	}
	enum := t.get("enum")
	return enum.isArray() && len(enum.items) == 1 && enum.items[0].is("null")
}

// combine works the combinators into out: allOf is merged, anyOf and oneOf
// become anyOf without null, or vanish where one branch is left.
func (s *simplifier) combine(out, in *tree) {
	if all := in.get("allOf"); all.isArray() {
		for _, item := range all.items {
			if sub := s.schema(item); sub != nil {
				mergeInto(out, sub)
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list := in.get(key)
		if !list.isArray() {
			continue
		}
		branches := s.branches(list.items)
		switch {
		case len(branches) == 1:
			mergeInto(out, branches[0])
		case len(branches) > 1 && out.get("anyOf") == nil:
			out.set("anyOf", newArray(branches...))
		}
	}
}

// mergeInto adds what sub says; what dst says already stays.
func mergeInto(dst, sub *tree) {
	for i, key := range sub.keys {
		old := dst.get(key)
		switch {
		case old == nil:
			dst.set(key, sub.items[i])
		case key == "properties" && old.isObject():
			merged := newObject()
			for j, name := range old.keys {
				merged.set(name, old.items[j])
			}
			for j, name := range sub.items[i].keys {
				if merged.get(name) == nil {
					merged.set(name, sub.items[i].items[j])
				}
			}
			dst.set(key, merged)
		case key == "required" && old.isArray():
			names := append(slices.Clone(old.items), sub.items[i].items...)
			dst.set(key, newArray(names...))
		}
	}
}
