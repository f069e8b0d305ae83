package transfer

import (
	"slices"
	"strings"

	"hermes/backend/policy"
)

// serverSwitches is what the top of a Gemini file says about which servers run.
// Older releases keep it in two keys of their own.
type serverSwitches struct {
	allowed, excluded []names
	// all is why every server is off, empty for none.
	all string
	// core is a key that hides the tools of servers, empty for none.
	core string
}

func readSwitches(root *policy.Node) serverSwitches {
	s := serverSwitches{
		allowed: []names{
			readNames(path(root, "mcp", "allowed"), "mcp.allowed"), readNames(field(root, "allowMCPServers"), "allowMCPServers"),
		},
		excluded: []names{
			readNames(path(root, "mcp", "excluded"), "mcp.excluded"), readNames(field(root, "excludeMCPServers"), "excludeMCPServers"),
		},
	}
	if on, ok := switchOf(path(root, "admin", "mcp", "enabled"), true); !on || !ok {
		s.all = "`admin.mcp.enabled` switches every server off"
	}
	for _, list := range append(slices.Clone(s.allowed), s.excluded...) {
		if list.broken != "" || list.skipped > 0 {
			s.all = "`" + list.key + "` cannot be read"
		}
	}
	switch {
	case !missing(path(root, "tools", "core")):
		s.core = "tools.core"
	case !missing(field(root, "coreTools")):
		s.core = "coreTools"
	}
	return s
}

// found tells a file that says anything of this.
func (s serverSwitches) found() bool {
	given := func(n names) bool { return n.given }
	return s.all != "" || slices.ContainsFunc(s.allowed, given) || slices.ContainsFunc(s.excluded, given)
}

// apply switches a server off where any of it does. A list of allowed servers
// that is there and empty allows none.
func (s serverSwitches) apply(e *entry) {
	off := func(why string) {
		e.disabled(true)
		e.note(why + ": the server is taken over switched off")
	}
	if s.all != "" {
		off(s.all)
	}
	for _, list := range s.excluded {
		// Gemini CLI compares names without case and blanks around them.
		if slices.ContainsFunc(list.list, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(e.Name)) }) {
			off("`" + list.key + "` names it")
		}
	}
	for _, list := range s.allowed {
		if list.given && !slices.Contains(list.list, e.Name) {
			off("`" + list.key + "` does not name it")
		}
	}
	if s.core != "" {
		e.note("`" + s.core + "` is there, which hides the tools of every server in Gemini CLI; here the rules of the server alone count")
	}
}
