package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages bounds a paged list: a server that always offers one more page is
// broken or hostile.
const maxPages = 50

// rawTool is a tool as it stands on the wire.
type rawTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations json.RawMessage `json:"annotations"`
}

// hints are the annotations that are used here.
type hints struct {
	Title       string `json:"title"`
	ReadOnly    *bool  `json:"readOnlyHint"`
	Destructive *bool  `json:"destructiveHint"`
}

// listTools reads all pages of the tool list. A tool that cannot be read is
// left out and noted; the others stay.
func (s *session) listTools(ctx context.Context, log *serverLog) ([]Tool, error) {
	if capabilities := s.client.InitializeResult().Capabilities; capabilities == nil || capabilities.Tools == nil {
		return nil, nil
	}
	var tools []Tool
	seen := map[string]bool{}
	cursors := map[string]bool{"": true}
	cursor := ""
	for range maxPages {
		page, next, err := s.toolPage(ctx, cursor, log)
		if err != nil {
			return nil, err
		}
		for _, tool := range page {
			if seen[tool.Name] {
				log.note(fmt.Sprintf("the tool %q is offered twice; the first one counts", tool.Name))
				continue
			}
			seen[tool.Name] = true
			tools = append(tools, tool)
		}
		if next == "" {
			return tools, nil
		}
		if cursors[next] {
			log.note("the tool list repeats itself; the rest was not read")
			return tools, nil
		}
		cursors[next] = true
		cursor = next
	}
	log.note(fmt.Sprintf("the tool list has more than %d pages; the rest was not read", maxPages))
	return tools, nil
}

// toolPage reads one page. The SDK's reading of it is used only to learn which
// tools it left out for their header annotations.
func (s *session) toolPage(ctx context.Context, cursor string, log *serverLog) ([]Tool, string, error) {
	taken := &capture{}
	result, err := s.client.ListTools(withCapture(ctx, taken), &sdk.ListToolsParams{Cursor: cursor})
	taken.drop()
	raw := taken.result()
	if raw == nil {
		if err != nil {
			return nil, "", err
		}
		// The SDK answered from its cache.
		if raw, err = json.Marshal(result); err != nil {
			return nil, "", fmt.Errorf("reading the tool list: %w", err)
		}
	}
	var page struct {
		Tools      []json.RawMessage `json:"tools"`
		NextCursor string            `json:"nextCursor"`
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return nil, "", fmt.Errorf("reading the tool list: %w", err)
	}
	var kept map[string]bool
	if err == nil && result != nil {
		kept = map[string]bool{}
		for _, tool := range result.Tools {
			kept[tool.Name] = true
		}
	}
	var tools []Tool
	for i, text := range page.Tools {
		tool, err := readTool(text)
		switch {
		case err != nil:
			log.note(fmt.Sprintf("tool %d of the list cannot be read and is left out: %v", i+1, err))
		case kept != nil && !kept[tool.Name]:
			log.note(fmt.Sprintf("the tool %q is left out: its schema's header annotations are not valid", tool.Name))
		default:
			tools = append(tools, tool)
		}
	}
	return tools, page.NextCursor, nil
}

func readTool(text json.RawMessage) (Tool, error) {
	var raw rawTool
	if err := json.Unmarshal(text, &raw); err != nil {
		return Tool{}, err
	}
	if raw.Name == "" {
		return Tool{}, fmt.Errorf("it has no name")
	}
	var own hints
	if len(raw.Annotations) > 0 {
		if err := json.Unmarshal(raw.Annotations, &own); err != nil {
			return Tool{}, err
		}
	}
	title := raw.Title
	if title == "" {
		title = own.Title
	}
	return Tool{
		Name: raw.Name, Title: title, Description: raw.Description,
		InputSchema: raw.InputSchema, OutputSchema: raw.Output, Annotations: raw.Annotations,
		ReadOnly: own.ReadOnly, Destructive: own.Destructive,
	}, nil
}
