package registry

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// mender makes a schema readable for the validator: what it cannot enforce is
// left out and told, instead of making the whole schema useless.
type mender struct {
	root      *tree
	left      []string
	dropped   int
	known     map[*tree]bool // the schemas of the document
	multiples map[*tree]string
}

// maxLeft bounds what is told of one schema.
const maxLeft = 10

func (m *mender) drop(t *tree, key, path, why string) {
	t.delete(key)
	m.dropped++
	if len(m.left) < maxLeft {
		m.left = append(m.left, cut(key+" at "+path+": "+why, maxDetail))
	}
}

func (m *mender) mend() {
	m.multiples, m.known = map[*tree]string{}, map[*tree]bool{}
	m.root.delete("$id") // every reference is local, so its own name is not needed
	m.oneDefs()
	m.everywhere(m.root, m.known, func(*tree) {}) // a reference to anything else is followed by no validator
	m.schema(m.root, "the root", false, false)
	state := map[*tree]int{}
	m.circles(m.root, state)
	m.everywhere(m.root, map[*tree]bool{}, func(t *tree) { m.circles(t, state) })
}

// everywhere goes through the schemas in a schema in the order of the document.
func (m *mender) everywhere(t *tree, seen map[*tree]bool, each func(*tree)) {
	if seen[t] || !t.isObject() {
		return
	}
	seen[t] = true
	each(t)
	m.inside(t, func(inner *tree, _, _ string) { m.everywhere(inner, seen, each) }, "")
}

// oneDefs brings definitions under one keyword, as the validator reads only one.
func (m *mender) oneDefs() {
	old, defs := m.root.get("definitions"), m.root.get("$defs")
	if !old.isObject() || !defs.isObject() {
		return
	}
	for i, name := range old.keys {
		if defs.get(name) == nil {
			defs.set(name, old.items[i])
		}
	}
	m.root.delete("definitions")
	var rename func(t *tree)
	rename = func(t *tree) {
		if ref := t.get("$ref"); ref.isText() {
			if rest, ok := strings.CutPrefix(ref.text, "#/definitions/"); ok && old.get(rest) == defs.get(rest) {
				ref.text = "#/$defs/" + rest
			}
		}
		for _, item := range t.items {
			rename(item)
		}
	}
	rename(m.root)
}

// schema mends one schema and those in it. foreign says that a schema around it
// has a name of its own, so that "#" is not the document; denied that it stands
// where fitting is no demand: within not, oneOf, anyOf and if.
func (m *mender) schema(t *tree, path string, foreign, denied bool) {
	if !t.isObject() {
		return
	}
	if t.get("$id").isText() {
		t.delete("$id")
		foreign = true
	}
	m.kinds(t, path)
	m.references(t, path, foreign)
	m.values(t, path, denied)
	lax := map[string]bool{}
	m.inside(t, func(inner *tree, key, path string) {
		before := m.dropped
		m.schema(inner, path, foreign, denied || key == "not" || key == "oneOf" || key == "anyOf" || key == "if" || key == "then" || key == "else" || key == "contains")
		if m.dropped > before {
			lax[key] = true
		}
	}, path)
	// What lets more fit than it should must not refuse for it.
	const half = "part of it cannot be enforced"
	if lax["not"] {
		m.drop(t, "not", path, half)
	}
	if lax["if"] {
		m.drop(t, "if", path, half)
	}
	if one := t.get("oneOf"); lax["oneOf"] {
		m.drop(t, "oneOf", path, half)
		if t.get("anyOf") == nil {
			t.set("anyOf", one)
		}
	}
}

// inside are the schemas within a schema.
func (m *mender) inside(t *tree, each func(inner *tree, key, path string), path string) {
	for i, key := range t.keys {
		item, at := t.items[i], path+"."+key
		switch shapeOf(key) {
		case aSchema:
			each(item, key, at)
		case someSchemas:
			for j, inner := range item.list() {
				each(inner, key, at+"["+strconv.Itoa(j)+"]")
			}
		case namedSchemas:
			for j, inner := range item.items {
				each(inner, key, path+"."+key+propertyStep(item.keys[j]))
			}
		case schemaOrSome:
			each(item, key, at)
			for j, inner := range item.list() {
				each(inner, key, at+"["+strconv.Itoa(j)+"]")
			}
		}
	}
}

// kinds leaves out keywords whose value is none the keyword can have.
func (m *mender) kinds(t *tree, path string) {
	for key, bound := range map[string]string{"exclusiveMaximum": "maximum", "exclusiveMinimum": "minimum"} {
		switch value := t.get(key); { // as draft 4 wrote it
		case value.is("true") && t.get(bound) != nil:
			t.set(key, t.get(bound))
			t.delete(bound)
		case value.is("true"), value.is("false"):
			t.delete(key)
		}
	}
	for _, key := range slices.Clone(t.keys) {
		value := t.get(key)
		if value == nil {
			continue
		}
		switch shape := shapeOf(key); {
		case shape == namedSchemas && value.isObject():
			for _, name := range slices.Clone(value.keys) {
				if inner := value.get(name); inner != nil && !inner.isSchema() && !(key == "dependencies" && inner.areTexts()) {
					m.drop(value, name, path+"."+key, "it is no schema")
				}
			}
		case shape == ofNote:
			if !value.isText() {
				t.delete(key)
			}
		case !shape.fits(value):
			m.drop(t, key, path, "it has a value the keyword cannot have")
		}
	}
}

// references leaves out those that lead out of the document, or nowhere.
func (m *mender) references(t *tree, path string, foreign bool) {
	for _, key := range []string{"$ref", "$dynamicRef"} {
		ref := t.get(key)
		switch refs := (simplifier{root: m.root}); {
		case ref == nil:
		case !strings.HasPrefix(ref.text, "#") || foreign:
			m.drop(t, key, path, "it leads to another document ("+cut(ref.text, maxTitle)+")")
		case !m.known[refs.lookup(ref.text)]:
			m.drop(t, key, path, "it leads nowhere ("+cut(ref.text, maxTitle)+")")
		}
	}
}

// values mends what OpenAPI and other dialects write.
func (m *mender) values(t *tree, path string, denied bool) {
	const dialect = "a regular expression in a dialect that is not understood here, such as one with look-ahead"
	if pattern := t.get("pattern"); pattern != nil && !compiles(pattern.text) {
		m.drop(t, "pattern", path, dialect)
	}
	if patterns := t.get("patternProperties"); patterns.isObject() {
		for _, pattern := range slices.Clone(patterns.keys) {
			if !compiles(pattern) {
				m.drop(patterns, pattern, path+".patternProperties", dialect)
			}
		}
	}
	if step := t.get("multipleOf"); step != nil {
		switch n := decimal(step.text); {
		case n == nil || n.Sign() <= 0:
			m.drop(t, "multipleOf", path, "it is no step")
		case n.IsInt() && n.Cmp(new(big.Rat).SetInt64(1<<53)) < 0 || denied:
			// The validator is exact with whole numbers. Elsewhere its answer
			// is one of several that count together.
		default:
			t.delete("multipleOf")
			m.multiples[t] = step.text
		}
	}
	if t.get("nullable").is("true") {
		allowNull(t)
	}
}

// circles leaves out the reference that closes a way from a schema to itself that
// goes into no part of the value: a validator would go round for ever.
func (m *mender) circles(t *tree, state map[*tree]int) {
	const open, done = 1, 2
	if !t.isObject() || state[t] == done {
		return
	}
	state[t] = open
	refs := simplifier{root: m.root}
	for _, key := range []string{"$ref", "$dynamicRef"} {
		if target := refs.lookup(t.word(key)); target != nil && state[target] == open {
			m.drop(t, key, "a schema", "it leads back to itself")
		} else if target != nil {
			m.circles(target, state)
		}
	}
	for _, key := range slices.Clone(t.keys) {
		before := m.dropped
		switch value := t.get(key); key {
		case "allOf", "anyOf", "oneOf":
			for _, inner := range value.list() {
				m.circles(inner, state)
			}
		case "not", "if", "then", "else":
			m.circles(value, state)
		case "dependentSchemas", "dependencies":
			for _, inner := range value.items {
				m.circles(inner, state)
			}
		}
		if m.dropped > before && (key == "not" || key == "if" || key == "oneOf") {
			m.drop(t, key, "a schema", "part of it leads back to itself")
		}
	}
	state[t] = done
}

// keepReadable leaves out the parameters, and then the keywords, that alone make
// a schema unreadable.
func (m *mender) keepReadable() {
	readable := func(t *tree) bool {
		for _, key := range []string{"$defs", "definitions"} {
			if defs := m.root.get(key); defs != nil && t.get(key) == nil {
				t.set(key, defs)
			}
		}
		_, err := newCompiled(t).resolve("")
		return err == nil
	}
	if props := m.root.get("properties"); props.isObject() {
		for _, name := range slices.Clone(props.keys) {
			if !readable(newObject("properties", newObject(name, props.get(name)))) {
				m.drop(props, name, "the root.properties", "it cannot be read")
			}
		}
	}
	for _, key := range slices.Clone(m.root.keys) {
		if !readable(newObject(key, m.root.get(key))) {
			m.drop(m.root, key, "the root", "it cannot be read")
		}
	}
}
