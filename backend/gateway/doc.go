// Package gateway offers exactly the allowed tools, under their public names,
// to any MCP client.
//
// What a client sees is filtered when it lists and asked again when it calls;
// the registry and the gates behind Tools decide, the gateway only translates.
package gateway
