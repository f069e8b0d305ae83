package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/policy"
)

// Helper does one of the generated calls about what a server advertises beside
// tools. args is the object the model gave: uri for reading a resource, name
// and arguments for a prompt, nothing for a list, of which all pages are read.
func (m *Manager) Helper(ctx context.Context, server string, h policy.Helper, args json.RawMessage) (Result, error) {
	args, err := objectOf(args)
	if err != nil {
		return Result{}, &callError{server: server, reason: err.Error(), kind: ErrNotSent}
	}
	var given struct {
		URI       string          `json:"uri"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(args, &given); err != nil {
		return Result{}, &callError{server: server, reason: "the arguments do not fit: " + err.Error(), kind: ErrNotSent}
	}
	switch h {
	case policy.HelperListResources:
		return m.listResources(ctx, server)
	case policy.HelperListPrompts:
		return m.listPrompts(ctx, server)
	case policy.HelperReadResource:
		if given.URI == "" {
			return Result{}, &callError{server: server, reason: `the argument "uri" is missing`, kind: ErrNotSent}
		}
		return m.readResource(ctx, server, given.URI)
	case policy.HelperGetPrompt:
		values, err := promptArguments(given.Arguments)
		if err == nil && given.Name == "" {
			err = errors.New(`the argument "name" is missing`)
		}
		if err != nil {
			return Result{}, &callError{server: server, reason: err.Error(), kind: ErrNotSent}
		}
		return m.getPrompt(ctx, server, given.Name, values)
	}
	return Result{}, &callError{server: server, reason: fmt.Sprintf("there is no helper %q", h), kind: ErrNotSent}
}

// reading is an errand that changes nothing, so it may overlap with its like.
// With the newest protocol the SDK may answer from its cache: fallback returns
// what it read then.
func reading(send func(ctx context.Context, session *sdk.ClientSession) (any, error)) errand {
	return errand{
		overlap: func(*server) bool { return true },
		send: func(ctx context.Context, session *session) error {
			value, err := send(ctx, session.client)
			taken := captureFrom(ctx)
			if err != nil || taken.result() != nil {
				return err
			}
			raw, err := json.Marshal(value)
			if err == nil {
				taken.take(raw)
			}
			return err
		},
	}
}

// readPages reads all pages of a list and returns the raw items under key.
func (m *Manager) readPages(ctx context.Context, server, key string, page func(ctx context.Context, session *sdk.ClientSession, cursor string) (any, error)) ([]json.RawMessage, error) {
	items := []json.RawMessage{}
	cursor := ""
	for range maxPages {
		raw, err := m.run(ctx, server, reading(func(ctx context.Context, session *sdk.ClientSession) (any, error) {
			return page(ctx, session, cursor)
		}))
		if err != nil {
			return nil, err
		}
		var fields map[string]json.RawMessage
		var fresh []json.RawMessage
		var next string
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, &ServerError{Server: server, Message: "its list cannot be read"}
		}
		if json.Unmarshal(fields[key], &fresh) == nil {
			items = append(items, fresh...)
		}
		if json.Unmarshal(fields["nextCursor"], &next) != nil || next == "" || next == cursor {
			return items, nil
		}
		cursor = next
	}
	return items, nil
}

func (m *Manager) listResources(ctx context.Context, server string) (Result, error) {
	resources, err := m.readPages(ctx, server, "resources", func(ctx context.Context, session *sdk.ClientSession, cursor string) (any, error) {
		return session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
	})
	if err != nil {
		return Result{}, err
	}
	templates, err := m.readPages(ctx, server, "resourceTemplates", func(ctx context.Context, session *sdk.ClientSession, cursor string) (any, error) {
		return session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
	})
	var refused *ServerError
	if err != nil && !errors.As(err, &refused) {
		return Result{}, err
	}
	list := map[string]any{"resources": resources}
	if len(templates) > 0 {
		list["resourceTemplates"] = templates
	}
	return listResult(list)
}

func (m *Manager) listPrompts(ctx context.Context, server string) (Result, error) {
	prompts, err := m.readPages(ctx, server, "prompts", func(ctx context.Context, session *sdk.ClientSession, cursor string) (any, error) {
		return session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
	})
	if err != nil {
		return Result{}, err
	}
	return listResult(map[string]any{"prompts": prompts})
}

func listResult(list map[string]any) (Result, error) {
	raw, err := json.Marshal(list)
	if err != nil {
		return Result{}, fmt.Errorf("writing a list: %w", err)
	}
	return Result{Content: string(raw), Blocks: raw}, nil
}

func (m *Manager) readResource(ctx context.Context, server, uri string) (Result, error) {
	given := &inputs{}
	e := reading(func(ctx context.Context, session *sdk.ClientSession) (any, error) {
		return session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri, InputResponses: given.responses, RequestState: given.state})
	})
	e.given = given
	raw, err := m.run(ctx, server, e)
	switch {
	case err != nil:
		return Result{}, err
	case given.unmet():
		return given.unanswered(raw), nil
	}
	var wire struct {
		Contents []json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return Result{Blocks: raw, IsError: true, Content: "The server's resource cannot be read."}, nil
	}
	var parts []string
	for _, item := range wire.Contents {
		var b block
		b.Type = "resource"
		if json.Unmarshal(item, &b.Resource) == nil {
			parts = append(parts, b.describe())
		}
	}
	return Result{Content: strings.Join(parts, "\n"), Blocks: raw}, nil
}

func (m *Manager) getPrompt(ctx context.Context, server, name string, values map[string]string) (Result, error) {
	given := &inputs{}
	e := reading(func(ctx context.Context, session *sdk.ClientSession) (any, error) {
		return session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: values, InputResponses: given.responses, RequestState: given.state})
	})
	e.given = given
	// The SDK never caches prompts, so it need not read them.
	e.strip = true
	raw, err := m.run(ctx, server, e)
	switch {
	case err != nil:
		return Result{}, err
	case given.unmet():
		return given.unanswered(raw), nil
	}
	var wire struct {
		Description string `json:"description"`
		Messages    []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return Result{Blocks: raw, IsError: true, Content: "The server's prompt cannot be read."}, nil
	}
	var parts []string
	if wire.Description != "" {
		parts = append(parts, wire.Description)
	}
	for _, message := range wire.Messages {
		texts, _ := describeAll(message.Content)
		parts = append(parts, message.Role+": "+strings.Join(texts, "\n"))
	}
	return Result{Content: strings.Join(parts, "\n"), Blocks: raw}, nil
}

// promptArguments reads the values of a prompt, which are texts by the
// specification; a model's numbers and booleans are taken as written.
func promptArguments(raw json.RawMessage) (map[string]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, errors.New(`the argument "arguments" is not an object`)
	}
	texts := make(map[string]string, len(values))
	for name, value := range values {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		texts[name] = text
	}
	return texts, nil
}
