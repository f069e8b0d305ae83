//go:build unix

package mcp

import (
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/config"
)

// door is one way to a server of the SDK: a transport and an era.
type door struct {
	name   string
	modern bool
	// want serves what fill adds to the tools of every server; a program knows
	// only those. Ask it before the Manager is made: that must end first.
	want func(t *testing.T, fill func(*sdk.Server)) want
}

// doors are all of them.
func doors() []door {
	served := func(protocol, transport string, options *sdk.StreamableHTTPOptions) func(*testing.T, func(*sdk.Server)) want {
		return func(t *testing.T, fill func(*sdk.Server)) want {
			tools := toolsServer(nil)
			if fill != nil {
				fill(tools)
			}
			t.Cleanup(func() {
				for session := range tools.Sessions() {
					_ = session.Close()
				}
			})
			var handler http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return tools }, options)
			if transport == config.TransportSSE {
				handler = sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return tools }, nil)
			}
			w := urlWant("s", transport, serveHTTP(t, handler).URL, nil)
			w.conn.Protocol = protocol
			return w
		}
	}
	program := func(protocol string) func(*testing.T, func(*sdk.Server)) want {
		return func(*testing.T, func(*sdk.Server)) want {
			w := stdioWant("s", "__server", "tools")
			w.conn.Protocol = protocol
			return w
		}
	}
	stateless := &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}
	return []door{
		{"program", true, program(config.ProtocolModern)},
		{"program, older", false, program(config.ProtocolLegacy)},
		{"http", true, served(config.ProtocolModern, config.TransportHTTP, stateless)},
		{"http, older", false, served(config.ProtocolLegacy, config.TransportHTTP, nil)},
		{"sse", false, served(config.ProtocolLegacy, config.TransportSSE, nil)},
	}
}
