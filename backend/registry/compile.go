package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"

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
	// left says what of the schema is not enforced; multiples are the steps that
	// are looked at apart, by their schema.
	left      []string
	multiples map[*tree]string
}

// documentURI is the address under which a schema is referred to by pointer.
const documentURI = "hermes://tool/schema"

// compile reads a schema; nil if it cannot be read at all. What of it cannot be
// enforced is left out and told, so that the rest is checked all the same.
func compile(schema json.RawMessage) *compiled {
	t, err := parseTree(schema)
	if err != nil || !t.isObject() {
		return nil
	}
	m := &mender{root: t}
	m.mend()
	switch t.word("$schema") {
	case "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#":
	default:
		// The validator knows no other old draft and would refuse the schema;
		// what tools use is the same in all of them.
		t.delete("$schema")
	}
	c := newCompiled(t)
	if _, err := c.resolve(""); err != nil {
		m.keepReadable()
		c = newCompiled(t)
		if _, err = c.resolve(""); err != nil {
			return nil
		}
	}
	c.left, c.multiples = m.left, m.multiples
	return c
}

func newCompiled(t *tree) *compiled {
	return &compiled{tree: t, text: t.json(), done: map[string]*jsonschema.Resolved{}}
}

// isData reports keywords whose values are no schemas.
func isData(key string) bool {
	switch key {
	case "default", "const", "enum", "examples":
		return true
	}
	return false
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
// What cannot be checked does not fit.
func (c *compiled) check(pointer string, value any) (err error) {
	resolved, err := c.resolve(pointer)
	if err != nil {
		if pointer != "" {
			return nil // the root decides; this only finds the place of its fault
		}
		return err
	}
	defer func() {
		// The validator asserts its own state; a fault there must not take the
		// turn down.
		if recover() != nil {
			err = errors.New("it cannot be checked")
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
