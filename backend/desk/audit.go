package desk

import (
	"context"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/mcp"
	"hermes/backend/policy"
	"hermes/backend/view"
)

// Audit lists every server with its state in words, then what a person should
// look at (FILTER section 6); strict makes findings of the notes. It starts no
// server and writes nothing.
func (d *Desk) Audit(ctx context.Context, strict bool) (view.Audit, error) {
	h := d.current()
	return audit(ctx, h.Snapshot(), h, strict)
}

// AuditFile audits another configuration. It is read alone, without a home's
// ledger, as a review in CI needs it.
func AuditFile(ctx context.Context, file string, strict bool) (view.Audit, error) {
	return audit(ctx, config.ReadAlone(file), nil, strict)
}

// audit looks at a state of the file; h is the home it is in force in, nil for
// one that is read alone.
func audit(ctx context.Context, snap *config.Snapshot, h *host.Host, strict bool) (view.Audit, error) {
	home, status := "", func(string) mcp.Status { return mcp.Status{} }
	if h != nil {
		home, status = h.Home().Dir, h.Brief
	}
	a := &auditor{snap: snap}
	a.out = view.Audit{Strict: strict, Servers: []view.AuditServer{}, Findings: []view.AuditItem{}, Notes: []view.AuditItem{}, Unchecked: []string{},
		Config: view.Config{Path: snap.Path, Revision: snap.Revision, Problems: []view.Problem{}}}
	a.file()
	for i := range snap.Servers {
		a.server(&snap.Servers[i], status(snap.Servers[i].Name))
	}
	if h != nil {
		a.pins(h)
	}
	found, unchecked := findEvidence(ctx, snap, home)
	a.out.Findings = append(a.out.Findings, found...)
	a.out.Unchecked = append(a.out.Unchecked, unchecked...)
	if strict {
		a.out.Findings = append(a.out.Findings, a.out.Notes...)
		a.out.Notes = []view.AuditItem{}
	}
	a.out.OK = len(a.out.Findings) == 0
	return a.out, ctx.Err()
}

// auditor collects the items of one file.
type auditor struct {
	snap *config.Snapshot
	out  view.Audit
}

func (a *auditor) finding(server string, p config.Problem) {
	item := auditItem(server, p)
	if slices.ContainsFunc(a.out.Findings, func(have view.AuditItem) bool {
		return have.Code == item.Code && have.Server == item.Server && have.Line == item.Line && have.Column == item.Column && have.Message == item.Message
	}) {
		return
	}
	a.out.Findings = append(a.out.Findings, item)
}

func (a *auditor) note(server string, p config.Problem) {
	item := auditItem(server, p)
	item.Level = view.LevelNote
	a.out.Notes = append(a.out.Notes, item)
}

func auditItem(server string, p config.Problem) view.AuditItem {
	level := view.LevelWarning
	if p.Severity == policy.SeverityError {
		level = view.LevelError
	}
	return view.AuditItem{Level: level, Code: p.Code, Params: list(p.Params), Server: server, Message: p.Message, Hint: p.Hint,
		File: p.File, Line: p.Line, Column: p.Column}
}

// file tells what is wrong around the servers.
func (a *auditor) file() {
	for _, p := range a.snap.Problems {
		if p.Severity == policy.SeverityError {
			a.finding("", p)
		} else {
			a.note("", p)
		}
	}
	for _, p := range a.snap.Opened {
		a.note(p.Params[0], p)
	}
	for _, p := range a.snap.Exposed() {
		a.finding("", p)
	}
}

// server tells of one server: first its state, then what is wrong with it, then
// what is only worth knowing.
func (a *auditor) server(server *config.Server, status mcp.Status) {
	state, reason := configuredStatus(a.snap, server)
	a.out.Servers = append(a.out.Servers, view.AuditServer{
		Name: server.Name, Transport: server.Conn.Transport, Target: server.Conn.Target(), Status: state, Reason: reason,
		State: string(server.Rules.State()), Held: server.Rules.IsHeld(), Words: wordsView(server.Rules.List()), Line: server.Line,
	})
	for _, p := range server.Rules.Problems() {
		a.problem(server, config.Located(a.snap.Path, p))
	}
	for _, p := range server.Problems {
		a.problem(server, p)
	}
	if server.Enabled {
		a.notes(server, status)
	}
}

// problem sorts what the readers of the entry say. Slips of the pen have no
// effect and are notes; an ignored list and a variable that loads code change
// what runs.
func (a *auditor) problem(server *config.Server, p config.Problem) {
	switch {
	case p.Severity == policy.SeverityError, p.Code == policy.CodeIgnoredList, p.Code == config.CodeDangerousEnv, p.IsHeld():
		a.finding(server.Name, p)
	default:
		a.note(server.Name, p)
	}
}

func (a *auditor) notes(server *config.Server, status mcp.Status) {
	note := func(code string, line, column int, params []string, message, hint string) {
		a.note(server.Name, config.Problem{Code: code, Params: params, Message: message, Hint: hint, File: a.snap.Path, Line: line, Column: column})
	}
	if server.Rules.State() == policy.StateOpen {
		note("audit.open", server.Line, server.Column, nil, "the server is open: every tool it offers may be called, also those it adds tomorrow",
			"choose its tools with `hermes tools`, or type `hermes mcp lock "+server.Name+"`")
	}
	if seen(status) {
		if unmatched := server.Rules.Live(toolNames(status.Tools)).Unmatched; len(unmatched) > 0 {
			note("audit.unmatched", server.Rules.Line(), server.Rules.Column(), unmatched, "no tool of the server matches "+strings.Join(unmatched, ", "),
				"correct or remove it")
		}
		if writing := writesUnasked(server, status.Tools); len(writing) > 0 {
			note("audit.writes_unasked", server.Line, server.Column, writing, "runs without a question though the server calls it destructive: "+strings.Join(writing, ", "),
				"write `trust: untrusted` for the server")
		}
	}
	if name := unpinned(server.Conn); name != "" {
		line, column := placeOfKey(server, "args")
		note("audit.unpinned", line, column, []string{name}, "the package "+name+" has no version, so another program may run tomorrow",
			"write the version behind it, as in "+pinExample(server.Conn, name))
	}
}

// writesUnasked names the tools that the server itself calls destructive and
// that may be called without a question.
func writesUnasked(server *config.Server, tools []mcp.Tool) []string {
	var out []string
	for _, tool := range tools {
		if !server.Untrusted && tool.Destructive != nil && *tool.Destructive && server.Rules.Allows(tool.Name) {
			out = append(out, tool.Name)
		}
	}
	return out
}

// placeOfKey is where a key of the entry stands, the server's own place where
// the entry has no such key.
func placeOfKey(server *config.Server, name string) (line, column int) {
	if server.Entry != nil {
		for i := 0; i+1 < len(server.Entry.Children); i += 2 {
			if key := server.Entry.Children[i]; key.Value == name {
				return key.Line, key.Column
			}
		}
	}
	return server.Line, server.Column
}
