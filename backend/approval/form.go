package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// FieldKind says how a field of a form is filled in.
type FieldKind string

// The kinds of fields: the primitives of elicitation (MCP 2025-11-25), one choice
// of several, and several choices.
const (
	FieldText    FieldKind = "text"
	FieldNumber  FieldKind = "number"
	FieldInteger FieldKind = "integer"
	FieldSwitch  FieldKind = "switch"
	FieldChoice  FieldKind = "choice"
	FieldChoices FieldKind = "choices"
)

// Field is one value a form asks for. Name is the key in the answer; Title and
// Description are for people. Format is "", email, uri, date or date-time.
// MinLength and MaxLength count characters of a text, or entries of choices; a
// nil bound is none. Default is JSON, empty for none.
type Field struct {
	Name, Title, Description string
	Kind                     FieldKind
	Required                 bool
	Format                   string
	MinLength, MaxLength     *int
	Minimum, Maximum         *float64
	Options                  []Option
	Default                  json.RawMessage
}

// Option is one choice: Value is what is answered, Label what people read.
type Option struct{ Value, Label string }

// Form is a flat form of primitives. The zero value asks for nothing and takes
// only an empty answer.
type Form struct{ fields []Field }

// Fields are the form's fields in the order they were written. They are a copy.
func (f Form) Fields() []Field { return slices.Clone(f.fields) }

const (
	maxFields      = 30
	maxOptions     = 200
	maxTitle       = 120
	maxDescription = 500
)

// ReadForm reads the schema of an elicitation: an object of primitives, and
// nothing else (MCP 2025-11-25, "Requested Schema"). A word that would constrain
// the answer and is not known here is an error, because what a person accepts has
// to satisfy the whole schema. The error is ErrQuestion.
func ReadForm(schema json.RawMessage) (Form, error) {
	if len(schema) > MaxSchema {
		return Form{}, fmt.Errorf("%w: its form is longer than %d bytes", ErrQuestion, MaxSchema)
	}
	top, err := members(schema)
	if err != nil {
		return Form{}, broken("the form is %v", err)
	}
	var form Form
	var required []string
	kind := ""
	for _, m := range top {
		switch m.key {
		case "type":
			err = read(m.value, &kind)
		case "required":
			err = read(m.value, &required)
		case "properties":
			form.fields, err = readFields(m.value)
		case "$schema", "$id", "$comment", "title", "description", "additionalProperties":
			// Only the fields of the form are ever answered.
		default:
			err = fmt.Errorf("%q is not supported in a form", label(m.key, maxTitle))
		}
		if err != nil {
			return Form{}, broken("%v", err)
		}
	}
	if kind != "object" {
		return Form{}, broken("the form is not of the type object")
	}
	for _, name := range required {
		at := slices.IndexFunc(form.fields, func(f Field) bool { return f.Name == name })
		if at < 0 {
			return Form{}, broken("the form requires %q, which it does not hold", label(name, maxTitle))
		}
		form.fields[at].Required = true
	}
	return form, nil
}

func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrQuestion, fmt.Sprintf(format, args...))
}

func readFields(raw json.RawMessage) ([]Field, error) {
	properties, err := members(raw)
	if err != nil {
		return nil, fmt.Errorf("the list of fields is %w", err)
	}
	if len(properties) > maxFields {
		return nil, fmt.Errorf("the form has %d fields, at most %d can be asked for", len(properties), maxFields)
	}
	fields := make([]Field, 0, len(properties))
	for _, m := range properties {
		field, err := readField(m.key, m.value)
		if err != nil {
			return nil, fmt.Errorf("the field %q: %w", label(m.key, maxTitle), err)
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// written is a property as it stands in the schema.
type written struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	MinLength   *int            `json:"minLength"`
	MaxLength   *int            `json:"maxLength"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	MinItems    *int            `json:"minItems"`
	MaxItems    *int            `json:"maxItems"`
	Enum        *[]string       `json:"enum"`
	EnumNames   *[]string       `json:"enumNames"`
	OneOf       *[]titled       `json:"oneOf"`
	AnyOf       *[]titled       `json:"anyOf"`
	Items       json.RawMessage `json:"items"`
	Default     json.RawMessage `json:"default"`
}

// titled is a choice with a title of its own.
type titled struct {
	Const       *string `json:"const"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
}

func readField(name string, raw json.RawMessage) (Field, error) {
	ms, err := members(raw)
	if err != nil {
		return Field{}, err
	}
	var w written
	if err := read(raw, &w); err != nil {
		return Field{}, err
	}
	field := Field{Name: name, Title: label(w.Title, maxTitle), Description: label(w.Description, maxDescription), Default: w.Default,
		Minimum: w.Minimum, Maximum: w.Maximum, MinLength: w.MinLength, MaxLength: w.MaxLength, Format: w.Format}
	if field.Title == "" {
		field.Title = label(name, maxTitle)
	}
	var words []string
	switch w.Type {
	case "boolean":
		field.Kind = FieldSwitch
	case "number", "integer":
		field.Kind, words = FieldKind(w.Type), []string{"minimum", "maximum"}
	case "array":
		field.Kind, words = FieldChoices, []string{"items", "minItems", "maxItems", "uniqueItems"}
		field.MinLength, field.MaxLength = w.MinItems, w.MaxItems
		field.Options, err = readItems(w.Items)
	case "string":
		field.Kind, words = FieldText, []string{"minLength", "maxLength", "format"}
		if w.Enum != nil || w.OneOf != nil {
			field.Kind, words = FieldChoice, []string{"enum", "enumNames", "oneOf"}
			field.Options, err = w.options(w.OneOf)
		} else if !known(w.Format) {
			err = fmt.Errorf("the format %q is not known", label(w.Format, maxTitle))
		}
	default:
		err = fmt.Errorf("the type %q cannot be asked for", label(w.Type, maxTitle))
	}
	if err == nil {
		err = only(ms, words)
	}
	if err == nil && len(field.Default) > 0 && field.check(field.Default) != nil {
		// A default that its own field refuses is no default.
		field.Default = nil
	}
	return field, err
}

func known(format string) bool {
	switch format {
	case "", "email", "uri", "date", "date-time":
		return true
	}
	return false
}

// readItems reads the choices of an array.
func readItems(raw json.RawMessage) ([]Option, error) {
	ms, err := members(raw)
	if err != nil {
		return nil, fmt.Errorf("its items are %w", err)
	}
	var w written
	if err := read(raw, &w); err != nil {
		return nil, err
	}
	if w.Type != "" && w.Type != "string" || w.Enum == nil && w.AnyOf == nil {
		return nil, fmt.Errorf("only a choice of texts can be asked for several times")
	}
	options, err := w.options(w.AnyOf)
	if err != nil {
		return nil, err
	}
	return options, only(ms, []string{"enum", "enumNames", "anyOf"})
}

// options are the choices of an enum, or the titled ones where there is none.
func (w written) options(choices *[]titled) ([]Option, error) {
	var out []Option
	if w.Enum != nil && choices != nil {
		return nil, fmt.Errorf("its choices are listed twice")
	}
	if w.Enum != nil {
		for i, value := range *w.Enum {
			option := Option{Value: value, Label: label(value, maxTitle)}
			if w.EnumNames != nil && i < len(*w.EnumNames) && (*w.EnumNames)[i] != "" {
				option.Label = label((*w.EnumNames)[i], maxTitle)
			}
			out = append(out, option)
		}
	} else {
		for _, choice := range *choices {
			if choice.Const == nil {
				return nil, fmt.Errorf("a choice has no value")
			}
			option := Option{Value: *choice.Const, Label: label(choice.Title, maxTitle)}
			if option.Label == "" {
				option.Label = label(option.Value, maxTitle)
			}
			out = append(out, option)
		}
	}
	if len(out) == 0 || len(out) > maxOptions {
		return nil, fmt.Errorf("it has %d choices, 1 to %d can be shown", len(out), maxOptions)
	}
	return distinct(out)
}

// distinct adds the value to labels that would look the same.
func distinct(options []Option) ([]Option, error) {
	values, labels := map[string]bool{}, map[string]int{}
	for _, o := range options {
		if values[o.Value] {
			return nil, fmt.Errorf("a choice is listed twice")
		}
		values[o.Value] = true
		labels[o.Label]++
	}
	for i, o := range options {
		if labels[o.Label] > 1 {
			options[i].Label = o.Label + " (" + label(o.Value, maxTitle) + ")"
		}
	}
	return options, nil
}

// only refuses words that would constrain the answer in a way not known here.
func only(ms []member, words []string) error {
	for _, m := range ms {
		switch m.key {
		case "type", "title", "description", "default", "$comment", "examples", "deprecated":
			continue
		}
		if !slices.Contains(words, m.key) {
			return fmt.Errorf("%q is not supported here", label(m.key, maxTitle))
		}
	}
	return nil
}

// member is a key of an object with its value as it was written.
type member struct {
	key   string
	value json.RawMessage
}

// members gives an object's members in order. A key that stands twice is an
// error: readers would differ about which one counts.
func members(raw json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, fmt.Errorf("no JSON object")
	}
	var out []member
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		key, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil, fmt.Errorf("no JSON object")
		}
		if seen[key] {
			return nil, fmt.Errorf("an object that has the key %q twice", label(key, maxTitle))
		}
		seen[key] = true
		out = append(out, member{key, value})
	}
	if _, err := d.Token(); err != nil || d.More() {
		return nil, fmt.Errorf("no JSON object")
	}
	return out, nil
}

// read decodes one value; the error keeps what stands there to itself.
func read(raw json.RawMessage, into any) error {
	if json.Unmarshal(raw, into) != nil {
		return fmt.Errorf("a value of it has the wrong type")
	}
	return nil
}
