// Package builtin brings the servers files, git and tickets: real MCP servers
// over the in-memory transport, each bound to one folder.
package builtin
