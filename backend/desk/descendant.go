package desk

import (
	"strings"

	"hermes/backend/host"
	"hermes/backend/mcp"
)

// descendantOf names the server or hook whose process, or whose child, this program
// is; empty for a person's own (mcp.StartedBy).
func descendantOf(getenv func(string) string) string { return mcp.StartedBy(getenv) }

// starterName is what stands above such a program, as people read it.
func starterName(by string) string {
	if by == mcp.UnknownStarter {
		return "a server or a hook"
	}
	if event, ok := strings.CutPrefix(by, host.HookMark); ok {
		return "a " + event + " hook"
	}
	return "the server '" + by + "'"
}
