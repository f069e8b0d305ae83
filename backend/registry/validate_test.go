package registry

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

func TestValidate(t *testing.T) {
	const nested = `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer","minimum":1},"k v":{"enum":["x","y"]}},"required":["n"],"additionalProperties":false}},"s":{"type":"string","pattern":"^a"},"m":{"type":"object","additionalProperties":{"type":"number"}},"u":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"required":["a"]}`
	const recursive = `{"type":"object","properties":{"t":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"object","properties":{"v":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/T"}}},"required":["v"]}}}`
	for name, tc := range map[string]struct {
		schema, args string
		path         string // "" if the arguments fit
		constraint   string
		text         string
	}{
		"fits":                     {nested, `{"a":[{"n":1,"k v":"x"}],"s":"ab","m":{"z":1.5},"u":5}`, "", "", ""},
		"missing":                  {nested, `{}`, "arguments", "required", "missing required argument(s): a"},
		"wrong type in a list":     {nested, `{"a":[{"n":1},{"n":"x"}]}`, "arguments.a[1].n", "type", `want "integer"`},
		"below the minimum":        {nested, `{"a":[{"n":0}]}`, "arguments.a[0].n", "minimum", "0 is less than 1"},
		"an odd name, enum":        {nested, `{"a":[{"n":1,"k v":"z"}]}`, `arguments.a[0].k_v`, "enum", "z"},
		"missing inside":           {nested, `{"a":[{}]}`, "arguments.a[0]", "required", "n"},
		"unexpected inside":        {nested, `{"a":[{"n":1,"zz":1,"aa":2}]}`, "arguments.a[0]", "additionalProperties", "unexpected: aa, zz"},
		"a pattern":                {nested, `{"a":[],"s":"b"}`, "arguments.s", "pattern", "^a"},
		"a map":                    {nested, `{"a":[],"m":{"q":"x"}}`, "arguments.m.q", "type", "number"},
		"a union":                  {nested, `{"a":[],"u":true}`, "arguments.u", "anyOf", "none of the forms"},
		"through references":       {recursive, `{"t":{"v":"a","kids":[{"v":"b","kids":[{"v":1}]}]}}`, "arguments.t.kids[0].kids[0].v", "type", "string"},
		"references fit":           {recursive, `{"t":{"v":"a","kids":[{"v":"b"}]}}`, "", "", ""},
		"arguments are a list":     {nested, `[]`, "arguments", "type", "one JSON object"},
		"arguments are no JSON":    {nested, `{`, "arguments", "type", "one JSON object"},
		"arguments nest too deep":  {nested, strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70), "arguments", "depth", "nested"},
		"no schema":                {``, `{"x":1}`, "", "", ""},
		"a broken schema":          {`{"type":`, `{"x":1}`, "arguments", "schema", "cannot be read"},
		"a schema of nonsense":     {`{"type":"object","properties":{"a":5}}`, `{"a":1}`, "", "", ""},
		"a reference to elsewhere": {`{"type":"object","properties":{"a":{"$ref":"https://x.example/y"}},"required":["b"]}`, `{}`, "arguments", "required", "b"},
		"a reference to nothing":   {`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`, `{"a":1}`, "", "", ""},
		"nullable":                 {`{"properties":{"a":{"type":"string","nullable":true},"b":{"enum":["x"],"nullable":true}}}`, `{"a":null,"b":null}`, "", "", ""},
		"not nullable":             {`{"properties":{"a":{"type":"string"}}}`, `{"a":null}`, "arguments.a", "type", "string"},
		"a pattern Go has not":     {`{"properties":{"a":{"type":"string","pattern":"(?=x)"},"b":{"type":"integer"}}}`, `{"a":"y","b":"z"}`, "arguments.b", "type", "integer"},
		"an old draft":             {`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"type":"string"}}}`, `{"a":1}`, "arguments.a", "type", "string"},
		"draft 7 with definitions": {`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/A"}},"definitions":{"A":{"type":"string"}}}`, `{"a":1}`, "arguments.a", "type", "string"},
		"an own id":                {`{"$id":"https://x.example/s","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}`, `{"a":1}`, "arguments.a", "type", "string"},
		"an anchor":                {`{"properties":{"a":{"$ref":"#A"}},"$defs":{"x":{"$anchor":"A","type":"string"}}}`, `{"a":1}`, "arguments.a", "type", "string"},
		"allOf":                    {`{"allOf":[{"properties":{"a":{"type":"string"}}},{"required":["b"]}]}`, `{"a":"x"}`, "arguments", "required", "b"},
		"oneOf, both":              {`{"properties":{"a":{"oneOf":[{"type":"integer"},{"minimum":0}]}}}`, `{"a":1}`, "arguments.a", "oneOf", "does not allow"},
		"a property named $ref":    {`{"properties":{"$ref":{"type":"string"}}}`, `{"$ref":5}`, `arguments._ref`, "type", "string"},
		"an escaped name":          {`{"properties":{"a/b~c %":{"type":"string"}}}`, `{"a/b~c %":5}`, `arguments.a_b_c__`, "type", "string"},
		"a tuple":                  {`{"properties":{"a":{"prefixItems":[{"type":"string"},{"type":"integer"}]}}}`, `{"a":["x","y"]}`, "arguments.a[1]", "type", "integer"},
		"integers as 1.0":          {`{"properties":{"a":{"type":"integer"}}}`, `{"a":1.0}`, "", "", ""},
		"a number out of range":    {`{"properties":{"a":{"type":"integer"}}}`, `{"a":1e999}`, "arguments.a", "range", "number"},
		"out of range, nested":     {nested, `{"a":[],"m":{"z":1},"q":[[{"z":-1e309}]]}`, "arguments.q[0][0].z", "range", "number"},
		"out of range, no schema":  {``, `{"x":1e400}`, "arguments.x", "range", "number"},
		"nonsense beside sense":    {`{"properties":{"a":5,"b":{"type":"integer"}}}`, `{"a":1,"b":"z"}`, "arguments.b", "type", "integer"},
		"nothing beside sense":     {`{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"type":"integer"}}}`, `{"a":1,"b":"z"}`, "arguments.b", "type", "integer"},
		"required as draft 3":      {`{"properties":{"a":{"type":"integer","required":true}}}`, `{"a":"z"}`, "arguments.a", "type", "integer"},
		"a type nobody knows":      {`{"properties":{"a":{"type":"file"},"b":{"type":"integer"}}}`, `{"a":1,"b":"z"}`, "arguments.b", "type", "integer"},
		"an id of a part":          {`{"properties":{"a":{"$id":"x","type":"integer"}}}`, `{"a":"z"}`, "arguments.a", "type", "integer"},
		"both kinds of definition": {`{"properties":{"a":{"$ref":"#/definitions/A"},"b":{"$ref":"#/$defs/B"}},"definitions":{"A":{"type":"integer"}},"$defs":{"B":{"type":"integer"}}}`, `{"a":1,"b":"z"}`, "arguments.b", "type", "integer"},
		"no schema there":          {`{"properties":{"a":{"$ref":"#/components/schemas/A"},"b":{"type":"integer"}},"components":{"schemas":{"A":{"type":"integer"}}}}`, `{"a":1,"b":"z"}`, "arguments.b", "type", "integer"},
		"not what Go has not":      {`{"properties":{"a":{"not":{"pattern":"(?=x)"}},"b":{"oneOf":[{"pattern":"(?=x)"},{"type":"string"}]}}}`, `{"a":"y","b":"y"}`, "", "", ""},
		"a step of a hundredth":    {`{"properties":{"a":{"multipleOf":0.01}}}`, `{"a":0.07}`, "", "", ""},
		"off that step":            {`{"properties":{"l":{"items":{"$ref":"#/$defs/p"}}},"$defs":{"p":{"multipleOf":0.01}}}`, `{"l":[19.99,0.075]}`, "arguments.l[1]", "multipleOf", "0.075 is not a multiple of 0.01"},
		"a step of three":          {`{"properties":{"a":{"multipleOf":3}}}`, `{"a":7}`, "arguments.a", "multipleOf", "7 is not a multiple of 3"},
		"no step":                  {`{"properties":{"a":{"multipleOf":0}}}`, `{"a":7}`, "", "", ""},
		"exclusive as draft 4":     {`{"properties":{"a":{"maximum":5,"exclusiveMaximum":true}}}`, `{"a":5}`, "arguments.a", "exclusiveMaximum", "5 is not less than 5"},
		"inclusive as draft 4":     {`{"properties":{"a":{"maximum":5,"exclusiveMaximum":false}}}`, `{"a":5}`, "", "", ""},
		"pattern properties":       {`{"patternProperties":{"^x/":{"type":"integer"}}}`, `{"x/y":"z"}`, `arguments["x/y"]`, "type", "integer"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Validate(json.RawMessage(tc.schema), json.RawMessage(tc.args))
			if tc.path == "" {
				if got != nil {
					t.Fatalf("refused: %v", got)
				}
				return
			}
			if got == nil {
				t.Fatal("accepted")
			}
			if got.Path != tc.path || got.Constraint != tc.constraint || !strings.Contains(got.Error(), tc.text) {
				t.Errorf("%s (%s) %q, want %s (%s) %q", got.Path, got.Constraint, got.Error(), tc.path, tc.constraint, tc.text)
			}
		})
	}
}

func TestInvalidIsAnsweredWithTheSchema(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{}},"required":["a","b"]}`
	for args, want := range map[string]string{
		`{"a":["x"],"b":1}`: `{"error":"tool_call to 'mcp__s__x' failed argument validation at arguments.a[0] (type): x has type \"string\", want \"integer\". The tool was NOT invoked.","path":"arguments.a[0]","constraint":"type","parameters":` + schema + `,"hint":"`,
		`{}`:                `{"error":"tool_call to 'mcp__s__x' is missing required argument(s): a, b. The tool was NOT invoked.","path":"arguments","constraint":"required","parameters":` + schema + `,"hint":"`,
	} {
		if got := Validate(json.RawMessage(schema), json.RawMessage(args)).JSON("mcp__s__x"); !strings.HasPrefix(got, want) {
			t.Errorf("answer %s\nwant   %s", got, want)
		}
	}
	long := Validate(json.RawMessage(`{"properties":{"a":{"type":"integer"}}}`), json.RawMessage(`{"a":"`+strings.Repeat("x", 5000)+`"}`))
	if len([]rune(long.Detail)) > maxDetail {
		t.Errorf("detail of %d characters", len(long.Detail))
	}
}

func TestTheSameFaultIsNamedEveryTime(t *testing.T) {
	schema := json.RawMessage(`{"properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"},"d":{"type":"integer"}}}`)
	for range 30 {
		if got := Validate(schema, json.RawMessage(`{"d":"x","c":"x","b":"x","a":"x"}`)); got == nil || got.Path != "arguments.a" {
			t.Fatalf("%v, want arguments.a", got)
		}
	}
}

// Schemas that would never end, or take for ever, are not followed.
func TestValidationEnds(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 30) + "1" + strings.Repeat("}", 30)
	for name, schema := range map[string]string{
		"refers to itself":      `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/A"}}}`,
		"a circle":              `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"allOf":[{"$ref":"#/$defs/B"}]},"B":{"not":{"$ref":"#/$defs/A"}}}}`,
		"the root":              `{"$ref":"#"}`,
		"through an anchor":     `{"$anchor":"x","anyOf":[{"$ref":"#x"}]}`,
		"dynamic":               `{"$dynamicAnchor":"x","properties":{"a":{"if":{"$dynamicRef":"#x"}}},"else":{"$dynamicRef":"#x"}}`,
		"doubling at each step": `{"properties":{"a":{"$ref":"#/$defs/T"}},"$defs":{"T":{"anyOf":[{"properties":{"a":{"$ref":"#/$defs/T"}}},{"properties":{"a":{"$ref":"#/$defs/T"}}},{"properties":{"a":{"$ref":"#/$defs/T"}}}]}}}`,
		"an id in between":      `{"properties":{"a":{"$id":"b","$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x"}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			got := Validate(json.RawMessage(schema), json.RawMessage(deep))
			if tooMuch := name == "doubling at each step"; (got != nil) != tooMuch || tooMuch && got.Constraint != "size" {
				t.Errorf("refused: %v, want that where there is too much to check alone", got)
			}
		})
	}
	// A tree that refers to itself level by level is an ordinary schema.
	if got := Validate(json.RawMessage(`{"properties":{"a":{"$ref":"#"}},"additionalProperties":false}`), json.RawMessage(`{"a":{"a":{"b":1}}}`)); got == nil || got.Path != "arguments.a.a" {
		t.Errorf("a recursive schema is not checked: %v", got)
	}
}

func TestEntriesValidateTheirOwnCalls(t *testing.T) {
	c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: []Tool{
		tool("a", "", `{"properties":{"x":{"type":"array","items":{"type":"integer"}}},"required":["x"]}`)}}})
	entry, _ := c.Resolve("mcp__s__a")
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for args, want := range map[string]string{`{"x":[1]}`: "", `{"x":[1,"2"]}`: "arguments.x[1]", `{"x":5}`: "arguments.x", `{}`: "arguments"} {
				invalid := entry.Validate(json.RawMessage(args))
				if (invalid == nil) != (want == "") || invalid != nil && invalid.Path != want {
					t.Errorf("%s: %v, want %q", args, invalid, want)
				}
			}
		})
	}
	callers.Wait()
	if (Entry{}).Validate(json.RawMessage(`{"any":1}`)) != nil {
		t.Error("an entry without a schema refuses")
	}
}

func TestCoerce(t *testing.T) {
	const schema = `{"type":"object","properties":{"i":{"type":["integer","null"]},"n":{"type":"number"},"b":{"type":"boolean"},"l":{"type":"array"},"o":{"type":"object"},"s":{"type":"string"},"u":{"type":["string","integer"]},"r":{"$ref":"#/$defs/R"}},"$defs":{"R":{"type":"integer"}}}`
	for in, want := range map[string]string{
		`{"i":"5","n":"1.50","b":"true","l":"[1]","o":"{\"x\":1}","s":"5","u":"5","r":"7","z":"9"}`: `{"i":5,"n":1.50,"b":true,"l":[1],"o":{"x":1},"s":"5","u":"5","r":7,"z":"9"}`,
		`{"i":"5.5","n":"x","b":"yes","l":"{}","o":"[]"}`:                                           `{"i":"5.5","n":"x","b":"yes","l":"{}","o":"[]"}`,
		`{ "i" : 5 }`: `{ "i" : 5 }`,
		`[1]`:         `[1]`,
		`{`:           `{`,
	} {
		if got := string(Coerce(json.RawMessage(schema), json.RawMessage(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

// What of a schema nobody checks is told, each part with its place.
func TestUnenforced(t *testing.T) {
	for schema, want := range map[string]string{
		``: "", `{"properties":{"a":{"pattern":"^a$","multipleOf":0.01}}}`: "",
		`{"properties":{"a":{"pattern":"(?=x)"}}}`:            "pattern at the root.properties.a: a regular expression",
		`{"properties":{"a":{"$ref":"https://x.example/y"}}}`: "$ref at the root.properties.a: it leads to another document (https://x.example/y)",
		`{"properties":{"a":{"type":"file"}}}`:                "type at the root.properties.a: it has a value",
		`{"properties":{"a":{"not":{"$ref":"#/$defs/x"}}}}`:   "leads nowhere",
		`{"$ref":"#"}`: "leads back to itself",
		`{"type":`:     "the whole schema",
	} {
		got := strings.Join(Unenforced(json.RawMessage(schema)), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", schema, got, want)
		}
	}
}
