package registry

import (
	"encoding/json"
	"strings"
)

// Coerce mends what models often do with top-level arguments: a number, a
// boolean, a list or an object written as text where the schema has no text in
// mind. Names that a model was offered become the server's. Arguments without such a fault are returned as they are.
func Coerce(schema, args json.RawMessage) json.RawMessage {
	return (&checker{schema: schema}).arguments(args)
}

// coerce mends the values of an object in place.
func (c *checker) coerce(given *tree) (changed bool) {
	for i, name := range given.keys {
		if !given.items[i].isText() {
			continue
		}
		if c.props == nil {
			c.props = parameterTree(c.schema).get("properties")
		}
		if value := coerced(c.props.get(c.names.offer(name)), given.items[i].text); value != nil {
			given.items[i] = value
			changed = true
		}
	}
	return changed
}

// coerced is the value a text stands for, nil to leave it.
func coerced(schema *tree, text string) *tree {
	kind := schema.word("type")
	if kind == "" || kind == "string" || schema.get("anyOf") != nil || schema.get("enum") != nil {
		return nil
	}
	value, err := parseTree([]byte(strings.TrimSpace(text)))
	if err != nil {
		return nil
	}
	fits := false
	switch kind {
	case "integer":
		fits = isNumber(value) && !strings.ContainsAny(value.text, ".eE")
	case "number":
		fits = isNumber(value)
	case "boolean":
		fits = value.is("true") || value.is("false")
	case "array":
		fits = value.isArray()
	case "object":
		fits = value.isObject()
	}
	if !fits {
		return nil
	}
	return value
}

func isNumber(t *tree) bool {
	return t.kind == scalarTree && t.text != "" && (t.text[0] == '-' || t.text[0] >= '0' && t.text[0] <= '9')
}
