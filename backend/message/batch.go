package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The bridge tools through which a model reaches deferred tools, and the bounds
// of a batch (DESIGN section 5).
const (
	NameToolSearch   = "tool_search"
	NameToolDescribe = "tool_describe"
	NameToolCall     = "tool_call"

	// ConnectorPrefix starts the names that one gateway dispatch may batch.
	ConnectorPrefix = "connectors__"
	// ConnectorBatch is the public name of a dispatch of several of them.
	ConnectorBatch = ConnectorPrefix + "execute"
	// MaxCallsPerDispatch is the largest batch; a larger one stays whole and
	// meets the dispatcher's error.
	MaxCallsPerDispatch = 10
)

// BatchEntry is one entry of a tool_call: the public name of a tool and its
// arguments, a JSON object in Python's spelling.
type BatchEntry struct{ Name, Arguments string }

// ParseBatch reads the arguments of a tool_call with every tolerance models
// need: calls as an array, as one object or as JSON text; the older
// {name, arguments} without calls; arguments that are missing, null or blank
// (an empty object) or JSON text. The error texts are those Hermes Agent's
// models know; they are written for the model.
func ParseBatch(arguments string) ([]BatchEntry, error) {
	var fields map[string]json.RawMessage
	if err := decode([]byte(arguments), &fields); err != nil || fields == nil {
		return nil, errors.New("tool_call requires 'calls' (an array of {name, arguments})")
	}
	calls := fields["calls"]
	if isNull(calls) {
		if isNull(fields["name"]) {
			return nil, errors.New("tool_call requires 'calls' (an array of {name, arguments})")
		}
		entry, err := parseEntry(0, fields)
		if err != nil {
			return nil, err
		}
		return []BatchEntry{entry}, nil
	}
	items, err := batchItems(calls)
	if err != nil {
		return nil, err
	}
	entries := make([]BatchEntry, len(items))
	for i, item := range items {
		var fields map[string]json.RawMessage
		if err := decode(item, &fields); err != nil || fields == nil {
			return nil, fmt.Errorf("tool_call calls[%d] must be an object with 'name' and 'arguments'", i)
		}
		if entries[i], err = parseEntry(i, fields); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// batchItems lists the entries of the calls value.
func batchItems(calls json.RawMessage) ([]json.RawMessage, error) {
	if calls[0] == '"' {
		var text string
		if err := json.Unmarshal(calls, &text); err != nil {
			return nil, fmt.Errorf("tool_call 'calls' is not valid JSON: %w", err)
		}
		var inner json.RawMessage
		if err := decode([]byte(text), &inner); err != nil {
			return nil, fmt.Errorf("tool_call 'calls' is not valid JSON: %w", err)
		}
		calls = json.RawMessage(skipSpace(inner))
	}
	var items []json.RawMessage
	switch calls[0] {
	case '{':
		items = []json.RawMessage{calls}
	case '[':
		if err := json.Unmarshal(calls, &items); err != nil {
			return nil, fmt.Errorf("tool_call 'calls' is not valid JSON: %w", err)
		}
	}
	if len(items) == 0 {
		return nil, errors.New("tool_call 'calls' must be a non-empty array of {name, arguments}")
	}
	return items, nil
}

func parseEntry(i int, fields map[string]json.RawMessage) (BatchEntry, error) {
	var name string
	if raw := fields["name"]; len(raw) > 0 && raw[0] == '"' {
		if err := json.Unmarshal(raw, &name); err != nil {
			return BatchEntry{}, fmt.Errorf("tool_call calls[%d] requires a 'name'", i)
		}
	}
	name = strings.TrimSpace(name)
	switch name {
	case "":
		return BatchEntry{}, fmt.Errorf("tool_call calls[%d] requires a 'name'", i)
	case NameToolCall, NameToolSearch, NameToolDescribe:
		return BatchEntry{}, fmt.Errorf("tool_call cannot invoke '%s' (it is itself a bridge tool)", name)
	}
	arguments, err := entryArguments(i, fields["arguments"])
	return BatchEntry{Name: name, Arguments: arguments}, err
}

func entryArguments(i int, raw json.RawMessage) (string, error) {
	if !isNull(raw) && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", fmt.Errorf("tool_call calls[%d].arguments is not valid JSON: %w", i, err)
		}
		raw = nil
		if text = strings.TrimSpace(text); text != "" {
			if err := decode([]byte(text), &raw); err != nil {
				return "", fmt.Errorf("tool_call calls[%d].arguments is not valid JSON: %w", i, err)
			}
			if isNull(raw) { // the text "null" says something, a blank says nothing
				return "", fmt.Errorf("tool_call calls[%d].arguments must be an object", i)
			}
		}
	}
	if isNull(raw) {
		return "{}", nil
	}
	if raw[0] != '{' {
		return "", fmt.Errorf("tool_call calls[%d].arguments must be an object", i)
	}
	out, err := AppendPython(nil, raw)
	if err != nil {
		return "", fmt.Errorf("tool_call calls[%d].arguments is not valid JSON: %w", i, err)
	}
	return string(out), nil
}

// CallText is the arguments of a tool_call that holds this entry alone, in
// Python's spelling: the text that call ids are made from.
func (e BatchEntry) CallText() string {
	// The encoder's escapes for HTML are undone by the rewriting; a Go string
	// always encodes.
	name, _ := json.Marshal(e.Name)
	out, _ := AppendPython([]byte(`{"calls": [{"name": `), name)
	out = append(out, `, "arguments": `...)
	out = append(out, e.Arguments...)
	return string(append(out, "}]}"...))
}

// Peel gives the tool and the arguments a call is about: those of its entry for
// a tool_call with one entry, else the call's own.
func (c ToolCall) Peel() (name, arguments string) {
	if c.Name == NameToolCall {
		if entries, err := ParseBatch(c.Arguments); err == nil && len(entries) == 1 {
			return entries[0].Name, entries[0].Arguments
		}
	}
	return c.Name, c.Arguments
}

// decode reads one JSON value and nothing behind it, and refuses text that is
// not UTF-8, which encoding/json would mend in silence.
func decode(raw []byte, into any) error {
	if !utf8.Valid(raw) {
		return errors.New("the text is not UTF-8")
	}
	return json.Unmarshal(raw, into)
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || raw[0] == 'n' }
