package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/policy"
)

// harness is the suite's server in the file.
const harness = "harness"

// client is a Manager with one server.
type client struct {
	manager *mcp.Manager
	home    string
}

// writeHome makes a home whose only server is the suite's; rules are further
// keys of its entry.
func writeHome(url, rules string) (string, error) {
	dir, err := os.MkdirTemp("", "hermes-conformance-")
	if err != nil {
		return "", err
	}
	address, err := json.Marshal(url)
	if err != nil {
		return "", err
	}
	file := fmt.Sprintf("mcp_servers:\n  %s:\n    url: %s\n%s", harness, address, rules)
	return dir, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(file), 0o600)
}

// dial connects as the program does, from a file, and waits for the tools.
func dial(ctx context.Context, url string) (*client, error) {
	home, err := writeHome(url, "    elicitation: {enabled: true}\n")
	if err != nil {
		return nil, err
	}
	snap := config.Open(config.Home{Dir: home}, config.Options{}).Load()
	c := &client{home: home, manager: mcp.New(mcp.Options{
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), ClientVersion: "0",
		Elicit: func(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
			return fillIn(params)
		},
	})}
	c.manager.Sync(snap)
	if missing := c.manager.Wait(ctx, nil); len(missing) > 0 {
		err := fmt.Errorf("not connected: %s", c.manager.Status(harness).Reason)
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *client) close() error {
	for _, line := range c.manager.Log(harness) {
		fmt.Fprintln(os.Stderr, line)
	}
	return errors.Join(c.manager.Close(), os.RemoveAll(c.home))
}

func (c *client) tools() []mcp.Tool { return c.manager.Status(harness).Tools }

// call calls a tool; that the server calls the call failed is no error.
func (c *client) call(ctx context.Context, tool, arguments string) error {
	result, err := c.manager.Call(ctx, harness, tool, json.RawMessage(arguments))
	if err == nil {
		fmt.Println(tool + ": " + result.Content)
	}
	return err
}

// try is call where the suite means some to be refused.
func (c *client) try(ctx context.Context, tool, arguments string) {
	if err := c.call(ctx, tool, arguments); err != nil {
		fmt.Println(tool + ": " + err.Error())
	}
}

func (c *client) readFirstResource(ctx context.Context) error {
	var list struct {
		Resources []struct {
			URI string `json:"uri"`
		} `json:"resources"`
	}
	if err := c.list(ctx, policy.HelperListResources, &list); err != nil || len(list.Resources) == 0 {
		return err
	}
	return c.help(ctx, policy.HelperReadResource, map[string]any{"uri": list.Resources[0].URI})
}

func (c *client) getFirstPrompt(ctx context.Context) error {
	var list struct {
		Prompts []struct {
			Name string `json:"name"`
		} `json:"prompts"`
	}
	if err := c.list(ctx, policy.HelperListPrompts, &list); err != nil || len(list.Prompts) == 0 {
		return err
	}
	return c.help(ctx, policy.HelperGetPrompt, map[string]any{"name": list.Prompts[0].Name})
}

func (c *client) list(ctx context.Context, helper policy.Helper, into any) error {
	result, err := c.manager.Helper(ctx, harness, helper, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(result.Blocks, into)
}

func (c *client) help(ctx context.Context, helper policy.Helper, arguments map[string]any) error {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	_, err = c.manager.Helper(ctx, harness, helper, raw)
	return err
}

// fillIn answers a question like a person who accepts what the form holds: the
// default of each field, yes where the question is yes or no.
func fillIn(params json.RawMessage) (json.RawMessage, error) {
	var asked struct {
		Schema struct {
			Properties map[string]struct {
				Type    string          `json:"type"`
				Default json.RawMessage `json:"default"`
			} `json:"properties"`
		} `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &asked); err != nil {
		return nil, err
	}
	content := map[string]json.RawMessage{}
	for name, field := range asked.Schema.Properties {
		switch {
		case field.Default != nil:
			content[name] = field.Default
		case field.Type == "boolean":
			content[name] = json.RawMessage("true")
		}
	}
	return json.Marshal(map[string]any{"action": "accept", "content": content})
}
