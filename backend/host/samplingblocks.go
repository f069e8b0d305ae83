package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hermes/backend/message"
	"hermes/backend/provider"
)

// samplingMessage is one message of a request. Content is one block or a list.
type samplingMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// samplingTool is a tool of the server's own; it alone runs it.
type samplingTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type useBlock struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// samplingBlock is any block of a request.
type samplingBlock struct {
	textBlock
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	UseID   string          `json:"toolUseId"`
	Content json.RawMessage `json:"content"`
}

// samplingRequest is the pass a server asks for: its own words and its own
// tools, none of ours.
func (h *Host) samplingRequest(server string, asked sampling) (provider.Request, error) {
	if len(asked.Messages) == 0 {
		return provider.Request{}, errors.New("there is no message to complete")
	}
	if asked.MaxTokens <= 0 {
		return provider.Request{}, errors.New("maxTokens must be above 0")
	}
	var request provider.Request
	if asked.System != "" {
		request.System = fmt.Sprintf(samplingPrompt, server) + h.redact(asked.System)
	}
	for _, m := range asked.Messages {
		rows, err := h.samplingRows(m)
		if err != nil {
			return provider.Request{}, err
		}
		request.Messages = append(request.Messages, rows...)
	}
	if asked.Choice.Mode == "none" {
		return request, nil
	}
	for _, tool := range asked.Tools {
		if tool.Name == "" {
			return provider.Request{}, errors.New("a tool has no name")
		}
		request.Tools = append(request.Tools, message.ToolDef{Name: tool.Name, Description: tool.Description, Parameters: tool.Schema})
	}
	return request, nil
}

// samplingRows turns a message into rows of a conversation: one for its text
// and its calls, one for each result.
func (h *Host) samplingRows(m samplingMessage) ([]message.Message, error) {
	role := message.Role(m.Role)
	if role != message.RoleUser && role != message.RoleAssistant {
		return nil, errors.New("a message is neither the user's nor the assistant's")
	}
	blocks, err := samplingBlocks(m.Content)
	if err != nil {
		return nil, err
	}
	row := message.Message{Role: role}
	var results []message.Message
	for _, b := range blocks {
		switch {
		case b.Type == "text":
			row.Content += h.redact(b.Text)
		case b.Type == "tool_use" && role == message.RoleAssistant:
			row.ToolCalls = append(row.ToolCalls, message.ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
		case b.Type == "tool_result" && role == message.RoleUser:
			text, err := resultText(b.Content)
			if err != nil {
				return nil, err
			}
			results = append(results, message.Message{Role: message.RoleTool, ToolCallID: b.UseID, Content: h.redact(text), Status: message.StatusOK})
		default:
			return nil, fmt.Errorf("content of the type %q is not sent to the model, only text", b.Type)
		}
	}
	if row.Content == "" && len(row.ToolCalls) == 0 {
		return results, nil
	}
	return append(results, row), nil
}

// samplingBlocks reads one block or a list of them.
func samplingBlocks(raw json.RawMessage) ([]samplingBlock, error) {
	var blocks []samplingBlock
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		if json.Unmarshal(raw, &blocks) != nil {
			return nil, errors.New("a message cannot be read")
		}
		return blocks, nil
	}
	var block samplingBlock
	if json.Unmarshal(raw, &block) != nil {
		return nil, errors.New("a message cannot be read")
	}
	return []samplingBlock{block}, nil
}

func resultText(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	blocks, err := samplingBlocks(raw)
	if err != nil {
		return "", err
	}
	var text []string
	for _, b := range blocks {
		if b.Type != "text" {
			return "", fmt.Errorf("content of the type %q is not sent to the model, only text", b.Type)
		}
		text = append(text, b.Text)
	}
	return strings.Join(text, "\n"), nil
}
