package registry

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place is a schema inside a compiled one and the pointer that leads to it.
type place struct {
	schema  *tree
	pointer string
}

func (p place) child(keys ...string) place {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, key := range keys {
		if p.schema.isArray() {
			p.schema = p.schema.at(key)
		} else {
			p.schema = p.schema.get(key)
		}
		p.pointer += "/" + escape.Replace(key)
	}
	return p
}

// maxSteps bounds the way to a fault, references that lead nowhere included.
const maxSteps = 4 * maxDepth

// locate finds the innermost place of a fault: the validator says which schema
// is not met, not which argument. It follows the arguments in a fixed order, so
// that the answer is always the same.
func (c *compiled) locate(at place, value any, path string) *Invalid {
	for range maxSteps {
		next, inner, step, found := c.descend(at, value)
		if !found {
			break
		}
		at, value, path = next, inner, path+step
	}
	return c.explain(at, value, path)
}

// descend goes one step towards the fault.
func (c *compiled) descend(at place, value any) (next place, inner any, step string, found bool) {
	if ref := at.schema.word("$ref"); ref != "" {
		if target, ok := c.follow(ref); ok && c.check(target.pointer, value) != nil {
			return target, value, "", true
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if child, ok := c.propertyPlace(at, name); ok && c.check(child.pointer, v[name]) != nil {
				return child, v[name], propertyStep(c.names.offer(name)), true
			}
		}
	case []any:
		for i, item := range v {
			if child, ok := itemPlace(at, i); ok && c.check(child.pointer, item) != nil {
				return child, item, fmt.Sprintf("[%d]", i), true
			}
		}
	}
	if all := at.schema.get("allOf"); all.isArray() {
		for i := range all.items {
			if child := at.child("allOf", strconv.Itoa(i)); c.check(child.pointer, value) != nil {
				return child, value, "", true
			}
		}
	}
	return place{}, nil, "", false
}

func (c *compiled) follow(ref string) (place, bool) {
	s := simplifier{root: c.tree}
	target := s.lookup(ref)
	if target == nil || ref != "#" && !strings.HasPrefix(ref, "#/") {
		return place{}, false // an anchor has no pointer here
	}
	return place{target, strings.TrimPrefix(ref, "#")}, true
}

func (c *compiled) propertyPlace(at place, name string) (place, bool) {
	if at.schema.get("properties").get(name) != nil {
		return at.child("properties", name), true
	}
	if patterns := at.schema.get("patternProperties"); patterns.isObject() {
		for _, pattern := range patterns.keys {
			if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
				return at.child("patternProperties", pattern), true
			}
		}
	}
	if at.schema.get("additionalProperties").isObject() {
		return at.child("additionalProperties"), true
	}
	return place{}, false
}

func itemPlace(at place, i int) (place, bool) {
	n := strconv.Itoa(i)
	if list := at.schema.get("prefixItems"); list.isArray() && i < len(list.items) {
		return at.child("prefixItems", n), true
	}
	switch items := at.schema.get("items"); {
	case items.isArray() && i < len(items.items):
		return at.child("items", n), true
	case items.isObject():
		return at.child("items"), true
	}
	return place{}, false
}

func propertyStep(name string) string {
	if fieldName(name) == name {
		return "." + name
	}
	return "[" + quoteJSON(name) + "]"
}

// explain puts the validator's innermost message into words.
func (c *compiled) explain(at place, value any, path string) *Invalid {
	out := &Invalid{Path: cut(path, maxDetail), Constraint: "schema", Detail: "it does not fit"}
	err := c.check(at.pointer, value)
	if err == nil {
		return out
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	text := err.Error()
	keyword, detail, ok := strings.Cut(text, ": ")
	switch {
	case strings.HasPrefix(text, "unexpected additional properties"):
		out.Constraint = "additionalProperties"
		out.Detail = "unexpected: " + strings.Join(unexpected(at.schema, value), ", ")
	case keyword == "required" && ok:
		out.Constraint = keyword
		out.Detail = "missing: " + strings.Join(c.missing(at.schema, value), ", ")
	case strings.HasPrefix(text, "anyOf:"), strings.HasPrefix(text, "oneOf:"), strings.HasPrefix(text, "not:"):
		out.Constraint = keyword
		out.Detail = "it fits none of the forms the schema allows"
		if keyword == "not" || strings.Contains(detail, "validated against both") {
			out.Detail = "it has a form the schema does not allow"
		}
	case ok && relation(keyword) != "":
		out.Constraint = keyword
		out.Detail = fmt.Sprintf("%v %s %s", value, relation(keyword), at.schema.get(keyword).text)
	case ok && !strings.ContainsAny(keyword, " /"):
		out.Constraint, out.Detail = keyword, cut(detail, maxDetail)
	default:
		out.Detail = cut(text, maxDetail)
	}
	return out
}

// relation words a bound; the validator writes it in fractions.
func relation(keyword string) string {
	switch keyword {
	case "minimum":
		return "is less than"
	case "maximum":
		return "is greater than"
	case "exclusiveMinimum":
		return "is not greater than"
	case "exclusiveMaximum":
		return "is not less than"
	case "multipleOf":
		return "is not a multiple of"
	}
	return ""
}

// missing are the required names that an object lacks, as the model knows them.
func (c *compiled) missing(schema *tree, value any) []string {
	object, _ := value.(map[string]any)
	var out []string
	for _, name := range schema.get("required").words() {
		if _, ok := object[name]; !ok {
			out = append(out, fieldName(c.names.offer(name)))
		}
	}
	return out
}

func unexpected(schema *tree, value any) []string {
	object, _ := value.(map[string]any)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if schema.get("properties").get(name) == nil {
			out = append(out, fieldName(name))
		}
	}
	return out
}
