package registry

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// vendorKey is what vendors take as the name of a parameter.
func vendorKey() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`) }

const oddSchema = `{"type":"object","properties":{
	"$filter":{"type":"string"},"page size":{"type":"integer"},"ok.name-1":{"type":"boolean"},
	"a b":{"type":"string"},"a$b":{"type":"string"},"größe":{"type":"object","properties":{"in cm":{"type":"number"},"_in cm":{"type":"number"}},"required":["in cm"]},
	"free":{"type":"object","additionalProperties":{"type":"string"}},
	"rows":{"type":"array","items":{"$ref":"#/$defs/row"}}},
	"required":["$filter"],
	"$defs":{"row":{"type":"object","properties":{"@id":{"type":"string"},"in":{"$ref":"#/$defs/row"}},"required":["@id"]}}}`

// offers gives the names of the top level as a model is given them, by raw name.
func offers(t *testing.T, schema string) map[string]string {
	t.Helper()
	source, err := parseTree([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range source.get("properties").keys {
		out[name] = namesOf(source).offer(name)
	}
	return out
}

func TestOddParameterNamesAreOfferedOtherwise(t *testing.T) {
	long := strings.Repeat("x", 80)
	got := offers(t, `{"properties":{"$filter":{},"page size":{},"ok.name-1":{},"a b":{},"a$b":{},"_taken":{},"$taken":{},"":{},"`+long+`":{}}}`)
	for raw, want := range map[string]string{"$filter": "_filter", "page size": "page_size", "ok.name-1": "ok.name-1", "_taken": "_taken", "": "_"} {
		if got[raw] != want {
			t.Errorf("%q is offered as %q, not %q", raw, got[raw], want)
		}
	}
	for raw, start := range map[string]string{"a b": "a_b_", "a$b": "a_b_", "$taken": "_taken_", long: long[:51] + "_"} {
		if len(got[raw]) != len(start)+hashDigits || !strings.HasPrefix(got[raw], start) {
			t.Errorf("%q is offered as %q", raw, got[raw])
		}
	}
	// A parameter more, in another order: the others keep their names.
	again := offers(t, `{"properties":{"a b":{},"`+long+`":{},"new one":{},"a$b":{},"$taken":{},"_taken":{},"$filter":{}}}`)
	for _, raw := range []string{"a b", "a$b", "$taken", "$filter", long} {
		if got[raw] != again[raw] {
			t.Errorf("%q was %q and is %q", raw, got[raw], again[raw])
		}
	}
}

// TestOneNameEverywhere: what is offered, described, listed, searched and named in
// a fault is the same name.
func TestOneNameEverywhere(t *testing.T) {
	c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: []Tool{tool("odd", "Filters rows.", oddSchema)}}})
	o := DefaultOptions()
	listed := string(definition(t, c.ModelTools(o), "tool_search").Description)
	o.Mode = ModeOff
	for where, text := range map[string]string{
		"the listing":   listed,
		"eager":         string(c.ModelTools(o)[0].Parameters),
		"tool_describe": c.Describe(json.RawMessage(`{"names":["mcp__s__odd"]}`)),
		"tool_search":   c.Search(json.RawMessage(`{"queries":["filter rows"]}`), Options{}),
		"a fault":       c.entries[0].Validate(json.RawMessage(`{}`)).JSON("mcp__s__odd"),
	} {
		if !strings.Contains(text, "_filter") || strings.Contains(text, "$filter") {
			t.Errorf("%s: %s", where, text)
		}
	}
	for args, want := range map[string]string{
		`{"_filter":"x","größe":{"_in_cm":1}}`:           "arguments.gr__e",
		`{"$filter":"x","gr__e":{}}`:                     "arguments.gr__e",
		`{"_filter":"x","page_size":"many"}`:             "arguments.page_size (type)",
		`{"_filter":"x","rows":[{"_id":"1","in":{}}]}`:   "missing: _id",
		`{"_filter":"x","$filter":"y"}`:                  "given twice",
		`{"_filter":"x","rows":[{"_id":"1","@id":"2"}]}`: "arguments.rows[]._id",
		`{"_filter":"x","rows":[{"in":{"_id":"1"}}]}`:    "arguments.rows[0] (required): missing: _id",
		`{"_filter":"x","gr__e":{"other":1}}`:            "arguments.gr__e (required): missing: in_cm",
	} {
		if invalid := c.entries[0].Validate(json.RawMessage(args)); invalid == nil || !strings.Contains(invalid.Error(), want) {
			t.Errorf("%s: %v, want %s", args, invalid, want)
		}
	}
}

func TestServersGetTheirOwnNames(t *testing.T) {
	entry := Entry{Schema: json.RawMessage(oddSchema)}
	cm := offers(t, `{"properties":{"in cm":{},"_in cm":{}}}`)["in cm"]
	for args, want := range map[string]string{
		`{"_filter":"x","page_size":"7"}`:                          `{"$filter":"x","page size":7}`,
		`{"$filter":"x","page size":7}`:                            `{"$filter":"x","page size":7}`,
		`{"gr__e":{"` + cm + `":1}}`:                               `{"größe":{"in cm":1}}`,
		`{"rows":[{"_id":"1","in":{"_id":"2","in":{"_id":"3"}}}]}`: `{"rows":[{"@id":"1","in":{"@id":"2","in":{"@id":"3"}}}]}`,
		// Keys of a map are data.
		`{"free":{"_filter":"x","_id":"y"}}`:      `{"free":{"_filter":"x","_id":"y"}}`,
		`{"_filter":"x","unknown":{"_filter":1}}`: `{"$filter":"x","unknown":{"_filter":1}}`,
		`[1]`: `[1]`,
	} {
		got := string(entry.Arguments(json.RawMessage(args)))
		if got != want {
			t.Errorf("%s became %s, want %s", args, got, want)
		}
		if again := string(entry.Arguments(json.RawMessage(got))); again != got {
			t.Errorf("%s is not left alone: %s", got, again)
		}
	}
}

// randomSchema draws an object schema with odd names, and arguments for it under
// the raw names.
func randomSchema(r *rapid.T, depth int) (schema, args map[string]any) {
	name := rapid.OneOf(
		rapid.SampledFrom([]string{"a", "_a", "$a", "a b", "a$b", "a_b", "", " ", "ä", "ö", "properties", "required", "default", strings.Repeat("y", 70), strings.Repeat("y", 64) + "z", "in.dot", "in-dash"}),
		rapid.StringN(0, 6, 90),
	)
	properties, args := map[string]any{}, map[string]any{}
	for _, key := range rapid.SliceOfNDistinct(name, 1, 5, rapid.ID[string]).Draw(r, "names") {
		if hides(key) {
			continue
		}
		kind := rapid.SampledFrom([]string{"text", "object", "list", "either", "both"}).Draw(r, "kind")
		if depth == 0 {
			kind = "text"
		}
		switch kind {
		case "text":
			properties[key], args[key] = map[string]any{"type": "string"}, "value"
		case "object":
			properties[key], args[key] = randomSchemaValue(r, depth-1)
		case "list":
			inner, value := randomSchemaValue(r, depth-1)
			properties[key], args[key] = map[string]any{"type": "array", "items": inner}, []any{value, value}
		case "either":
			one, _ := randomSchemaValue(r, depth-1)
			two, value := randomSchemaValue(r, depth-1)
			properties[key], args[key] = map[string]any{"anyOf": []any{one, two}}, value
		case "both":
			one, value := randomSchemaValue(r, depth-1)
			properties[key], args[key] = map[string]any{"allOf": []any{one}}, value
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": slices.Sorted(maps.Keys(properties))}, args
}

func randomSchemaValue(r *rapid.T, depth int) (any, any) {
	schema, args := randomSchema(r, depth)
	return schema, args
}

// renamed gives arguments under offered names everywhere.
func renamed(n offeredNames, value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			out[n.offer(key)] = renamed(n, item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = renamed(n, v[i])
		}
		return out
	}
	return value
}

// offeredKeys visits the names of the parameters of a definition.
func offeredKeys(t *tree, visit func(object *tree, name string)) {
	for _, name := range t.get("properties").keysOf() {
		visit(t, name)
		offeredKeys(t.get("properties").get(name), visit)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner := t.get(key); inner.isObject() {
			offeredKeys(inner, visit)
		}
	}
	if union := t.get("anyOf"); union.isArray() {
		for _, branch := range union.items {
			offeredKeys(branch, visit)
		}
	}
}

func (t *tree) keysOf() []string {
	if t == nil {
		return nil
	}
	return t.keys
}

func TestOfferedNamesLeadBack(t *testing.T) {
	key := vendorKey()
	rapid.Check(t, func(r *rapid.T) {
		object, args := randomSchema(r, 2)
		raw, err := json.Marshal(object)
		if err != nil {
			r.Fatal(err)
		}
		entry := Entry{Schema: raw}
		seen := map[*tree]map[string]bool{}
		offeredKeys(parameterTree(raw), func(at *tree, name string) {
			if seen[at] == nil {
				seen[at] = map[string]bool{}
			}
			if !key.MatchString(name) || seen[at][name] {
				r.Fatalf("%q is offered (again: %t) of %s", name, seen[at][name], raw)
			}
			seen[at][name] = true
			if _, ok := entry.checker().offered().raw[name]; ok {
				return
			}
			if strings.Contains(string(raw), quoteJSON(name)+":") {
				return
			}
			r.Fatalf("%q is nobody's name in %s", name, raw)
		})
		names := entry.checker().offered()
		if len(names.raw) != len(names.offered) {
			r.Fatalf("%d names for %d parameters", len(names.raw), len(names.offered))
		}
		want, _ := json.Marshal(args)
		for _, written := range []any{args, renamed(names, args)} {
			text, _ := json.Marshal(written)
			var got any
			if err := json.Unmarshal(entry.Arguments(text), &got); err != nil {
				r.Fatal(err)
			}
			if back, _ := json.Marshal(got); string(back) != string(want) {
				r.Fatalf("%s became %s, want %s\n%s", text, back, want, raw)
			}
			if invalid := entry.Validate(text); invalid != nil {
				r.Fatalf("%s: %v\n%s", text, invalid, raw)
			}
		}
	})
}

func BenchmarkArguments(b *testing.B) {
	for name, schema := range map[string]string{"usual": `{"type":"object","properties":{"id":{"type":"string"},"limit":{"type":"integer"}}}`, "odd": oddSchema} {
		b.Run(name, func(b *testing.B) {
			c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: []Tool{tool("t", "T", schema)}}})
			args := json.RawMessage(`{"id":"x","limit":5,"_filter":"x"}`)
			for b.Loop() {
				c.entries[0].Arguments(args)
			}
		})
	}
}
