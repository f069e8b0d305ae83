package desk

import (
	"errors"
	"testing"
	"time"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/view"
)

// TestEveryStateIsShown: no state of a session is taken for another one.
func TestEveryStateIsShown(t *testing.T) {
	for state, want := range map[mcp.State]view.ServerStatus{
		mcp.StateConnected: view.StatusConnected, mcp.StateReady: view.StatusReady, mcp.StateNeedsAuth: view.StatusNeedsAuth,
		mcp.StateParked: view.StatusParked, mcp.StateFailed: view.StatusFailed, mcp.StateStarting: view.StatusStarting,
		mcp.StateInvalid: view.StatusInvalid, "": view.StatusStarting,
	} {
		if got := connectedStatus(mcp.Status{State: state}); got != want {
			t.Errorf("%q is shown as %q, want %q", state, got, want)
		}
	}
	for _, row := range []struct {
		status mcp.Status
		want   string
	}{
		{mcp.Status{State: mcp.StateReady}, "it starts at its first call"},
		{mcp.Status{State: mcp.StateReady, Reason: "not used for 1h"}, "not used for 1h"},
		{mcp.Status{State: mcp.StateNeedsAuth}, "it wants a person to sign in: `hermes mcp login hub`"},
		{mcp.Status{State: mcp.StateFailed, Reason: "it ended"}, "it ended"},
		{mcp.Status{State: mcp.StateConnected}, ""},
	} {
		if got := connectedReason("hub", row.status); got != row.want {
			t.Errorf("%q: %q, want %q", row.status.State, got, row.want)
		}
	}
}

func TestConnectionView(t *testing.T) {
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.FixedZone("", 3600))
	status := mcp.Status{Since: at, Attempts: 2, NextTry: at.Add(time.Minute), Latency: 1500 * time.Microsecond,
		Version: "1", Protocol: "2025-11-25", PID: 7, Noise: 3, Memory: 9}
	want := view.Connection{Since: "2026-05-04T11:00:00Z", Attempts: 2, NextTry: "2026-05-04T11:01:00Z", LatencyMS: 1.5,
		Version: "1", Protocol: "2025-11-25", PID: 7, Noise: 3, MemoryBytes: 9, Lazy: true}
	if got := connectionView(&config.Server{Lazy: true}, status); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := connectionView(&config.Server{}, mcp.Status{}); got != (view.Connection{}) {
		t.Errorf("nothing is known, and shown is %+v", got)
	}
}

// TestRetryAndMeasureRefuse: what cannot be tried says why and where.
func TestRetryAndMeasureRefuse(t *testing.T) {
	const text = "mcp_servers:\n  a: {command: x}\n  locked: {command: x, tools: {include: []}}\n"
	d := openHome(t, text, Options{})
	for name, want := range map[string]view.Error{
		"a":      {Code: "refused", Message: "the servers are not started"},
		"locked": {Code: "refused", Message: `locked does not run: the server "locked" is locked: nothing of it can be called`, Line: 3},
		"none":   {Code: "unknown_server", Message: "server 'none' not found in config"},
	} {
		shown := ErrorView(d.Retry(name))
		if shown.Code != want.Code || shown.Message != want.Message || shown.Line != want.Line {
			t.Errorf("%s: %+v", name, shown)
		}
	}
	if _, err := d.Measure("none"); !errors.Is(err, config.ErrUnknownServer) {
		t.Errorf("measuring a server that is not there: %v", err)
	}
	if got, err := d.Measure("a"); err != nil || got != (view.Connection{}) {
		t.Errorf("a server that does not run was measured: %+v %v", got, err)
	}
}
