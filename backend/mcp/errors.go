package mcp

import (
	"errors"
	"fmt"
)

// Every error of Manager.Call and Manager.Helper says what is known of the
// call's effect: it is a *ServerError (the server answered, with an error), or
// wraps ErrNotSent or ErrEffectUnknown.
var (
	// ErrNotSent means that nothing of the call reached the server.
	ErrNotSent = errors.New("the call was not sent")
	// ErrEffectUnknown means that the call was sent and its answer never came:
	// it may have been carried out, and it is not sent again.
	ErrEffectUnknown = errors.New("whether the call took effect is unknown")
)

// ServerError is a server's own answer to a request: a JSON-RPC error with its
// code, or an HTTP status from 400 to 499.
type ServerError struct {
	Server  string
	Code    int64
	Message string
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("MCP server %q answered with an error: %s", e.Server, e.Message)
}

// callError is an error of a call with what is known of its effect.
type callError struct {
	server string
	reason string
	kind   error
	cause  error
}

func (e *callError) Error() string {
	return fmt.Sprintf("MCP server %q: %s; %s", e.server, e.reason, e.kind)
}

func (e *callError) Unwrap() []error {
	if e.cause == nil {
		return []error{e.kind}
	}
	return []error{e.kind, e.cause}
}

// connectError is why a connection did not come about. A lasting one will not
// go away by trying again soon.
type connectError struct {
	reason  string
	lasting bool
	// status is the HTTP status that refused the handshake, 0 for none.
	status int
	// variables is set when a variable of the entry is not set: the next
	// snapshot may know it.
	variables bool
	// login is set when the server wants a person to sign in (HTTP 401 or 403).
	login bool
	// answered is set when the server refused the handshake in words.
	answered bool
	// modern is set when the server answered the probe, only too late.
	modern bool
}

func (e *connectError) Error() string { return e.reason }
