package registry

import (
	"math"
	"math/big"
)

// shape is what a keyword of JSON Schema can have as its value.
type shape uint8

const (
	ofAny shape = iota
	ofNote
	ofText
	ofFlag
	ofNumber
	ofCount
	ofNames
	ofNamedNames
	ofTypes
	ofValues
	aSchema
	someSchemas
	namedSchemas
	schemaOrSome
)

// shapeOf is the shape of a keyword (JSON Schema 2020-12, and what draft 7 had).
func shapeOf(key string) shape {
	switch key {
	case "title", "description", "$comment", "format", "contentEncoding", "contentMediaType", "$schema":
		return ofNote
	case "pattern", "$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$id":
		return ofText
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		return ofFlag
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return ofNumber
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		return ofCount
	case "required":
		return ofNames
	case "dependentRequired":
		return ofNamedNames
	case "type":
		return ofTypes
	case "enum", "examples":
		return ofValues
	case "not", "if", "then", "else", "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "contains", "propertyNames", "contentSchema":
		return aSchema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return someSchemas
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return namedSchemas
	case "items":
		return schemaOrSome
	}
	return ofAny
}

// fits tells whether a value has the shape.
func (s shape) fits(value *tree) bool {
	switch s {
	case ofNote, ofText:
		return value.isText()
	case ofFlag:
		return value.is("true") || value.is("false")
	case ofNumber:
		return isNumber(value) && beyond(value, "x") == ""
	case ofCount:
		n := decimal(value.text)
		return isNumber(value) && n != nil && n.IsInt() && n.Sign() >= 0 && n.Cmp(new(big.Rat).SetInt64(math.MaxInt32)) <= 0
	case ofNames:
		return value.areTexts()
	case ofNamedNames:
		for _, names := range value.items {
			if !names.areTexts() {
				return false
			}
		}
		return value.isObject()
	case ofTypes:
		return isTypeWord(value.text) && value.isText() || value.isArray() && len(value.items) > 0 && value.areTypes()
	case ofValues:
		return value.isArray()
	case aSchema:
		return value.isSchema()
	case someSchemas:
		return value.areSchemas()
	case namedSchemas:
		return value.isObject()
	case schemaOrSome:
		return value.isSchema() || value.areSchemas()
	}
	return true
}

func (t *tree) isSchema() bool { return t.isObject() || t.is("true") || t.is("false") }

func (t *tree) areSchemas() bool { return t.isArray() && t.all((*tree).isSchema) }

func (t *tree) areTexts() bool { return t.isArray() && t.all((*tree).isText) }

func (t *tree) areTypes() bool {
	return t.all(func(item *tree) bool { return item.isText() && isTypeWord(item.text) })
}

func (t *tree) all(fits func(*tree) bool) bool {
	for _, item := range t.items {
		if !fits(item) {
			return false
		}
	}
	return true
}
