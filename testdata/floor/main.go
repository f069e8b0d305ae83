// Command floor is the bare client the benchmarks compare with: go-sdk and
// net/http doing one scripted job - ask, one tool call, answer - with no policy,
// no store and no configuration.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, question string, server []string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "floor", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(server[0], server[1:]...)}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	tools := []any{}
	for _, t := range list.Tools {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": t.Name, "description": t.Description, "parameters": t.InputSchema}})
	}
	messages := []any{map[string]any{"role": "user", "content": question}}
	for {
		text, calls, err := pass(ctx, url, messages, tools)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			fmt.Println(text)
			return nil
		}
		messages = append(messages, map[string]any{"role": "assistant", "content": text, "tool_calls": calls})
		for _, c := range calls {
			function := c["function"].(map[string]any)
			var args map[string]any
			if err := json.Unmarshal([]byte(function["arguments"].(string)), &args); err != nil {
				return err
			}
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: function["name"].(string), Arguments: args})
			if err != nil {
				return err
			}
			content, err := json.Marshal(result.Content)
			if err != nil {
				return err
			}
			messages = append(messages, map[string]any{"role": "tool", "tool_call_id": c["id"], "content": string(content)})
		}
	}
}

func pass(ctx context.Context, url string, messages, tools []any) (string, []map[string]any, error) {
	body, err := json.Marshal(map[string]any{"model": "scripted", "stream": true, "messages": messages, "tools": tools})
	if err != nil {
		return "", nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", nil, err
	}
	defer response.Body.Close()
	var text strings.Builder
	calls := []map[string]any{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content   string           `json:"content"`
					ToolCalls []map[string]any `json:"tool_calls"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return "", nil, err
		}
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Delta.Content)
			calls = append(calls, choice.Delta.ToolCalls...)
		}
	}
	return text.String(), calls, lines.Err()
}
