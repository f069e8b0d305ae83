package mcp

import (
	"encoding/json"
	"time"
)

// State is the state of a server's connection.
type State string

// The states of a server. The first three never start a process: the entry says
// so, its rules allow nothing, or something above it holds it back.
const (
	StateDisabled  State = "disabled"
	StateLocked    State = "locked"
	StateInvalid   State = "invalid"
	StateStarting  State = "starting"
	StateConnected State = "connected"
	// StateReady is a server that starts at its first call (`lazy: true`): its
	// tools are known from an earlier session.
	StateReady State = "ready"
	// StateNeedsAuth is a server that answered and wants a person to sign in; it
	// is not tried again by itself.
	StateNeedsAuth State = "needs auth"
	// StateParked is a server whose quick tries are used up, or whose failure
	// will not go away by itself: it is tried rarely or, where NextTry is zero,
	// only when the file changes or a person asks.
	StateParked State = "parked"
	// StateFailed also holds while a failed server is tried again, so that
	// nobody waits for a server that is broken.
	StateFailed State = "failed"
)

// Status is what is known of a server now. Reason says in words why it is not
// connected, with the next step where there is one; PID is 0 without a process
// of ours; Version is the server's own, Protocol the revision spoken with it.
// Tools are all it offers, in its order, before any rule; the slice is shared
// and must not be changed. Resources and Prompts tell what it advertises.
type Status struct {
	State     State
	Reason    string
	Since     time.Time
	PID       int
	Name      string
	Version   string
	Protocol  string
	Tools     []Tool
	Resources bool
	Prompts   bool
	// Noise counts the lines on standard output that were no messages.
	Noise int
	// Attempts counts the tries to connect since the server last was connected;
	// NextTry is when the next one begins, zero for none.
	Attempts int
	NextTry  time.Time
	// Latency is how long the latest answer of the server took, zero for none.
	Latency time.Duration
	// Memory is what a look found its processes to use, resident and in bytes;
	// of a running server Usage tells.
	Memory int64
}

// Tool is one tool as its server describes it. InputSchema, OutputSchema and
// Annotations hold the exact bytes, nil where there are none; ReadOnly and Destructive are the server's own word, nil for none.
type Tool struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  json.RawMessage
	ReadOnly     *bool
	Destructive  *bool
}
