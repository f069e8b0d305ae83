package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes/backend/policy"
)

// The modes of approvals. `smart`, a model that judges, is read as manual
// (DESIGN invariant 12).
const (
	ApprovalManual = "manual"
	ApprovalOff    = "off"
)

// Restrictions are the keys by which a file of Python Hermes keeps servers and
// calls back (DESIGN invariant 12). What is written and cannot be read counts
// as the restriction: a person meant to forbid something. They are never
// changed after reading.
type Restrictions struct {
	// ClientOff is `mcp.client: false`, StdioOff `mcp.stdio_servers: false`,
	// SafeMode the variable HERMES_SAFE_MODE.
	ClientOff, StdioOff, SafeMode bool
	// Limited tells that platform_toolsets.cli names the servers that may run:
	// those in Servers and no others.
	Limited bool
	Servers []string
	// Disabled are the names in agent.disabled_toolsets.
	Disabled []string
	// Hooks are the configured pre_tool_call hooks in file order, Observers those
	// of post_tool_call, and OtherHooks those of events that do not happen here.
	Hooks, Observers, OtherHooks []HookRule
	// ApprovalMode is ApprovalManual or ApprovalOff; Deny are the globs of
	// approvals.deny.
	ApprovalMode string
	Deny         []string
	// ApprovalTimeout is how long a call waits for a person (approvals.timeout).
	ApprovalTimeout time.Duration

	places map[string]place
	gates  []gate
}

type place struct{ line, column int }

// restrictionReader fills Restrictions from the file's tree.
type restrictionReader struct {
	file     string
	out      Restrictions
	problems []Problem
}

func readRestrictions(file string, root *policy.Node, servers []string, scope *scope) (Restrictions, []Problem) {
	r := &restrictionReader{file: file}
	r.out.places = map[string]place{}
	r.out.ApprovalMode = ApprovalManual
	// Python Hermes loads `.env` into its environment, so either place counts.
	r.out.SafeMode = isTruthy(scope.getenv("HERMES_SAFE_MODE")) || isTruthy(scope.file["HERMES_SAFE_MODE"])
	root = r.guards(root)
	r.out.ClientOff = r.off(root, "mcp.client")
	r.out.StdioOff = r.off(root, "mcp.stdio_servers")
	r.platform(root, servers)
	r.disabled(root)
	r.approvals(root)
	r.approvalTimeout(root)
	r.hooks(root)
	return r.out, r.problems
}

// isTruthy reads an environment switch: set and not one of the words for off.
func isTruthy(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

func (r *restrictionReader) keep(name string, n *policy.Node) {
	if n != nil {
		r.out.places[name] = place{n.Line, n.Column}
	}
}

func (r *restrictionReader) unreadable(n *policy.Node, path, counts, hint string) {
	r.problems = append(r.problems, Problem{
		Severity: policy.SeverityError, Code: "restriction.unreadable", Params: []string{path},
		Message: fmt.Sprintf("`%s` cannot be read, so %s", path, counts), Hint: hint,
		File: r.file, Line: n.Line, Column: n.Column,
	})
}

// section gives the value of a dotted path. Where a step on the way is neither
// a mapping nor null, that step is given with wrong set.
func section(n *policy.Node, path string) (value *policy.Node, wrong bool) {
	for _, step := range strings.Split(path, ".") {
		if isNull(n) {
			return nil, false
		}
		if n.Kind != policy.KindMapping {
			return n, true
		}
		_, n = pair(n, step)
	}
	return n, false
}

// off reads a switch that is on unless it is written off.
func (r *restrictionReader) off(root *policy.Node, path string) bool {
	n, wrong := section(root, path)
	if !wrong && isUnset(n) {
		return false
	}
	r.keep(path, n)
	on, ok := boolLike(n)
	if wrong || !ok {
		r.unreadable(n, path, "it counts as false", fmt.Sprintf("write `%s` as true or false", path))
		return true
	}
	return !on
}

// platform reads platform_toolsets.cli: a list that names at least one MCP
// server is an allowlist of servers, and the word no_mcp forbids them all.
func (r *restrictionReader) platform(root *policy.Node, servers []string) {
	const path = "platform_toolsets.cli"
	n, wrong := section(root, path)
	if isNull(n) {
		return
	}
	r.keep(path, n)
	list, ok := words(n)
	if wrong || !ok {
		r.out.Limited = true
		r.unreadable(n, path, "no server may run", "write a list of names")
		return
	}
	for _, name := range list {
		if name == "no_mcp" {
			r.out.Limited, r.out.Servers = true, nil
			return
		}
		for _, server := range servers {
			if isToolset(name, server) {
				r.out.Limited = true
				r.out.Servers = append(r.out.Servers, server)
			}
		}
	}
}

// isToolset tells whether the name of a toolset is a server's: its own name or
// mcp-<name>.
func isToolset(name, server string) bool {
	name = strings.TrimSpace(name)
	return name == server || name == "mcp-"+server
}

func (r *restrictionReader) disabled(root *policy.Node) {
	const path = "agent.disabled_toolsets"
	n, wrong := section(root, path)
	if isNull(n) {
		return
	}
	r.keep(path, n)
	list, ok := words(n)
	if wrong || !ok {
		r.out.Limited, r.out.Servers = true, nil
		r.keep("platform_toolsets.cli", n)
		r.unreadable(n, path, "no server may run", "write a list of names")
		return
	}
	r.out.Disabled = list
}

// MayRun answers whether a server may be started for the agent: it is enabled,
// its rules can be read and leave something to call, no restriction of DESIGN
// invariant 12 keeps it back, and the entry says how to reach it. The problem
// says which of these is not so, with its place. `trust: untrusted` is not
// asked here, it concerns single calls.
func (s *Snapshot) MayRun(server string) (bool, Problem) {
	sv, ok := s.Server(server)
	if !ok {
		return false, Problem{
			Severity: policy.SeverityError, Code: CodeUnknown, Params: []string{server},
			Message: fmt.Sprintf("the server %q is not in the file", server), File: s.Path,
		}
	}
	deny := func(code, hint string, n place, format string, args ...any) (bool, Problem) {
		return false, Problem{
			Severity: policy.SeverityError, Code: code, Params: []string{server},
			Message: fmt.Sprintf(format, args...), Hint: hint,
			File: s.Path, Line: n.line, Column: n.column,
		}
	}
	entry := place{sv.Line, sv.Column}
	if sv.Waits != nil {
		return false, *sv.Waits
	}
	if !sv.Enabled {
		n := entry
		if key, _ := pair(sv.Entry, "enabled"); key != nil {
			n = place{key.Line, key.Column}
		}
		return deny(CodeDisabled, "write `enabled: true` to use it", n, "the server %q is disabled", server)
	}
	if sv.Hold != nil && (sv.Rules.Locked() || sv.Rules.State() == policy.StateInvalid) {
		return false, sv.heldProblem(s.Path, policy.SeverityError)
	}
	if sv.Rules.OnlyWaits() && (sv.Rules.Locked() || sv.Rules.State() == policy.StateInvalid) {
		for _, p := range s.Waiting {
			if strings.HasPrefix(p.Params[0], sv.Name+"/") {
				return false, p
			}
		}
	}
	if sv.Rules.State() == policy.StateInvalid {
		for _, p := range sv.Rules.Problems() {
			if p.Severity == policy.SeverityError {
				out := Located(s.Path, p)
				out.Code, out.Params = CodeInvalid, append([]string{server, p.Code}, p.Params...)
				return false, out
			}
		}
		return deny(CodeInvalid, "", entry, "the rules of the server %q cannot be read", server)
	}
	if sv.Rules.Locked() {
		return deny(CodeLocked, "release a tool or open the server to use it",
			place{sv.Rules.Line(), sv.Rules.Column()}, "the server %q is locked: nothing of it can be called", server)
	}
	if ok, p := s.Restrictions.server(sv.Name, sv.Conn.Transport); !ok {
		p.File, p.Params = s.Path, []string{server}
		return false, p
	}
	for _, p := range sv.Problems {
		if p.Severity == policy.SeverityError {
			return false, p
		}
	}
	return true, Problem{}
}

// server answers whether the restrictions let a server run.
func (r Restrictions) server(name, transport string) (bool, Problem) {
	deny := func(path, hint, format string, args ...any) (bool, Problem) {
		n := r.places[path]
		return false, Problem{
			Severity: policy.SeverityError, Code: CodeBlocked,
			Message: fmt.Sprintf(format, args...), Hint: hint, Line: n.line, Column: n.column,
		}
	}
	switch {
	case r.SafeMode:
		return deny("", "unset the variable to use MCP servers", "HERMES_SAFE_MODE is set: no MCP server runs")
	case r.ClientOff:
		return deny("mcp.client", "write `mcp: {client: true}` or remove the key", "`mcp.client: false`: no MCP server runs")
	case r.StdioOff && transport == TransportStdio:
		return deny("mcp.stdio_servers", "write `mcp: {stdio_servers: true}` or remove the key", "`mcp.stdio_servers: false`: servers that are programs do not run")
	case r.Limited && len(r.Servers) == 0:
		return deny("platform_toolsets.cli", "remove `no_mcp` or name the server there", "`platform_toolsets.cli` lets no MCP server run")
	case r.Limited && !slices.Contains(r.Servers, name):
		return deny("platform_toolsets.cli", "add the server's name there", "`platform_toolsets.cli` names the servers that may run, and %q is not among them", name)
	}
	for _, disabled := range r.Disabled {
		if isToolset(disabled, name) {
			return deny("agent.disabled_toolsets", "remove the name there", "`agent.disabled_toolsets` names the server %q", name)
		}
	}
	return true, Problem{}
}
