package host

import (
	"strconv"
	"strings"

	"hermes/backend/config"
	"hermes/backend/pin"
	"hermes/backend/policy"
)

// maxNamed bounds how many tools one message names.
const maxNamed = 20

// Named lists tools in a message, the first of many.
func Named(tools []string) string {
	if len(tools) <= maxNamed {
		return strings.Join(tools, ", ")
	}
	return strings.Join(tools[:maxNamed], ", ") + " and " + strconv.Itoa(len(tools)-maxNamed) + " more"
}

// tellOf tells what a sight brought: tools that are new, and whether the rules
// let them on, and tools that are blocked now.
func (h *Host) tellOf(server *config.Server, seen pin.Seen) {
	var told []config.Problem
	path := h.file.Current().Path
	switch {
	case seen.Replaced:
		told = append(told, replaced(server, path, seen))
	case len(seen.New) > 0:
		on := 0
		for _, name := range seen.New {
			if server.Rules.Allows(name) {
				on++
			}
		}
		told = append(told, config.Problem{Severity: policy.SeverityWarning, Code: CodeNewTools, Params: []string{server.Name, Named(seen.New)},
			Message: server.Name + ": " + countNew(len(seen.New), on) + ": " + Named(seen.New),
			Hint:    "`hermes mcp accept " + server.Name + "` says that you have looked; `hermes tools` turns them on and off",
			File:    path, Line: server.Line, Column: server.Column})
	}
	if len(seen.Change) > 0 {
		told = append(told, config.Problem{Severity: policy.SeverityWarning, Code: CodeChangedTools, Params: []string{server.Name, Named(seen.Change)},
			Message: server.Name + ": blocked, because the server describes them otherwise than before: " + Named(seen.Change),
			Hint:    "`hermes mcp changes " + server.Name + "` shows the difference, `hermes mcp accept " + server.Name + "` accepts it",
			File:    path, Line: server.Line, Column: server.Column})
	}
	if seen.Beyond > 0 {
		told = append(told, config.Problem{Severity: policy.SeverityWarning, Code: CodeBeyondTools, Params: []string{server.Name, strconv.Itoa(seen.Beyond)},
			Message: server.Name + ": more tools than are remembered of one server, those that are gone included: " + strconv.Itoa(seen.Beyond) + " set aside",
			Hint:    "none of them can be called; let the server offer fewer tools",
			File:    path, Line: server.Line, Column: server.Column})
	}
	if len(told) > 0 {
		h.tell(told)
	}
}

// replaced tells that a server's name belongs to another program now: nothing that
// was accepted of the former one counts for it.
func replaced(server *config.Server, path string, seen pin.Seen) config.Problem {
	text := server.Name + " is another program now: its " + strconv.Itoa(len(seen.Tools)) + " tools are met anew"
	if len(seen.Tools) == 1 {
		text = server.Name + " is another program now: its tool is met anew"
	}
	if len(seen.Differ) > 0 {
		text += "; described otherwise than by the former one: " + Named(seen.Differ)
	}
	return config.Problem{Severity: policy.SeverityWarning, Code: CodeReplaced, Params: []string{server.Name, strconv.Itoa(len(seen.Tools)), Named(seen.Differ)},
		Message: text,
		Hint:    "look at its entry and at its tools; `hermes mcp accept " + server.Name + "` says that you have looked",
		File:    path, Line: server.Line, Column: server.Column}
}

// countNew says how many of the new tools the rules let on.
func countNew(all, on int) string {
	text := strconv.Itoa(all) + " new"
	switch on {
	case 0:
		return text + ", off"
	case all:
		return text + ", on"
	}
	return text + ", " + strconv.Itoa(all-on) + " of them off"
}
