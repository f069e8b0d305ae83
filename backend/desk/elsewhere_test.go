package desk

import (
	"testing"

	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/mcp"
	"hermes/backend/view"
)

// TestBorrow shows what another process tells, never against the file.
func TestBorrow(t *testing.T) {
	live := host.Presence{Process: 77, State: mcp.StateConnected, PID: 12, Version: "1.0", Protocol: "2025-11-25"}
	with := func(state mcp.State) host.Presence { p := live; p.State = state; return p }
	held := &config.Server{Name: "s", Hold: &config.Hold{}}
	for name, test := range map[string]struct {
		status  view.ServerStatus
		server  *config.Server
		p       host.Presence
		want    view.ServerStatus
		process int
	}{
		"connected":          {view.StatusReady, nil, live, view.StatusConnected, 77},
		"starting":           {view.StatusReady, nil, with(mcp.StateStarting), view.StatusStarting, 77},
		"failed":             {view.StatusReady, nil, with(mcp.StateFailed), view.StatusFailed, 77},
		"parked":             {view.StatusReady, nil, with(mcp.StateParked), view.StatusParked, 77},
		"not told":           {view.StatusReady, nil, host.Presence{}, view.StatusReady, 0},
		"locked here":        {view.StatusLocked, nil, live, view.StatusLocked, 0},
		"disabled here":      {view.StatusDisabled, nil, live, view.StatusDisabled, 0},
		"held here":          {view.StatusReady, held, live, view.StatusReady, 0},
		"locked still there": {view.StatusReady, nil, with(mcp.StateLocked), view.StatusReady, 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := test.server
			if server == nil {
				server = &config.Server{Name: "s"}
			}
			shown := view.Server{Status: test.status}
			borrow(&shown, server, test.p)
			if shown.Status != test.want || shown.Connection.Process != test.process || test.process != 0 && shown.Connection.PID != 12 {
				t.Errorf("shown %s %+v", shown.Status, shown.Connection)
			}
		})
	}
}
