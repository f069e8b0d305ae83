package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hermes/backend/message"
)

const (
	maxQueries = 7  // a hosted search behind the bridge refuses more
	maxNames   = 10 // of one tool_describe
	maxOffered = 8  // definitions kept for different options
)

// ModelTools are the tool definitions of the next model pass: the bridge tools
// with the listing, or every tool itself when deferring is off. Nothing is
// offered when nothing is allowed and no server is expected. The same catalogue
// and options give the same bytes. The slice is shared and must not be changed.
func (c *Catalog) ModelTools(o Options) []message.ToolDef {
	o = o.normal()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, done := range c.offered {
		if done.options == o {
			return done.tools
		}
	}
	tools := c.modelTools(o)
	if len(c.offered) == maxOffered {
		c.offered = nil // options change with a model's window, not with every pass
	}
	c.offered = append(c.offered, offered{o, tools})
	return tools
}

func (c *Catalog) modelTools(o Options) []message.ToolDef {
	if o.Mode == ModeOff {
		out := make([]message.ToolDef, len(c.entries))
		for i := range c.entries {
			e := &c.entries[i]
			out[i] = message.ToolDef{Name: e.Public, Description: e.Description, Parameters: parameters(e.Schema)}
		}
		if !o.Hosted {
			return out
		}
		return append(out, bridge(onlyHosted, formNone)...)
	}
	if len(c.entries) == 0 && len(c.pending) == 0 {
		if !o.Hosted {
			return nil
		}
		return bridge(onlyHosted, formNone)
	}
	listing, form := c.listing(o.budget())
	text := searchText(len(c.entries), listing, form)
	if o.Hosted {
		text += "\n\n" + alsoHosted
	}
	return bridge(text, form)
}

const (
	alsoHosted = "Tools behind the connectors gateway (" + message.ConnectorPrefix + "...) are not listed: search for them, too."
	onlyHosted = "Finds tools behind the connectors gateway (" + message.ConnectorPrefix + "...). " +
		"Give keywords, one query for each capability; all queries are searched at once and answered separately. " +
		"Then use tool_describe and tool_call."
)

func bridge(search string, form form) []message.ToolDef {
	return []message.ToolDef{
		{Name: message.NameToolSearch, Description: search, Parameters: json.RawMessage(searchSchema)},
		{Name: message.NameToolDescribe, Description: describeText(form), Parameters: json.RawMessage(describeSchema)},
		{Name: message.NameToolCall, Description: callText(form), Parameters: json.RawMessage(callSchema)},
	}
}

// The key order of the bridge schemas is frozen: it is part of every vendor's
// cached prefix.
const (
	searchSchema = `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},` +
		`"description":"Keywords, not sentences; one query for each capability you need. At most 7."},` +
		`"limit":{"type":"integer","description":"Most hits for each query."}},"required":["queries"]}`
	describeSchema = `{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},` +
		`"description":"Full tool names. At most 10."}},"required":["names"]}`
	callSchema = `{"type":"object","properties":{"calls":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"Full tool name."},` +
		`"arguments":{"type":"object","description":"Arguments of that tool."}},"required":["name","arguments"]},` +
		`"description":"One entry for each tool to call. At most 10."}},"required":["calls"]}`
)

func searchText(n int, listing string, f form) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Finds tools among %s that can be loaded on demand. "+
		"Give keywords, one query for each capability; all queries are searched at once and answered separately.", count(n, "more tool"))
	switch f {
	case formSignatures:
		b.WriteString(" All of them are listed here with their parameters (? marks optional ones): " +
			"call them with tool_call at once, no search and no tool_describe is needed.")
	case formFull, formNames:
		b.WriteString(" All of them are listed here: a listed tool is available, so skip the search, " +
			"load its parameters with tool_describe and call it with tool_call.")
	case formMixed:
		b.WriteString(" A tool that is listed here by name is available: skip the search for it. " +
			"Search for the tools of servers whose names are not listed, then use tool_describe and tool_call.")
	case formGroups, formNone:
		b.WriteString(" Search before you say that something cannot be done, then use tool_describe and tool_call.")
	}
	if listing != "" {
		b.WriteString("\n\n")
		b.WriteString(strings.TrimSuffix(listing, "\n"))
	}
	return b.String()
}

func describeText(f form) string {
	text := "Gives the description and the full parameter schema of tools by name, several in one call."
	if f == formSignatures {
		return text + " Needed only where the signature in the list is not enough."
	}
	return text + " Needed before a tool_call when you do not know a tool's parameters."
}

func callText(f form) string {
	text := "Calls tools by their full names. Put all calls that do not depend on each other into one tool_call: " +
		"each entry is checked, approved and run on its own, entries that may overlap run at the same time, " +
		"and the results come back in order, one for each entry. One entry that is refused or fails does not stop the others."
	if f == formSignatures {
		text += " Arguments that do not fit are answered with the tool's schema, and that tool is then not run."
	}
	return text
}

// Normalize reads the arguments of a tool_call with the tolerances of
// message.ParseBatch and bounds the batch. An error is written for the model.
func (c *Catalog) Normalize(arguments json.RawMessage) ([]message.BatchEntry, error) {
	entries, err := message.ParseBatch(string(arguments))
	if err != nil {
		return nil, err
	}
	if len(entries) > message.MaxCallsPerDispatch {
		return nil, fmt.Errorf("too many calls: %d > max %d. Nothing was called. Retry with at most %d entries in each tool_call: "+
			`{"calls": [{"name": %s, "arguments": {...}}, ...]}`,
			len(entries), message.MaxCallsPerDispatch, message.MaxCallsPerDispatch, quoteJSON(entries[0].Name))
	}
	return entries, nil
}

// words reads an argument that should be a list of texts: a bare text is a
// list of one, a text that holds a JSON list is that list.
func wordsArgument(args *tree, key string) ([]string, error) {
	value := args.get(key)
	if value.isText() {
		inner, err := parseTree([]byte(value.text))
		if err != nil || !inner.isArray() {
			inner = newArray(value)
		}
		value = inner
	}
	if !value.isArray() || len(value.words()) != len(value.items) {
		return nil, fmt.Errorf("%s is required and must be an array of strings", key)
	}
	var out []string
	for _, word := range value.words() {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s must contain at least one non-empty string", key)
	}
	return out, nil
}

func argumentsTree(args json.RawMessage) (*tree, error) {
	t, err := parseTree(args)
	if err != nil || !t.isObject() {
		return nil, errors.New("the arguments must be one JSON object")
	}
	return t, nil
}

// ErrorJSON is an error as a bridge tool answers it to the model.
func ErrorJSON(text string) string {
	return strings.TrimSuffix(encodeJSON(struct {
		Error string `json:"error"`
	}{text}), "\n")
}

// ErrorText is the sentence in an answer that ErrorJSON made, empty for others.
func ErrorText(answer string) string {
	if !strings.HasPrefix(answer, `{"error":`) {
		return ""
	}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(answer), &said) != nil {
		return ""
	}
	return said.Error
}
