package registry

import (
	"encoding/json"
	"strings"
	"testing"

	"hermes/backend/policy"
)

// Field case C7: one odd schema must not break the others.
func TestOddSchemas(t *testing.T) {
	for name, tc := range map[string]struct {
		schema string
		want   string // the parameters given to a provider
		quaran string // or why the tool is kept back
	}{
		"none":              {``, `{"type":"object","properties":{}}`, ""},
		"null":              {`null`, `{"type":"object","properties":{}}`, ""},
		"true":              {`true`, `{"type":"object","properties":{}}`, ""},
		"empty":             {`{}`, `{"type":"object","properties":{}}`, ""},
		"no properties":     {`{"type":"object"}`, `{"type":"object","properties":{}}`, ""},
		"no type":           {`{"properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, ""},
		"type list":         {`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["integer","string"]}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}`, ""},
		"root type list":    {`{"type":["object","null"],"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, ""},
		"nullable by anyOf": {`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}}}`, `{"type":"object","properties":{"a":{"default":null,"type":"string"}}}`, ""},
		"refs and $defs": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"own"}},"$defs":{"A":{"type":"string","description":"its","enum":["x","y"]}}}`,
			`{"type":"object","properties":{"a":{"type":"string","description":"own","enum":["x","y"]}}}`, ""},
		"definitions": {`{"type":"object","properties":{"a":{"$ref":"#/definitions/A~1B"}},"definitions":{"A/B":{"type":"integer"}}}`, `{"type":"object","properties":{"a":{"type":"integer"}}}`, ""},
		"an anchor":   {`{"type":"object","properties":{"a":{"$ref":"#A"}},"$defs":{"x":{"$anchor":"A","type":"integer"}}}`, `{"type":"object","properties":{"a":{"type":"integer"}}}`, ""},
		"a property called definitions": {`{"type":"object","properties":{"definitions":{"type":"string"},"$ref":{"type":"string"}}}`,
			`{"type":"object","properties":{"definitions":{"type":"string"},"_ref":{"type":"string"}}}`, ""},
		"recursive": {`{"type":"object","properties":{"node":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"v":{"type":"string"},"next":{"$ref":"#/$defs/N"}}}}}`,
			`{"type":"object","properties":{"node":{"type":"object","properties":{"v":{"type":"string"},"next":{"type":"object"}}}}}`, ""},
		"recursive root":   {`{"type":"object","properties":{"child":{"$ref":"#"}}}`, `{"type":"object","properties":{"child":{"type":"object","properties":{"child":{"type":"object"}}}}}`, ""},
		"a circle of refs": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}`, `{"type":"object","properties":{"a":{}}}`, ""},
		"ref to elsewhere": {`{"type":"object","properties":{"a":{"$ref":"https://x.example/s.json"},"b":{"$ref":"#/$defs/none"}}}`, `{"type":"object","properties":{"a":{},"b":{}}}`, ""},
		"anyOf at the root": {`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"type":"object","description":"Give one of these sets of parameters: [a] or [b].","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, ""},
		"oneOf of objects at the root": {`{"oneOf":[{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"required":["a","n"]},{"type":"object","properties":{"b":{"type":"string"},"n":{"type":"integer"}},"required":["b","n"]}]}`,
			`{"type":"object","required":["n"],"description":"Give one of these sets of parameters: [a, n] or [b, n].","properties":{"a":{"type":"string"},"n":{"type":"integer"},"b":{"type":"string"}}}`, ""},
		"allOf at the root": {`{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"$ref":"#/$defs/B"}],"$defs":{"B":{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}}}`,
			`{"type":"object","required":["a","b"],"properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, ""},
		"const and enum with null":   {`{"properties":{"a":{"const":"x"},"b":{"enum":["y",null]}}}`, `{"type":"object","properties":{"a":{"enum":["x"],"type":"string"},"b":{"enum":["y"]}}}`, ""},
		"a list without items":       {`{"properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`, ""},
		"a tuple":                    {`{"properties":{"a":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}}`, ""},
		"required of what is not":    {`{"type":"object","properties":{"a":{}},"required":["a","b","a"]}`, `{"type":"object","required":["a"],"properties":{"a":{}}}`, ""},
		"boolean schemas":            {`{"properties":{"a":true,"b":false},"required":["b"]}`, `{"type":"object","properties":{"a":{}}}`, ""},
		"keywords for validators":    {`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","properties":{"a":{"not":{},"if":{},"$comment":"c"}},"patternProperties":{"^x":{}},"dependentSchemas":{}}`, `{"type":"object","properties":{"a":{}}}`, ""},
		"draft 4 bounds":             {`{"properties":{"a":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`, `{"type":"object","properties":{"a":{"type":"number","minimum":0}}}`, ""},
		"an unknown type word":       {`{"properties":{"a":{"type":"file"}}}`, `{"type":"object","properties":{"a":{}}}`, ""},
		"big numbers and <>":         {`{"properties":{"a":{"type":"integer","maximum":90071992547409931234,"description":"<b> & c"}}}`, `{"type":"object","properties":{"a":{"type":"integer","maximum":90071992547409931234,"description":"<b> & c"}}}`, ""},
		"additional properties":      {`{"properties":{"a":{"type":"object","additionalProperties":{"type":["string","null"]}}},"additionalProperties":false}`, `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}`, ""},
		"a pattern with look-behind": {`{"properties":{"a":{"type":"string","pattern":"(?<=x)y"},"b":{"type":"string","pattern":"^y$"}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","pattern":"^y$"}}}`, ""},
		"a very long enum": {`{"properties":{"a":{"description":"A.","enum":[` + strings.Repeat(`"x",`, 9999) + `"y"]}}}`,
			`{"type":"object","properties":{"a":{"description":"A. One of 10000 values, such as \"x\", \"x\", \"x\".","type":"string"}}}`, ""},
		"a hidden default":          {`{"properties":{"a":{"type":"string","default":"x\u200b"},"b":{"type":"string","default":"\r\n"}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","default":"\r\n"}}}`, ""},
		"a hidden word of a vendor": {`{"properties":{"a":{"type":"string","title":"T\u202e"}}}`, `{"type":"object","properties":{"a":{"type":"string","title":"T"}}}`, ""},
		"a hidden name":             {`{"properties":{"a\u200b":{"type":"string"}}}`, "", "a name in its input schema holds characters that nobody sees"},
		"a hidden value":            {`{"properties":{"a":{"enum":["x","y\udb40\udc41"]}}}`, "", "a value in its input schema holds characters that nobody sees"},
		"not JSON":                  {`{"type":`, "", "not JSON"},
		"false":                     {`false`, "", "not an object"},
		"a list":                    {`[]`, "", "not an object"},
		"a text":                    {`"object"`, "", "not an object"},
		"describes a text":          {`{"type":"string"}`, "", "does not describe an object"},
		"describes text or number":  {`{"type":["string","number"]}`, "", "does not describe an object"},
		"a type that is a number":   {`{"type":5}`, "", "does not describe an object"},
		"much too deep":             {strings.Repeat(`{"properties":{"a":`, 40) + `{}` + strings.Repeat(`}}`, 40), "", "nested deeper"},
		"much too large":            {`{"description":"` + strings.Repeat("x", maxSchema) + `"}`, "", "KB"},
	} {
		t.Run(name, func(t *testing.T) {
			c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: []Tool{tool("odd", "Odd.", tc.schema), tool("fine", "Fine.", "")}}})
			tools := c.ModelTools(Options{Mode: ModeOff})
			if tc.quaran != "" {
				if len(tools) != 1 || tools[0].Name != "mcp__s__fine" {
					t.Fatalf("offered: %+v", tools)
				}
				_, verdict := c.Resolve("mcp__s__odd")
				if verdict.Allowed || !strings.Contains(verdict.Reason.Text, tc.quaran) {
					t.Errorf("verdict %+v, want %q", verdict, tc.quaran)
				}
				for _, item := range c.All() {
					if item.Tool == "odd" && !strings.Contains(item.Quarantine, tc.quaran) {
						t.Errorf("quarantine %q", item.Quarantine)
					}
				}
				return
			}
			got := definition(t, tools, "mcp__s__odd")
			if string(got.Parameters) != tc.want {
				t.Errorf("parameters\n got %s\nwant %s", got.Parameters, tc.want)
			}
		})
	}
}

func TestSignatures(t *testing.T) {
	for schema, want := range map[string]string{
		``: "()",
		`{"properties":{"b":{"type":"integer"},"a":{"type":"string"}},"required":["a"]}`:                                                                        "(a: string, b?: integer)",
		`{"properties":{"a":{"enum":["x",1,true]}}}`:                                                                                                            `(a?: "x"|1|true)`,
		`{"properties":{"a":{"enum":["1","2","3","4","5","6","7","8","9"]}}}`:                                                                                   `(a?: "1"|"2"|"3"|"4"|"5"|"6"|"7"|"8"|…)`,
		`{"properties":{"a":{"type":"array","items":{"type":["string","integer"]}},"b":{"type":"array"}}}`:                                                      "(a?: (string|integer)[], b?: any[])",
		`{"properties":{"a":{"type":"object","properties":{"x":{"type":"object","properties":{"y":{"type":"object","properties":{"z":{"type":"string"}}}}}}}}}`: "(a?: {x?: {y?: {z?: string}}})",
		`{"properties":{"a":{"type":"object","additionalProperties":{"type":"number"}},"b":{"type":"object"}}}`:                                                 "(a?: {[key]: number}, b?: object)",
		`{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}}}}`:                                 "(a?: {x: string}[])",
		`{"properties":{"file name":{"type":"string"},"":{},"x-y":{}}}`:                                                                                         `(file_name?: string, _?: any, "x-y"?: any)`,
		`{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}}}}}`:                     "(n?: {n?: object})",
	} {
		if got := signature(parameterTree(json.RawMessage(schema))); got != want {
			t.Errorf("%s\n got %s\nwant %s", schema, got, want)
		}
	}
}

// References that double at every level would fill the memory.
func TestSchemaBombs(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range 40 {
		n, next := string(rune('0'+i/10))+string(rune('0'+i%10)), string(rune('0'+(i+1)/10))+string(rune('0'+(i+1)%10))
		if i == 0 {
			n = "0"
		}
		b.WriteString(`"d` + n + `":{"type":"object","properties":{"x":{"$ref":"#/$defs/d` + next + `"},"y":{"$ref":"#/$defs/d` + next + `"}}},`)
	}
	b.WriteString(`"d40":{"type":"string"}}}`)
	got := parameters(json.RawMessage(b.String()))
	if len(got) > 1<<20 || !json.Valid(got) {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzSchema(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}}`,
		`{"allOf":[{"$ref":"#/allOf/1"},{"required":["a"]}],"anyOf":[{"const":1},{"enum":[null]}]}`,
		`{"properties":{"a":{"type":["array","null"],"items":[{"type":"string"},false]}},"nullable":true}`,
		`{"patternProperties":{"(?=x)":{"pattern":"["}},"additionalProperties":{"$dynamicRef":"#x"},"$dynamicAnchor":"x"}`,
		`{"type":"object","properties":{"a":{"prefixItems":[{}],"contains":{},"dependencies":{"a":["b"]}}}}`,
	} {
		f.Add([]byte(seed), []byte(`{"a":[1,"x",{"a":null}],"b":"c"}`))
	}
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		accepted, quarantine := acceptSchema(schema)
		if quarantine != "" {
			return
		}
		out := parameters(accepted)
		var top struct {
			Type       string
			Properties map[string]json.RawMessage
		}
		if err := json.Unmarshal(out, &top); err != nil || top.Type != "object" || top.Properties == nil {
			t.Errorf("parameters %s: %v", out, err)
		}
		for _, word := range []string{`"$ref":"`, `"$defs":{`, `"oneOf":[`, `"allOf":[`} {
			if strings.Contains(string(out), word) && !strings.Contains(string(schema), `"properties"`) {
				t.Errorf("parameters have %s: %s", word, out)
			}
		}
		signature(parameterTree(accepted))
		if invalid := Validate(accepted, args); invalid != nil {
			if !json.Valid([]byte(invalid.JSON("x"))) {
				t.Errorf("answer %s", invalid.JSON("x"))
			}
		}
		if coerced := Coerce(accepted, args); json.Valid(args) && !json.Valid(coerced) {
			t.Errorf("coerced %q", coerced)
		}
	})
}

func TestQuarantineIsNotAskedOfDeniedOnes(t *testing.T) {
	c := Build([]string{"s"}, []Source{{Server: "s", Rules: only(), Known: true, Tools: []Tool{tool("odd", "", "[]")}}})
	if _, verdict := c.Resolve("mcp__s__odd"); verdict.Allowed {
		t.Errorf("verdict %+v", verdict)
	}
	if got := c.All()[0].Verdict; got.Allowed || got.Rule == (policy.Verdict{}).Rule {
		t.Errorf("the listing hides policy's own verdict: %+v", got)
	}
}
