package approval_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"hermes/backend/approval"
)

// TestReadForm reads forms, those of real servers among them, and refuses what
// is no flat form of primitives.
func TestReadForm(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{"nothing to fill in", `{"type":"object","properties":{}}`, ""},
		{"in the order written", `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"boolean","default":true},"m":{"type":"integer"},"n":{"type":"number","title":"N"}},"required":["a"]}`,
			"z text; a switch required =true; m integer; N number"},
		{"formats", `{"type":"object","properties":{"e":{"type":"string","format":"email","default":"nobody"},"d":{"type":"string","format":"date","default":"2026-11-30"}}}`,
			`e text email; d text date ="2026-11-30"`},
		{"choices", `{"type":"object","properties":{"u":{"type":"string","enum":["a","b"]},"t":{"type":"string","oneOf":[{"const":"a","title":"Apple"},{"const":"b","title":"Apple"}]},"l":{"type":"string","enum":["p","q"],"enumNames":["Pet"]}}}`,
			"u choice [a=a b=b]; t choice [a=Apple (a) b=Apple (b)]; l choice [p=Pet q=q]"},
		{"several choices", `{"type":"object","properties":{"m":{"type":"array","minItems":1,"items":{"type":"string","enum":["a","b"]}},"n":{"type":"array","items":{"anyOf":[{"const":"x","title":"X y"}]},"default":["x"]}}}`,
			`m choices [a=a b=b]; n choices [x=X y] =["x"]`},
		{"hidden characters", `{"type":"object","properties":{"a":{"type":"string","title":"A\u202eB\u0000","enum":["x","x\u200b"]}}}`,
			"A\\u202eB\\x00 choice [x=x x\u200b=x\\u200b]"},
		{"no object", `[]`, "!no JSON object"},
		{"empty", ``, "!no JSON object"},
		{"cut", `{"type":"object"`, "!no JSON object"},
		{"another type", `{"type":"array"}`, "!not of the type object"},
		{"no type", `{"properties":{}}`, "!not of the type object"},
		{"nested", `{"type":"object","properties":{"a":{"type":"object","properties":{}}}}`, `!the field "a": the type "object"`},
		{"two types", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, "!wrong type"},
		{"any type", `{"type":"object","properties":{"a":{}}}`, `!the type ""`},
		{"a reference", `{"type":"object","properties":{"a":{"$ref":"#/x"}}}`, `!the type ""`},
		{"a pattern", `{"type":"object","properties":{"a":{"type":"string","pattern":"x"}}}`, `!"pattern" is not supported`},
		{"a format nobody knows", `{"type":"object","properties":{"a":{"type":"string","format":"password"}}}`, `!"password" is not known`},
		{"a list of texts", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`, "!only a choice"},
		{"no items", `{"type":"object","properties":{"a":{"type":"array"}}}`, "!its items"},
		{"numbers to choose from", `{"type":"object","properties":{"a":{"type":"string","enum":[1]}}}`, "!wrong type"},
		{"no choices", `{"type":"object","properties":{"a":{"type":"string","enum":[]}}}`, "!it has 0 choices"},
		{"a choice twice", `{"type":"object","properties":{"a":{"type":"string","enum":["a","a"]}}}`, "!listed twice"},
		{"a choice without a value", `{"type":"object","properties":{"a":{"type":"string","oneOf":[{"title":"A"}]}}}`, "!no value"},
		{"choices twice", `{"type":"object","properties":{"a":{"type":"string","enum":["a"],"oneOf":[{"const":"b"}]}}}`, "!listed twice"},
		{"a key twice", `{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"boolean"}}}`, `!the key "a" twice`},
		{"conditions", `{"type":"object","properties":{},"allOf":[]}`, `!"allOf" is not supported`},
		{"another spelling", `{"type":"object","properties":{"a":{"Type":"string"}}}`, `!"Type" is not supported`},
		{"requires what is not there", `{"type":"object","properties":{},"required":["a"]}`, `!requires "a"`},
		{"too many fields", `{"type":"object","properties":{` + many(31) + `}}`, "!31 fields"},
		{"too long", `{"type":"object","title":"` + strings.Repeat("x", approval.MaxSchema) + `"}`, "!32768"},
	} {
		t.Run(test.name, func(t *testing.T) {
			form, err := approval.ReadForm(json.RawMessage(test.schema))
			if want, refused := strings.CutPrefix(test.want, "!"); refused {
				if !errors.Is(err, approval.ErrQuestion) || !strings.Contains(err.Error(), want) {
					t.Fatalf("got %v, want %q", err, want)
				}
				return
			}
			if got := told(form); err != nil || got != test.want {
				t.Fatalf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func many(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
	}
	return strings.Join(out, ",")
}

// told writes a form in one line.
func told(form approval.Form) string {
	var fields []string
	for _, f := range form.Fields() {
		text := f.Title + " " + string(f.Kind)
		if f.Format != "" {
			text += " " + f.Format
		}
		if f.Required {
			text += " required"
		}
		var options []string
		for _, o := range f.Options {
			options = append(options, o.Value+"="+o.Label)
		}
		if options != nil {
			text += fmt.Sprint(" ", options)
		}
		if len(f.Default) > 0 {
			text += " =" + string(f.Default)
		}
		fields = append(fields, text)
	}
	return strings.Join(fields, "; ")
}

// TestCheck holds answers against one form of every kind.
func TestCheck(t *testing.T) {
	form, err := approval.ReadForm(json.RawMessage(`{"type":"object","required":["s"],"properties":{
		"s":{"type":"string","minLength":2,"maxLength":4},"e":{"type":"string","format":"email"},"u":{"type":"string","format":"uri"},
		"d":{"type":"string","format":"date"},"t":{"type":"string","format":"date-time"},"b":{"type":"boolean"},
		"i":{"type":"integer","minimum":1,"maximum":10},"n":{"type":"number","maximum":0.5},
		"c":{"type":"string","enum":["a","b"]},"m":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b","c"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ content, want string }{
		{`{"s":"ab"}`, `{"s":"ab"}`}, {` { "i" : 7, "s" : "üüüü" } `, `{"s":"üüüü","i":7}`},
		{`{"s":"ab","e":"a@example.com","u":"https://example.com/x","d":"2026-02-28","t":"2026-02-28T01:02:03+01:00","b":false,"n":-1e3,"c":"b","m":["c","a"]}`, ""},
		{``, "!s is missing"}, {`{}`, "!s is missing"}, {`null`, "!no JSON object"}, {`[]`, "!no JSON object"}, {`{"s":"ab"`, "!no JSON object"},
		{`{"s":"ab","x":1}`, `!nobody asked for "x"`}, {`{"s":"ab","s":"cd"}`, "!twice"}, {`{"s":"ab","S":"cd"}`, "!nobody asked"},
		{`{"s":null}`, "!text"}, {`{"s":1}`, "!text"}, {`{"s":"a"}`, "!at least 2"}, {`{"s":"abcde"}`, "!at most 4"},
		{`{"s":"ab","e":"a"}`, "!e-mail"}, {`{"s":"ab","e":"A <a@b.c>"}`, "!e-mail"}, {`{"s":"ab","u":"/x"}`, "!address"}, {`{"s":"ab","u":"x:"}`, "!address"},
		{`{"s":"ab","d":"2026-02-30"}`, "!date"}, {`{"s":"ab","t":"2026-02-28"}`, "!time"}, {`{"s":"ab","b":"true"}`, "!yes or no"}, {`{"s":"ab","b":null}`, "!yes or no"},
		{`{"s":"ab","i":0}`, "!at least 1"}, {`{"s":"ab","i":11}`, "!at most 10"}, {`{"s":"ab","i":1.5}`, "!whole"}, {`{"s":"ab","i":"1"}`, "!number"}, {`{"s":"ab","i":null}`, "!number"},
		{`{"s":"ab","i":12345678901234567890}`, "!too large"}, {`{"s":"ab","n":1e999}`, "!too large"}, {`{"s":"ab","n":0.51}`, "!at most 0.5"},
		{`{"s":"ab","c":"A"}`, "!offered"}, {`{"s":"ab","m":[]}`, "!at least 1"}, {`{"s":"ab","m":["a","b","c"]}`, "!at most 2"}, {`{"s":"ab","m":["a","a"]}`, "!twice"},
		{`{"s":"ab","m":["x"]}`, "!not offered"}, {`{"s":"ab","m":"a"}`, "!list"}, {`{"s":"ab","m":null}`, "!list"}, {`{"s":"ab","m":[null]}`, "!not offered"},
		{`{"s":"` + strings.Repeat("x", approval.MaxContent) + `"}`, "!longer than"},
	} {
		got, err := form.Check(json.RawMessage(test.content))
		if want, refused := strings.CutPrefix(test.want, "!"); refused {
			if !errors.Is(err, approval.ErrAnswer) || !strings.Contains(err.Error(), want) || got != nil {
				t.Errorf("%.80s: got %s, %v, want %q", test.content, got, err, want)
			}
			continue
		}
		if want := test.want; err != nil || want != "" && string(got) != want {
			t.Errorf("%s: got %s, %v", test.content, got, err)
		}
	}
}

// TestAcceptedSatisfiesTheSchema draws forms and answers: what is accepted
// satisfies the schema as a validator of JSON Schema reads it, and what a server
// could have meant is accepted.
func TestAcceptedSatisfiesTheSchema(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		properties, answer, required := map[string]any{}, map[string]any{}, []string{}
		for i := range rapid.IntRange(0, 5).Draw(t, "fields") {
			name := fmt.Sprintf("f%d", i)
			properties[name] = drawProperty(t)
			if rapid.Bool().Draw(t, "required") {
				required = append(required, name)
			}
			if rapid.IntRange(0, 5).Draw(t, "there") > 0 {
				answer[name] = drawValue(t)
			}
		}
		schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
		content, _ := json.Marshal(answer)
		form, err := approval.ReadForm(schema)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		sent, err := form.Check(content)
		oracle := validate(t, schema, content)
		if err != nil {
			if oracle == nil && !strings.Contains(err.Error(), "must be a") && !strings.Contains(err.Error(), "must be an") && !strings.Contains(err.Error(), "twice") {
				t.Fatalf("%s is refused (%v) by %s", content, err, schema)
			}
			return
		}
		accepted++
		if oracle != nil {
			t.Fatalf("%s is accepted by %s, but: %v", content, schema, oracle)
		}
		if err := validate(t, schema, sent); err != nil {
			t.Fatalf("%s is sent for %s: %v", sent, schema, err)
		}
	})
	if accepted == 0 {
		t.Error("no answer was ever accepted")
	}
}

func drawProperty(t *rapid.T) map[string]any {
	p := map[string]any{}
	bound := func(key string) {
		if rapid.Bool().Draw(t, key) {
			p[key] = rapid.IntRange(0, 4).Draw(t, key)
		}
	}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		p["type"] = "string"
		bound("minLength")
		bound("maxLength")
	case 1:
		p["type"] = rapid.SampledFrom([]string{"number", "integer"}).Draw(t, "type")
		bound("minimum")
		bound("maximum")
	case 2:
		p["type"] = "boolean"
	case 3:
		p["type"], p["enum"] = "string", []string{"", "a", "é"}
	case 4:
		p["type"], p["items"] = "array", map[string]any{"type": "string", "enum": []string{"", "a", "é"}}
		bound("minItems")
		bound("maxItems")
	}
	return p
}

func drawValue(t *rapid.T) any {
	text := rapid.SampledFrom([]string{"", "a", "é", "ab", "abcdé"})
	switch rapid.IntRange(0, 5).Draw(t, "value") {
	case 0:
		return text.Draw(t, "text")
	case 1:
		return rapid.IntRange(-2, 6).Draw(t, "int")
	case 2:
		return rapid.Float64Range(-2, 6).Draw(t, "float")
	case 3:
		return rapid.Bool().Draw(t, "bool")
	case 4:
		return rapid.SliceOfN(text, 0, 4).Draw(t, "list")
	}
	return nil
}

func validate(t *rapid.T, schema, content []byte) error {
	var s jsonschema.Schema
	var value any
	if json.Unmarshal(schema, &s) != nil || json.Unmarshal(content, &value) != nil {
		t.Fatalf("%s %s", schema, content)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(value)
}

// FuzzReadForm: any bytes as a form, and as the answer to a form that was read,
// never panic.
func FuzzReadForm(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string"}}}`), []byte(`{"a":"x"}`))
	f.Fuzz(func(t *testing.T, schema, content []byte) {
		form, err := approval.ReadForm(schema)
		if err != nil {
			return
		}
		if sent, err := form.Check(content); err == nil && !json.Valid(sent) {
			t.Errorf("%q is sent", sent)
		}
	})
}
