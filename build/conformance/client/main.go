// Command hermes-conformance is the client of the official conformance suite,
// built from the product's own connection package. Only the choice of what a
// scenario asks for is here: how a server is reached, which revision is spoken,
// what is retried and what is sent is all backend/mcp.
//
// The suite gives the server's URL as the last argument and the scenario in
// MCP_CONFORMANCE_SCENARIO.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// limit is shorter than the suite's own, so that a failure is told in words.
const limit = 25 * time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "hermes-conformance:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	if len(os.Args) < 2 || scenario == "" {
		return errors.New("the suite gives a URL, and a scenario in MCP_CONFORMANCE_SCENARIO")
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	url := os.Args[len(os.Args)-1]
	if include, set := os.LookupEnv("HERMES_CONFORMANCE_INCLUDE"); set {
		return whitelist(ctx, url, include)
	}
	c, err := dial(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	play, known := scenarios()[scenario]
	switch {
	case known:
		return play(ctx, c)
	case strings.HasPrefix(scenario, "auth/"):
		return c.call(ctx, "test-tool", "{}")
	}
	return fmt.Errorf("the scenario %q is not known here", scenario)
}

// scenarios says what each one asks of a client after it is connected and has
// read the tools.
func scenarios() map[string]func(context.Context, *client) error {
	nothing := func(context.Context, *client) error { return nil }
	one := func(tool, arguments string) func(context.Context, *client) error {
		return func(ctx context.Context, c *client) error { return c.call(ctx, tool, arguments) }
	}
	return map[string]func(context.Context, *client) error{
		"initialize":                          nothing,
		"request-metadata":                    nothing,
		"json-schema-ref-no-deref":            nothing,
		"tools_call":                          one("add_numbers", `{"a":5,"b":3}`),
		"sse-retry":                           one("test_reconnection", "{}"),
		"elicitation-sep1034-client-defaults": one("test_client_elicitation_defaults", "{}"),
		"sep-2322-client-request-state":       requestState,
		"json-schema-2020-12-preservation":    echoSchema,
		"http-standard-headers":               everyVerb,
		"http-custom-headers":                 givenCalls,
		"http-invalid-tool-headers":           everyTool,
	}
}

// requestState lets the server ask for more in the middle of a call. Some of the
// calls are meant to fail.
func requestState(ctx context.Context, c *client) error {
	for _, tool := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
		c.try(ctx, tool, "{}")
	}
	return nil
}

// echoSchema gives a schema back as it was read.
func echoSchema(ctx context.Context, c *client) error {
	for _, tool := range c.tools() {
		if tool.Name == "json_schema_2020_12_tool" {
			return c.call(ctx, "json_schema_echo", `{"schema":`+string(tool.InputSchema)+`}`)
		}
	}
	return errors.New("the server does not offer json_schema_2020_12_tool")
}

// everyVerb uses tools, resources and prompts once each.
func everyVerb(ctx context.Context, c *client) error {
	if tools := c.tools(); len(tools) > 0 {
		c.try(ctx, tools[0].Name, "{}")
	}
	return errors.Join(c.readFirstResource(ctx), c.getFirstPrompt(ctx))
}

// givenCalls makes the calls that the suite names.
func givenCalls(ctx context.Context, c *client) error {
	var given struct {
		ToolCalls []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if err := json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given); err != nil {
		return fmt.Errorf("read the suite's context: %w", err)
	}
	for _, call := range given.ToolCalls {
		c.try(ctx, call.Name, string(call.Arguments))
	}
	return nil
}

// everyTool calls all that is left of the list after what is not valid.
func everyTool(ctx context.Context, c *client) error {
	for _, tool := range c.tools() {
		c.try(ctx, tool.Name, `{"region":"us-west1"}`)
	}
	return nil
}
