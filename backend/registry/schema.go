package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// maxSchema is the largest input schema that is offered to a model, in bytes.
const maxSchema = 256 << 10

const emptySchema = `{"type":"object","properties":{}}`

// Unfit says why a tool cannot be given to a model, empty where it can: the
// reason it has in a Catalog, apart from a name that another one took.
func Unfit(t Tool) string {
	_, reason := accept(t)
	return reason
}

// accept gives the schema that a tool's arguments are validated against, or why
// this one tool is kept back.
func accept(t Tool) (schema json.RawMessage, quarantine string) {
	if t.Name == "" {
		return nil, "the server gave it no name"
	}
	return acceptSchema(t.InputSchema)
}

// acceptSchema looks at a tool's input schema as the server sent it. It returns
// the schema that arguments are validated against, or why this one tool is kept
// back: a schema no model can be given must not spoil the request that carries
// all the others. What is merely odd is accepted; parameters makes it fit.
func acceptSchema(raw json.RawMessage) (schema json.RawMessage, quarantine string) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0, bytes.Equal(raw, []byte("null")), bytes.Equal(raw, []byte("true")):
		return json.RawMessage(emptySchema), "" // no schema says nothing about arguments
	case len(raw) > maxSchema:
		return nil, fmt.Sprintf("its input schema has %d KB, more than the %d KB a request can carry", len(raw)>>10, maxSchema>>10)
	case !json.Valid(raw):
		return nil, "its input schema is not JSON"
	case raw[0] != '{':
		return nil, "its input schema is not an object"
	case nesting(raw) > maxDepth:
		return nil, "its input schema is " + errTooDeep.Error()
	}
	var top struct {
		Type json.RawMessage `json:"type"`
	}
	// A "type" that cannot be read as text or a list is checked below.
	_ = json.Unmarshal(raw, &top)
	if !takesObject(top.Type) {
		return nil, "its input schema does not describe an object"
	}
	if needsCleaning(raw) {
		t, err := parseTree(raw)
		if err != nil {
			return nil, "its input schema cannot be read: " + err.Error()
		}
		if reason := cleanTree(t); reason != "" {
			return nil, reason
		}
		return t.json(), ""
	}
	return raw, ""
}

// acceptOutput gives the output schema that clients are told. One that cannot be
// handed on is left out: a result is no less a result without it.
func acceptOutput(raw json.RawMessage) json.RawMessage {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	schema, refused := acceptSchema(raw)
	if refused != "" {
		return nil
	}
	return schema
}

// hintsOf reads two of a server's own words about a tool; what is neither true
// nor false is not said.
func hintsOf(annotations json.RawMessage) (idempotent, openWorld *bool) {
	var words struct {
		Idempotent any `json:"idempotentHint"`
		OpenWorld  any `json:"openWorldHint"`
	}
	if json.Unmarshal(annotations, &words) != nil {
		return nil, nil
	}
	if on, ok := words.Idempotent.(bool); ok {
		idempotent = &on
	}
	if on, ok := words.OpenWorld.(bool); ok {
		openWorld = &on
	}
	return idempotent, openWorld
}

// takesObject reads the root's type: absent or null says nothing, a word or a
// list has to allow an object.
func takesObject(raw json.RawMessage) bool {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return true
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		return word == "object"
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil {
		return false
	}
	for _, word := range words {
		if word == "object" {
			return true
		}
	}
	return false
}

// nesting is the depth of brackets in valid JSON.
func nesting(raw []byte) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString:
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
