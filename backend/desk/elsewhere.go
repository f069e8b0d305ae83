package desk

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/mcp"
	"hermes/backend/view"
)

// elsewhere is what other processes tell of the servers, asked for only where
// this one runs none itself.
func elsewhere(h *host.Host) map[string]host.Presence {
	if h.Started() {
		return nil
	}
	return h.Elsewhere()
}

// borrow shows the live state of a server that another process runs. What the
// file says of it comes first: a server that may not run, or that is held, is
// not shown as running.
func borrow(shown *view.Server, server *config.Server, p host.Presence) {
	if shown.Status != view.StatusReady || server.Hold != nil || p.Process == 0 {
		return
	}
	status := mcp.Status{
		State: p.State, Reason: p.Reason, Since: p.Since, Attempts: p.Attempts, NextTry: p.NextTry, Latency: p.Latency,
		PID: p.PID, Version: p.Version, Protocol: p.Protocol, Noise: p.Noise,
	}
	switch p.State {
	case mcp.StateDisabled, mcp.StateLocked, mcp.StateInvalid:
		// That process has not read the file yet.
		return
	}
	shown.Status, shown.Reason = connectedStatus(status), connectedReason(server.Name, status)
	shown.Connection = connectionView(server, status)
	shown.Connection.Process = p.Process
}

// stillInForce says that another process goes on with the last good state while
// the file as it stands now knows no server: what is locked for this process is
// not locked for that one.
func stillInForce(snap *config.Snapshot, others map[string]host.Presence) (view.Problem, bool) {
	if len(snap.Servers) > 0 || len(others) == 0 {
		return view.Problem{}, false
	}
	names := slices.Sorted(maps.Keys(others))
	told := make([]string, len(names))
	for i, name := range names {
		told[i] = name + " (" + string(others[name].State) + ")"
	}
	process := strconv.Itoa(others[names[0]].Process)
	return view.Problem{Severity: view.SeverityWarning, Code: "config.elsewhere", Params: []string{process, strings.Join(told, ", ")},
		Message: "a running Hermes (process " + process + ") goes on with the last good state of the file: " + strings.Join(told, ", "),
		Hint:    "repair the file, or end that process; a lock is written into a file that can be read", File: snap.Path}, true
}
