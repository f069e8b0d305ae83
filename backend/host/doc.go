// Package host builds everything, owns the root context and the order of
// stopping, and fans out events.
//
// "Host" is the MCP specification's word for the program that owns clients and
// enforces policy.
package host
