package builtin

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options are for the program that embeds the servers.
type Options struct {
	// Version is what the servers say of themselves.
	Version string
	// Git is the git program; empty looks it up on PATH.
	Git string
}

// Server makes the built-in server of a name (files, git, tickets) for a
// folder. The folder must exist; nothing outside it is reached.
func Server(name, root string, o Options) (*mcp.Server, error) {
	if root == "" {
		return nil, fmt.Errorf("the built-in server %q needs a folder: write `root: DIR` in its entry", name)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("the folder of the built-in server %q: %w", name, err)
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("the folder of the built-in server %q: %w", name, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("the built-in server %q needs a folder, and %s is none", name, root)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "hermes-" + name, Version: o.Version}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{},
	})
	switch name {
	case "files":
		addFiles(server, root)
	case "git":
		addGit(server, gitRunner{root: root, program: o.Git})
	case "tickets":
		addTickets(server, &ticketFile{root: root})
	default:
		return nil, fmt.Errorf("there is no built-in server %q; there are files, git and tickets", name)
	}
	return server, nil
}

// reading and writing are the hints of a tool: true words about our own code.
func reading(title string) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, OpenWorldHint: &no}
}

func writing(title string, destructive bool) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{Title: title, DestructiveHint: &destructive, OpenWorldHint: &no}
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
