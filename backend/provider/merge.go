package provider

import "encoding/json"

// value is a delta field that is still growing. Fields nobody here knows
// (reasoning_content, reasoning_details, extra_content ...) are kept by shape
// alone: strings are joined, objects merged, arrays extended. What arrives in
// one piece keeps its bytes, and strings are joined behind their escapes, so
// that a character cut in two by the vendor comes out whole.
type value struct {
	shape shape
	raw   []byte // whole: the value; joined: the inside of the string
	obj   []field
	arr   []*value
}

type shape uint8

const (
	whole shape = iota
	joined
	object
	array
)

type field struct {
	key string
	val *value
}

// labels are string fields that name a thing instead of carrying a piece of
// it: vendors repeat them in every delta, so the last one stands.
func isLabel(key string) bool {
	switch key {
	case "id", "type", "role", "format", "name", "status", "model", "object":
		return true
	}
	return false
}

func newValue(raw []byte) *value {
	return &value{raw: append([]byte(nil), raw...)}
}

// merge adds a later delta of the same field.
func (v *value) merge(key string, raw []byte) error {
	if isNull(raw) {
		return nil
	}
	switch {
	case isString(raw) && v.isString() && !isLabel(key):
		if v.shape == whole {
			v.shape, v.raw = joined, append([]byte(nil), inner(v.raw)...)
		}
		v.raw = append(v.raw, inner(raw)...)
	case isString(raw) && v.isString() && len(raw) == 2:
		// An empty label says nothing new.
	case isObject(raw) && v.isObject():
		return v.mergeObject(raw)
	case isArray(raw) && v.isArray():
		return v.mergeArray(raw)
	default:
		*v = *newValue(raw)
	}
	return nil
}

func (v *value) isString() bool {
	return v.shape == joined || v.shape == whole && isString(v.raw)
}
func (v *value) isObject() bool {
	return v.shape == object || v.shape == whole && isObject(v.raw)
}
func (v *value) isArray() bool {
	return v.shape == array || v.shape == whole && isArray(v.raw)
}

func (v *value) mergeObject(raw []byte) error {
	if v.shape == whole {
		ms, err := members(v.raw)
		if err != nil {
			return err
		}
		*v = value{shape: object}
		for _, m := range ms {
			v.obj = append(v.obj, field{m.key, newValue(m.value)})
		}
	}
	ms, err := members(raw)
	if err != nil {
		return err
	}
	for _, m := range ms {
		if v.obj, err = mergeField(v.obj, m); err != nil {
			return err
		}
	}
	return nil
}

func mergeField(fields []field, m member) ([]field, error) {
	for i := range fields {
		if fields[i].key == m.key {
			return fields, fields[i].val.merge(m.key, m.value)
		}
	}
	if isNull(m.value) {
		return fields, nil
	}
	if len(fields) >= maxParts {
		return fields, errTooManyParts
	}
	return append(fields, field{m.key, newValue(m.value)}), nil
}

func (v *value) mergeArray(raw []byte) error {
	if v.shape == whole {
		items, err := elements(v.raw)
		if err != nil {
			return err
		}
		*v = value{shape: array}
		for _, item := range items {
			v.arr = append(v.arr, newValue(item))
		}
	}
	items, err := elements(raw)
	if err != nil {
		return err
	}
	for _, item := range items {
		old, numbered := v.sameItem(item)
		switch {
		case old != nil:
			if err := old.merge("", item); err != nil {
				return err
			}
		case numbered && len(v.arr) >= maxParts:
			return errTooManyParts
		default:
			v.arr = append(v.arr, newValue(item))
		}
	}
	return nil
}

// sameItem finds the item a delta continues: vendors number the items of a
// growing list with "index" and may use one number for two types.
func (v *value) sameItem(item json.RawMessage) (old *value, numbered bool) {
	index, kind := itemKey(item)
	if index == "" {
		return nil, false
	}
	for _, old := range v.arr {
		oldIndex, oldKind := old.itemKey()
		if oldIndex == index && (kind == "" || oldKind == "" || kind == oldKind) {
			return old, true
		}
	}
	return nil, true
}

func itemKey(raw []byte) (index, kind string) {
	if !isObject(raw) {
		return "", ""
	}
	var key struct {
		Index json.RawMessage `json:"index"`
		Type  json.RawMessage `json:"type"`
	}
	if json.Unmarshal(raw, &key) != nil || isNull(key.Index) {
		return "", ""
	}
	return string(key.Index), string(key.Type)
}

func (v *value) itemKey() (index, kind string) {
	if v.shape == whole {
		return itemKey(v.raw)
	}
	for _, f := range v.obj {
		switch f.key {
		case "index":
			index = string(f.val.raw)
		case "type":
			kind = string(f.val.raw)
		}
	}
	return index, kind
}

// append writes the value as JSON.
func (v *value) append(dst []byte) []byte {
	switch v.shape {
	case joined:
		return append(append(append(dst, '"'), v.raw...), '"')
	case object:
		dst = append(dst, '{')
		for i, f := range v.obj {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, f.key), ':')
			dst = f.val.append(dst)
		}
		return append(dst, '}')
	case array:
		dst = append(dst, '[')
		for i, item := range v.arr {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	default:
		return append(dst, v.raw...)
	}
}
