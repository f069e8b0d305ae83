// Command floor is the bare client the benchmarks compare with: go-sdk and
// net/http doing one scripted job - ask, tool calls at once, answer - with no
// policy, no store and no configuration. Its servers start at once and stand
// between `--`; without a question it links what it links and says its name.
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
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Println("floor")
		return
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// offered is a tool as the model is told of it, and whose it is.
type offered struct {
	session *mcp.ClientSession
	tool    *mcp.Tool
}

// connect starts every server at once and reads its tools. The tools of all but
// the first bear the number of their server.
func connect(ctx context.Context, servers []string) (map[string]offered, []*mcp.ClientSession, error) {
	var group errgroup.Group
	var mu sync.Mutex
	all := map[string]offered{}
	var sessions []*mcp.ClientSession
	for i, line := range strings.Split(strings.Join(servers, "\n"), "\n--\n") {
		group.Go(func() error {
			words := strings.Split(line, "\n")
			client := mcp.NewClient(&mcp.Implementation{Name: "floor", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
			session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(words[0], words[1:]...)}, nil)
			if err != nil {
				return err
			}
			list, err := session.ListTools(ctx, nil)
			mu.Lock()
			defer mu.Unlock()
			sessions = append(sessions, session)
			if err != nil {
				return err
			}
			for _, tool := range list.Tools {
				name := tool.Name
				if i > 0 {
					name += "_" + strconv.Itoa(i)
				}
				all[name] = offered{session, tool}
			}
			return nil
		})
	}
	return all, sessions, group.Wait()
}

func run(ctx context.Context, url, question string, servers []string) error {
	known, sessions, err := connect(ctx, servers)
	defer func() {
		var group errgroup.Group
		for _, session := range sessions {
			group.Go(session.Close)
		}
		_ = group.Wait() // how a server ends is not measured
	}()
	if err != nil {
		return err
	}
	tools := []any{}
	for name, o := range known {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": name, "description": o.tool.Description, "parameters": o.tool.InputSchema}})
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
		results := make([]any, len(calls))
		var group errgroup.Group
		for i, c := range calls {
			group.Go(func() error {
				function := c["function"].(map[string]any)
				var args map[string]any
				if err := json.Unmarshal([]byte(function["arguments"].(string)), &args); err != nil {
					return err
				}
				o := known[function["name"].(string)]
				result, err := o.session.CallTool(ctx, &mcp.CallToolParams{Name: o.tool.Name, Arguments: args})
				if err != nil {
					return err
				}
				content, err := json.Marshal(result.Content)
				results[i] = map[string]any{"role": "tool", "tool_call_id": c["id"], "content": string(content)}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		messages = append(messages, results...)
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
