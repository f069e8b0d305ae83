package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// maxParameter is how long the name of a parameter may be: vendors refuse a whole
// request for a property key that does not match ^[a-zA-Z0-9_.-]{1,64}$.
const maxParameter = 64

// offeredNames are the names under which a model is given those parameters of one
// tool whose own names vendors refuse. An offered name is no key of the schema, at
// no place, so that it can always be told from the server's own names. The zero
// value offers every name as it is.
type offeredNames struct {
	offered map[string]string // by the server's name
	raw     map[string]string // by the offered name
}

// offer is the name a model is given for a parameter.
func (n offeredNames) offer(raw string) string {
	if name, ok := n.offered[raw]; ok {
		return name
	}
	return raw
}

func (n offeredNames) none() bool { return len(n.offered) == 0 }

// namesOf finds the offered names of a schema. They depend on nothing but its keys.
func namesOf(schema *tree) offeredNames {
	unfit := map[string]bool{}
	unfitNames(schema, unfit)
	if len(unfit) == 0 {
		return offeredNames{}
	}
	keys := map[string]bool{}
	allKeys(schema, keys)
	raws := make([]string, 0, len(unfit))
	plain := map[string]int{}
	for raw := range unfit {
		raws = append(raws, raw)
		plain[fitting(raw)]++
	}
	slices.Sort(raws)
	n := offeredNames{offered: map[string]string{}, raw: map[string]string{}}
	for _, raw := range raws {
		name := fitting(raw)
		taken := func() bool {
			_, other := n.raw[name]
			return other || keys[name]
		}
		// Nobody has the plain name where two could, so that a parameter that is
		// added later takes no other's name.
		if len(raw) > maxParameter || plain[name] > 1 || taken() {
			for salt := raw; ; salt += "\x00" {
				if name = hashed(fitting(raw), salt); !taken() {
					break
				}
			}
		}
		n.offered[raw], n.raw[name] = name, raw
	}
	return n
}

func hashed(name, salt string) string {
	sum := sha256.Sum256([]byte(salt))
	return name[:min(len(name), maxParameter-1-hashDigits)] + "_" + hex.EncodeToString(sum[:hashDigits/2])
}

// unfitNames collects names of parameters that vendors refuse. What stands under
// "properties" and is none costs nothing.
func unfitNames(t *tree, into map[string]bool) {
	for i, item := range t.items {
		if t.kind == objectTree && t.keys[i] == "properties" && item.isObject() {
			for _, name := range item.keys {
				if !fits(name) {
					into[name] = true
				}
			}
		}
		unfitNames(item, into)
	}
}

func allKeys(t *tree, into map[string]bool) {
	for _, key := range t.keys {
		into[key] = true
	}
	for _, item := range t.items {
		allKeys(item, into)
	}
}

func fits(name string) bool {
	return name != "" && len(name) <= maxParameter && strings.IndexFunc(name, unfitRune) < 0
}

func unfitRune(r rune) bool {
	return r >= 0x80 || !isNameByte(byte(r)) && r != '.' && r != '-'
}

// fitting is a name without what vendors refuse; others may have the same.
func fitting(name string) string {
	name = strings.Map(func(r rune) rune {
		if unfitRune(r) {
			return '_'
		}
		return r
	}, name)
	if name == "" {
		return "_"
	}
	return name[:min(len(name), maxParameter)]
}

// shown is a schema as a model reads it: the server's own words, unless names in it
// are offered otherwise.
func (n offeredNames) shown(schema json.RawMessage) json.RawMessage {
	if n.none() {
		return schema
	}
	return parameters(schema)
}

// maxRestored bounds how many schemas are looked at to restore the names of one
// call.
const maxRestored = 1_000_000

// restorer puts the server's own names in the place of offered ones, where the
// schema has them: a map with free keys keeps every key.
type restorer struct {
	names   offeredNames
	refs    simplifier
	left    int
	changed bool
	fault   *Invalid
}

// restore changes arguments in place. It refuses a parameter that is given under
// both names, because one value would be lost.
func (n offeredNames) restore(schema, args *tree) (changed bool, fault *Invalid) {
	if n.none() {
		return false, nil
	}
	r := restorer{names: n, refs: simplifier{root: schema}, left: maxRestored}
	r.value(r.all([]*tree{schema}), args, "arguments")
	return r.changed, r.fault
}

// all are schemas and every other one that is applied to the same value.
func (r *restorer) all(schemas []*tree) []*tree {
	var out []*tree
	seen := map[*tree]bool{}
	for len(schemas) > 0 {
		t := schemas[0]
		schemas = schemas[1:]
		if !t.isObject() || seen[t] {
			continue
		}
		seen[t] = true
		out = append(out, t)
		r.left--
		for i, key := range t.keys {
			item := t.items[i]
			switch key {
			case "$ref", "$dynamicRef":
				if item.isText() {
					schemas = append(schemas, r.refs.lookup(item.text))
				}
			case "allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies":
				schemas = append(schemas, item.items...)
			case "if", "then", "else":
				schemas = append(schemas, item)
			}
		}
	}
	return out
}

func (r *restorer) value(schemas []*tree, v *tree, path string) {
	if r.fault != nil || len(schemas) == 0 {
		return
	}
	if r.left <= 0 {
		r.fault = &Invalid{Path: cut(path, maxDetail), Constraint: "size", Detail: "they are too much for this tool's schema; send less at once"}
		return
	}
	switch v.kind {
	case objectTree:
		r.object(schemas, v, path)
	case arrayTree:
		same := r.all(everyItem(schemas))
		for i, item := range v.items {
			at := same
			if more := itemAt(schemas, i); len(more) > 0 {
				at = append(slices.Clip(same), r.all(more)...)
			}
			r.value(at, item, path+"[]")
		}
	}
}

func (r *restorer) object(schemas []*tree, v *tree, path string) {
	given := map[string]bool{}
	for _, name := range v.keys {
		given[name] = true
	}
	for i, name := range v.keys {
		step := propertyStep(name)
		if raw, ok := r.names.raw[name]; ok && slices.ContainsFunc(schemas, func(t *tree) bool { return t.get("properties").get(raw) != nil }) {
			if given[raw] {
				r.fault = &Invalid{Path: cut(path+step, maxDetail), Constraint: "properties", Detail: "it is given twice, also as " + cut(quoteJSON(raw), maxParamName)}
				return
			}
			v.keys[i], name, r.changed = raw, raw, true
		}
		r.value(r.all(propertySchemas(schemas, name)), v.items[i], path+step)
	}
}

// propertySchemas may be more than a validator applies: they only tell where a
// name is a parameter.
func propertySchemas(schemas []*tree, name string) []*tree {
	var out []*tree
	for _, t := range schemas {
		if own := t.get("properties").get(name); own != nil {
			out = append(out, own)
		} else {
			out = append(out, t.get("additionalProperties"), t.get("unevaluatedProperties"))
		}
		if patterns := t.get("patternProperties"); patterns.isObject() {
			out = append(out, patterns.items...)
		}
	}
	return out
}

func everyItem(schemas []*tree) []*tree {
	var out []*tree
	for _, t := range schemas {
		out = append(out, t.get("items"), t.get("additionalItems"), t.get("contains"), t.get("unevaluatedItems"))
	}
	return out
}

// itemAt are the schemas of one place of a list whose places differ.
func itemAt(schemas []*tree, i int) []*tree {
	var out []*tree
	for _, t := range schemas {
		for _, key := range []string{"items", "prefixItems"} {
			if list := t.get(key); list.isArray() && i < len(list.items) {
				out = append(out, list.items[i])
			}
		}
	}
	return out
}
