// Command linked is a floor of the benchmarks: it links the two libraries without
// which there is no client of MCP servers with a store, go-sdk and the SQLite
// port, and says its name.
package main

import (
	"os"

	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "modernc.org/sqlite"
)

func main() {
	if _, err := os.Stdout.WriteString("linked\n"); err != nil {
		os.Exit(1)
	}
}
