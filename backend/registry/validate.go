package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Invalid is why a call's arguments do not fit the tool's schema. The tool was
// not run.
type Invalid struct {
	// Missing are required arguments that are not there; the other fields
	// except Schema are empty then.
	Missing []string
	// Path is where the fault is, such as arguments.a[0].
	Path string
	// Constraint is the keyword of the schema that is not met.
	Constraint string
	Detail     string
	// Schema is the tool's whole schema, so that a model that guessed heals in
	// one pass.
	Schema json.RawMessage
}

const maxDetail = 600 // runes

// Error says what is wrong, without the schema.
func (e *Invalid) Error() string {
	if len(e.Missing) > 0 {
		return "missing required argument(s): " + strings.Join(e.Missing, ", ")
	}
	return fmt.Sprintf("failed argument validation at %s (%s): %s", e.Path, e.Constraint, e.Detail)
}

// JSON is the answer to the model for a call of the named tool (reference
// hermes-agent 1.8).
func (e *Invalid) JSON(name string) string {
	verb := ""
	if len(e.Missing) > 0 {
		verb = "is "
	}
	said := fmt.Sprintf("tool_call to %s %s%s. The tool was NOT invoked.", quoteName(name), verb, e.Error())
	answer := struct {
		Error      string          `json:"error"`
		Path       string          `json:"path,omitempty"`
		Constraint string          `json:"constraint,omitempty"`
		Parameters json.RawMessage `json:"parameters"`
		Hint       string          `json:"hint"`
	}{said, e.Path, e.Constraint, e.Schema, "Correct the arguments by the schema in 'parameters' and call the tool again."}
	return strings.TrimSuffix(encodeJSON(answer), "\n")
}

// Validate checks arguments against a tool's input schema, nil if they fit. What
// cannot be checked does not fit: a schema that cannot be read, numbers beyond
// every computer's, arguments that would take too long. No schema says nothing;
// what a schema says and nobody can enforce is left out of it, see Unenforced.
func Validate(schema, args json.RawMessage) *Invalid {
	return (&checker{schema: schema}).validate(args)
}

// checker is a schema that is compiled at the first use.
type checker struct {
	schema   json.RawMessage
	mu       sync.Mutex
	read     bool
	tree     *tree // as the server wrote it, nil if it cannot be read
	names    offeredNames
	props    *tree     // the parameters as they are offered, nil before they are needed
	compiled *compiled // nil if the schema cannot be read
}

// open reads the schema once; the lock is held.
func (c *checker) open() {
	if c.read {
		return
	}
	c.read = true
	if t, err := parseTree(c.schema); err == nil && t.isObject() {
		c.tree, c.names = t, namesOf(t)
	}
	if c.compiled = compile(c.schema); c.compiled != nil {
		c.compiled.names = c.names
	}
}

// offered are the names that differ from the server's.
func (c *checker) offered() offeredNames {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open()
	return c.names
}

func (c *checker) validate(args json.RawMessage) *Invalid {
	given, err := parseTree(args)
	switch {
	case errors.Is(err, errTooDeep):
		return &Invalid{Path: "arguments", Constraint: "depth", Detail: "they are " + err.Error(), Schema: orEmptySchema(c.schema)}
	case err != nil || !given.isObject():
		return &Invalid{Path: "arguments", Constraint: "type", Detail: "they must be one JSON object", Schema: orEmptySchema(c.schema)}
	}
	if path := beyond(given, "arguments"); path != "" {
		return &Invalid{Path: cut(path, maxDetail), Constraint: "range", Detail: "the number is larger than any program can be relied on to read", Schema: orEmptySchema(c.schema)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open()
	changed, fault := c.names.restore(c.tree, given)
	if fault != nil {
		fault.Schema = c.names.shown(c.schema)
		return fault
	}
	if changed {
		args = given.json()
	}
	switch {
	case saysNothing(c.schema):
		return nil
	case c.compiled == nil:
		return &Invalid{Path: "arguments", Constraint: "schema", Detail: "the schema of this tool cannot be read, so nothing can be checked against it", Schema: orEmptySchema(c.schema)}
	}
	if missing := missingArguments(c.compiled.tree, given); len(missing) > 0 {
		for i, name := range missing {
			missing[i] = c.names.offer(name)
		}
		return &Invalid{Missing: missing, Path: "arguments", Constraint: "required", Schema: c.names.shown(c.schema)}
	}
	var value any
	if err := json.Unmarshal(args, &value); err != nil || !affordable(c.compiled.tree, given) {
		return &Invalid{Path: "arguments", Constraint: "size", Detail: "there is too much in them to check against the schema", Schema: c.names.shown(c.schema)}
	}
	var found *Invalid
	if c.compiled.check("", value) != nil {
		found = c.compiled.locate(place{schema: c.compiled.tree}, value, "arguments")
	} else if found = c.compiled.offStep(c.compiled.tree, given, "arguments", 0); found == nil {
		return nil
	}
	found.Schema = c.names.shown(c.schema)
	return found
}

// arguments are those of a call as the server takes them: its own names, and
// values that a model wrote as text put right. What cannot be read, or names a
// parameter twice, stays for validate to refuse.
func (c *checker) arguments(args json.RawMessage) json.RawMessage {
	given, err := parseTree(args)
	if err != nil || !given.isObject() {
		return args
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open()
	renamed, fault := c.names.restore(c.tree, given)
	if fault != nil {
		return args
	}
	if mended := c.coerce(given); !renamed && !mended {
		return args
	}
	return given.json()
}

func orEmptySchema(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 || !json.Valid(schema) {
		return json.RawMessage(emptySchema)
	}
	return schema
}

func missingArguments(schema, given *tree) []string {
	var out []string
	for _, name := range schema.get("required").words() {
		if given.get(name) == nil && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
