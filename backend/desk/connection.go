package desk

import (
	"time"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/view"
)

// connectionView is what is known of a server's session. What a running one uses
// is not in it: that costs a look at every process of the server (Measure).
func connectionView(server *config.Server, status mcp.Status) view.Connection {
	return view.Connection{
		Since: moment(status.Since), Attempts: status.Attempts, NextTry: moment(status.NextTry),
		LatencyMS: float64(status.Latency) / float64(time.Millisecond),
		Version:   status.Version, Protocol: status.Protocol, PID: status.PID, MemoryBytes: status.Memory, Noise: status.Noise, Lazy: server.Lazy,
	}
}

// moment is a time as RFC 3339, empty for none.
func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// connectedStatus is the state of a server that may run, by its session.
func connectedStatus(status mcp.Status) view.ServerStatus {
	switch status.State {
	case mcp.StateConnected:
		return view.StatusConnected
	case mcp.StateReady:
		return view.StatusReady
	case mcp.StateNeedsAuth:
		return view.StatusNeedsAuth
	case mcp.StateParked:
		return view.StatusParked
	case mcp.StateFailed:
		return view.StatusFailed
	case mcp.StateInvalid:
		return view.StatusInvalid
	}
	return view.StatusStarting
}

// connectedReason says why a server is in its state. What a person can read off
// its Connection (when it is tried next) is not repeated in it.
func connectedReason(name string, status mcp.Status) string {
	if status.Reason != "" {
		return status.Reason
	}
	switch status.State {
	case mcp.StateReady:
		return "it starts at its first call"
	case mcp.StateNeedsAuth:
		return "it wants a person to sign in: `hermes mcp login " + name + "`"
	}
	return ""
}

// Retry tries a server at once that failed, is parked or waits for a sign-in, as
// a person asked for it. It returns before the outcome is known, which comes as
// a signal.
func (d *Desk) Retry(name string) error {
	if err := d.meant(); err != nil {
		return err
	}
	h := d.current()
	snap := h.Snapshot()
	server, err := find(snap, name)
	if err != nil {
		return err
	}
	if ok, problem := snap.MayRun(name); !ok {
		return Fail(view.Error{Code: "refused", Message: name + " does not run: " + problem.Message, Hint: problem.Hint,
			File: snap.Path, Line: server.Line, Column: server.Column}, nil)
	}
	if !h.Started() {
		return Fail(view.Error{Code: "refused", Message: "the servers are not started", Hint: "start them first"}, nil)
	}
	return h.Retry(name)
}

// Measure is the session of one server with the memory and the CPU time of its
// processes, which are looked at now and at no other time.
func (d *Desk) Measure(name string) (view.Connection, error) {
	h := d.current()
	server, err := find(h.Snapshot(), name)
	if err != nil {
		return view.Connection{}, err
	}
	shown := connectionView(server, h.Status(name))
	shown.MemoryBytes, shown.CPUPercent, _ = h.Usage(name)
	return shown, nil
}
