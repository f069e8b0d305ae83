package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asToolStub makes this test binary the server.
const asToolStub = "HERMES_TEST_AS_TOOLSTUB"

// toolStub is the program `toolstub TOOLS.json CALLS.log [TOOL]` of the scripts: an MCP
// server over stdio whose tools are those of the file, and which writes each
// start and each call into the log. A call of TOOL reads the file again.
func toolStub() { endServer(runToolStub(os.Args[1], os.Args[2])) }

func runToolStub(tools, calls string) error {
	log := func(line string) error {
		file, err := os.OpenFile(calls, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = file.WriteString(line + "\n")
		return err
	}
	if err := log("start"); err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "toolstub", Version: "1"}, nil)
	offer := func() error {
		data, err := os.ReadFile(tools)
		if err != nil {
			return err
		}
		var list []struct {
			Name, Description string
			InputSchema       json.RawMessage
		}
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		for _, tool := range list {
			if tool.InputSchema == nil {
				tool.InputSchema = json.RawMessage(`{"type":"object"}`)
			}
			server.AddTool(&mcp.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done " + tool.Name}}}, log("call " + tool.Name)
			})
		}
		return nil
	}
	if len(os.Args) > 3 {
		server.AddTool(&mcp.Tool{Name: os.Args[3], InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, errors.Join(log("call "+os.Args[3]), offer())
		})
	}
	if err := offer(); err != nil {
		return err
	}
	return server.Run(context.Background(), &mcp.StdioTransport{})
}
