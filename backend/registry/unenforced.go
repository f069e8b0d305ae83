package registry

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Unenforced says in a few words each what of a tool's input schema arguments are
// not checked against, such as references to other documents and patterns with
// look-ahead. It is empty where all of it is enforced.
func Unenforced(schema json.RawMessage) []string {
	return (&checker{schema: schema}).unenforced()
}

// Unenforced is what the function of that name says of the entry's schema.
func (e Entry) Unenforced() []string { return e.checker().unenforced() }

func (c *checker) unenforced() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open()
	switch {
	case saysNothing(c.schema):
		return nil
	case c.compiled == nil:
		return []string{"the whole schema, which cannot be read: no call of the tool is sent"}
	}
	return c.compiled.left
}

// saysNothing knows what stands for no schema.
func saysNothing(schema json.RawMessage) bool {
	schema = bytes.TrimSpace(schema)
	return len(schema) == 0 || bytes.Equal(schema, []byte("null")) || bytes.Equal(schema, []byte("true"))
}

// beyond gives the path of the first number that is none in any common program:
// each reader makes something else of it, and none can compare it with a bound.
func beyond(t *tree, path string) string {
	if t.kind == scalarTree && isNumber(t) {
		if _, err := strconv.ParseFloat(t.text, 64); err != nil {
			return path
		}
	}
	for i, item := range t.items {
		if len(item.items) == 0 && item.kind != scalarTree {
			continue
		}
		step := "[" + strconv.Itoa(i) + "]"
		if t.kind == objectTree {
			step = propertyStep(t.keys[i])
		}
		if found := beyond(item, path+step); found != "" {
			return found
		}
	}
	return ""
}

// offStep looks at the steps of numbers (multipleOf) that are no whole numbers.
// The validator divides in binary, where 0.07 is no multiple of 0.01.
func (c *compiled) offStep(schema, value *tree, path string, depth int) *Invalid {
	if len(c.multiples) == 0 || !schema.isObject() || depth > maxSteps {
		return nil
	}
	if step, ok := c.multiples[schema]; ok && isNumber(value) && !isMultiple(value.text, step) {
		return &Invalid{Path: cut(path, maxDetail), Constraint: "multipleOf", Detail: value.text + " is not a multiple of " + step}
	}
	try := func(inner, part *tree, step string) *Invalid { return c.offStep(inner, part, path+step, depth+1) }
	if ref := schema.word("$ref"); ref != "" {
		if target := (&simplifier{root: c.tree}).lookup(ref); target != nil {
			if found := try(target, value, ""); found != nil {
				return found
			}
		}
	}
	for _, inner := range schema.get("allOf").list() {
		if found := try(inner, value, ""); found != nil {
			return found
		}
	}
	for i, part := range value.items {
		step := "[" + strconv.Itoa(i) + "]"
		inner := itemOf(schema, i)
		if value.kind == objectTree {
			step, inner = propertyStep(c.names.offer(value.keys[i])), propertyOf(schema, value.keys[i])
		}
		if inner == nil {
			continue
		}
		if found := try(inner, part, step); found != nil {
			return found
		}
	}
	return nil
}

// list are the elements of an array, none of anything else.
func (t *tree) list() []*tree {
	if !t.isArray() {
		return nil
	}
	return t.items
}

func itemOf(schema *tree, i int) *tree {
	if child, ok := itemPlace(place{schema: schema}, i); ok {
		return child.schema
	}
	return nil
}

func propertyOf(schema *tree, name string) *tree {
	if property := schema.get("properties").get(name); property != nil {
		return property
	}
	if patterns := schema.get("patternProperties"); patterns.isObject() {
		for i, pattern := range patterns.keys {
			if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
				return patterns.items[i]
			}
		}
	}
	return schema.get("additionalProperties")
}

// isMultiple divides as one does on paper.
func isMultiple(number, step string) bool {
	n, s := decimal(number), decimal(step)
	if n == nil || s == nil || s.Sign() == 0 {
		return false
	}
	return n.Quo(n, s).IsInt()
}

// maxExponent bounds the work for a number: beyond it a double is nothing or
// without end.
const maxExponent = 400

func decimal(text string) *big.Rat {
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return nil
		}
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return n
}
