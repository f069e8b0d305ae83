// Command changing is an MCP server over stdio whose list of tools really
// changes: each call of its one tool adds another. The reference server of the
// protocol's Go library only says that its list changed, which the gateway does
// not repeat.
package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "changing", Version: "1"}, nil)
	var added atomic.Int32
	done := func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
	}
	mcp.AddTool(server, &mcp.Tool{Name: "test_trigger_tool_change", Description: "Adds a tool"},
		func(ctx context.Context, request *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
			mcp.AddTool(server, &mcp.Tool{Name: fmt.Sprintf("added_%d", added.Add(1)), Description: "Does nothing"}, done)
			return done(ctx, request, in)
		})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "changing:", err)
		os.Exit(1)
	}
}
