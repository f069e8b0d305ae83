package registry

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// compiled is a schema that arguments can be validated against, as a whole and
// at each place by its JSON pointer.
type compiled struct {
	tree *tree
	text []byte
	// names are those of parameters in what is said of a fault.
	names offeredNames
	done  map[string]*jsonschema.Resolved
}

// documentURI is the address under which a schema is referred to by pointer.
const documentURI = "hermes://tool/schema"

// compile reads a schema; nil if nothing can be said about arguments with it.
func compile(schema json.RawMessage) *compiled {
	t, err := parseTree(schema)
	if err != nil || !t.isObject() {
		return nil
	}
	t.delete("$id") // every reference is local, so its own name is not needed
	if !onlyLocal(t) {
		return nil
	}
	prepare(t)
	switch t.word("$schema") {
	case "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#":
	default:
		// The validator knows no other old draft and would refuse the schema;
		// what tools use is the same in all of them.
		t.delete("$schema")
	}
	c := &compiled{tree: t, text: t.json(), done: map[string]*jsonschema.Resolved{}}
	if _, err := c.resolve(""); err != nil {
		return nil
	}
	return c
}

// isData reports keywords whose values are no schemas.
func isData(key string) bool {
	switch key {
	case "default", "const", "enum", "examples":
		return true
	}
	return false
}

// onlyLocal reports that every reference stays in the document, and that "#"
// means the document everywhere in it: a schema inside with an "$id" of its own
// would be another one.
func onlyLocal(t *tree) bool {
	for i, item := range t.items {
		if t.kind == objectTree {
			if isData(t.keys[i]) {
				continue
			}
			switch t.keys[i] {
			case "$ref", "$dynamicRef":
				if item.isText() && !strings.HasPrefix(item.text, "#") {
					return false
				}
			case "$id":
				if item.isText() {
					return false
				}
			}
		}
		if !onlyLocal(item) {
			return false
		}
	}
	return true
}

// prepare makes a schema readable for the validator: OpenAPI's nullable becomes
// a type, patterns in a dialect Go does not have are left out instead of
// making the whole schema useless.
func prepare(t *tree) {
	if t.kind == objectTree {
		if pattern := t.get("pattern"); pattern.isText() && !compiles(pattern.text) {
			t.delete("pattern")
		}
		if patterns := t.get("patternProperties"); patterns.isObject() {
			for _, pattern := range append([]string(nil), patterns.keys...) {
				if !compiles(pattern) {
					patterns.delete(pattern)
				}
			}
		}
		if t.get("nullable").is("true") {
			allowNull(t)
		}
	}
	for i, item := range t.items {
		if t.kind != objectTree || !isData(t.keys[i]) {
			prepare(item)
		}
	}
}

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}

func allowNull(t *tree) {
	null := &tree{text: "null"}
	if kind := t.get("type"); kind.isText() {
		t.set("type", newArray(kind, textTree("null")))
	}
	if enum := t.get("enum"); enum.isArray() {
		t.set("enum", newArray(append(append([]*tree(nil), enum.items...), null)...))
	}
}

// check validates a value against the schema at a JSON pointer; "" is the root.
func (c *compiled) check(pointer string, value any) (err error) {
	resolved, err := c.resolve(pointer)
	if err != nil {
		return nil // nothing can be said
	}
	defer func() {
		// The validator asserts its own state; a fault there must not take the
		// turn down.
		if recover() != nil {
			err = nil
		}
	}()
	return resolved.Validate(value)
}

func (c *compiled) resolve(pointer string) (out *jsonschema.Resolved, err error) {
	if done := c.done[pointer]; done != nil {
		return done, nil
	}
	defer func() {
		if recovered := recover(); recovered != nil {
			err = fmt.Errorf("resolving the schema: %v", recovered)
		}
	}()
	root := new(jsonschema.Schema)
	if err := json.Unmarshal(c.text, root); err != nil {
		return nil, err
	}
	entry := root
	if pointer != "" {
		ref := url.URL{Scheme: "hermes", Host: "tool", Path: "/schema", Fragment: pointer}
		entry = &jsonschema.Schema{Schema: root.Schema, Ref: ref.String()}
	}
	resolved, err := entry.Resolve(&jsonschema.ResolveOptions{
		BaseURI: baseOf(pointer),
		Loader: func(uri *url.URL) (*jsonschema.Schema, error) {
			if uri.String() == documentURI {
				return root, nil
			}
			return nil, fmt.Errorf("%s is not part of the schema", uri)
		},
	})
	if err != nil {
		return nil, err
	}
	c.done[pointer] = resolved
	return resolved, nil
}

func baseOf(pointer string) string {
	if pointer == "" {
		return documentURI
	}
	return "hermes://tool/entry"
}
