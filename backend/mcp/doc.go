// Package mcp keeps one supervised session per configured server in step with
// the configuration snapshot.
//
// The protocol itself is the SDK's. What this package adds is what the SDK
// leaves to its host: processes that never outlive the program, a tolerant
// standard output, a bounded probe of the newest protocol, exact result bytes,
// reconnects that do not storm, and a queue per server.
package mcp
