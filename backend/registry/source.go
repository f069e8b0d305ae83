package registry

import (
	"encoding/json"

	"hermes/backend/policy"
)

// Tool is a tool as its server describes it, under its raw MCP name.
type Tool struct {
	Name, Title, Description string
	InputSchema              json.RawMessage
	// OutputSchema may be empty; Annotations are the server's as sent.
	OutputSchema, Annotations json.RawMessage
	// ReadOnly and Destructive are the server's own words (DESIGN section 5).
	ReadOnly, Destructive *bool
}

// Source is what is known of one configured server.
type Source struct {
	Server string
	Rules  policy.Rules
	Tools  []Tool // the full list, denied tools included
	// Blocked are tools that must not be called whatever the rules say, each with
	// the reason.
	Blocked map[string]string
	// Resources and Prompts say that the server advertises the capability.
	Resources, Prompts bool
	// Known says that Tools is the list of a live session.
	Known bool
	// Pending says that the server may run and is not there: it is starting or
	// lost. The model is told that it exists, unless it is locked.
	Pending bool
}

// Entry is one tool the model may call, or one of a listing for people.
type Entry struct {
	Public, Server, Tool string
	Title, Description   string
	// Schema is the server's input schema, invisible characters taken out of
	// its descriptions; arguments are validated against it. A model may be given
	// other names of parameters, see Arguments.
	Schema json.RawMessage
	// Output is the server's output schema, cleaned in the same way and empty
	// where it has none that can be handed on. Idempotent and OpenWorld are its
	// own words, for clients of the gateway.
	Output                json.RawMessage
	Idempotent, OpenWorld *bool
	// Helper is set for a generated helper, whose Tool is the same word.
	Helper                policy.Helper
	ReadOnly, Destructive *bool

	check *checker
}

// Validate checks arguments like the function of that name; the schema is read
// once for all calls of the catalogue.
func (e Entry) Validate(args json.RawMessage) *Invalid {
	return e.checker().validate(args)
}

// Arguments are the arguments of a call as the server takes them. A model may have
// written the names it was offered, or the server's own, and a number as text; the
// server never gets an offered name. Arguments without any of this are returned as
// they are.
func (e Entry) Arguments(args json.RawMessage) json.RawMessage { return e.checker().arguments(args) }

func (e Entry) checker() *checker {
	if e.check == nil {
		return &checker{schema: e.Schema}
	}
	return e.check
}

// Listed is an entry of the listing for people: every tool of every known
// server with the verdict, denied ones included. Quarantine says why a tool
// that policy allows is not offered all the same, because no model can be given
// it; Blocked why it must not be called. Both are empty for none.
type Listed struct {
	Entry
	Verdict    policy.Verdict
	Quarantine string
	Blocked    string
}

// helpers are the generated tools of a server that advertises resources or
// prompts (reference hermes-mcp 2.2).
func helpers(src Source) []Entry {
	var out []Entry
	add := func(h policy.Helper, title, description, schema string) {
		out = append(out, Entry{Server: src.Server, Tool: string(h), Helper: h, Title: title,
			Description: description + " of the MCP server " + clean(src.Server) + ".", Schema: json.RawMessage(schema)})
	}
	if src.Resources {
		add(policy.HelperListResources, "List resources", "Lists the resources", `{"type":"object","properties":{}}`)
		add(policy.HelperReadResource, "Read a resource", "Reads one resource",
			`{"type":"object","properties":{"uri":{"type":"string","description":"URI of the resource"}},"required":["uri"]}`)
	}
	if src.Prompts {
		add(policy.HelperListPrompts, "List prompts", "Lists the prompts", `{"type":"object","properties":{}}`)
		add(policy.HelperGetPrompt, "Get a prompt", "Gets one prompt",
			`{"type":"object","properties":{"name":{"type":"string","description":"Name of the prompt"},`+
				`"arguments":{"type":"object","additionalProperties":{"type":"string"},"description":"Arguments of the prompt"}},"required":["name"]}`)
	}
	return out
}
