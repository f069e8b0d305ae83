package desk

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/policy"
	"hermes/backend/view"
)

// Diff says what a change from file a to file b opens and closes. Both files are
// read alone. Tools are names of tools per server that neither file mentions.
// What opens is told, and so is a changed program or address of a server that
// may run: behind it other tools may stand under the same names. A file that
// cannot be read counts as one in which nothing can be called.
func Diff(a, b string, tools map[string][]string) (view.Diff, error) {
	was, now := config.ReadAlone(a), config.ReadAlone(b)
	out := view.Diff{Servers: []view.DiffServer{}, FileOpens: []view.DiffLine{}, FileCloses: []view.DiffLine{}, Unreadable: was.Broken || now.Broken,
		A: view.Config{Path: a, Revision: was.Revision, Problems: problemViews(was.Problems)},
		B: view.Config{Path: b, Revision: now.Revision, Problems: problemViews(now.Problems)}}
	names := now.Names()
	for _, name := range was.Names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		if !slices.Contains(names, name) && !out.Unreadable {
			return view.Diff{}, Fail(view.Error{Code: "unknown_server", Message: "server '" + name + "' is in neither file", Hint: "available: " + strings.Join(names, ", ")}, config.ErrUnknownServer)
		}
	}
	for _, name := range names {
		if server, changed := diffServer(was, now, name, tools[name]); changed {
			out.Servers = append(out.Servers, server)
			out.Opens = out.Opens || len(server.Opens) > 0
		}
	}
	out.FileOpens = append(out.FileOpens, gatesGone(was, now)...)
	out.FileCloses = append(out.FileCloses, gatesGone(now, was)...)
	out.Opens = out.Opens || len(out.FileOpens) > 0
	return out, nil
}

// side is one file's view of a server. rules are the zero Rules where the server
// may not run; reason says why.
type side struct {
	server *config.Server
	rules  policy.Rules
	state  view.Words
	reason view.Words
}

func sideOf(snap *config.Snapshot, name string) side {
	server, ok := snap.Server(name)
	if !ok {
		absent := view.Words{Code: "diff.absent", Params: []string{}, Text: "not there"}
		return side{state: absent, reason: absent}
	}
	s := side{server: server, rules: server.Rules, state: wordsView(server.Rules.List())}
	if ok, p := snap.MayRun(name); !ok && p.Code != config.CodeLocked && p.Code != config.CodeInvalid {
		s.rules = policy.Rules{}
		s.reason = view.Words{Code: p.Code, Params: list(p.Params), Text: p.Message}
		s.state = view.Words{Code: "diff.not_run", Params: []string{s.state.Text}, Text: s.state.Text + ", not run"}
	}
	return s
}

func diffServer(was, now *config.Snapshot, name string, tools []string) (view.DiffServer, bool) {
	before, after := sideOf(was, name), sideOf(now, name)
	out := view.DiffServer{Name: name, Kind: view.ChangeChanged, Before: before.state, After: after.state, Opens: []view.DiffLine{}, Closes: []view.DiffLine{}}
	switch {
	case before.server == nil:
		out.Kind = view.ChangeAdded
	case after.server == nil:
		out.Kind = view.ChangeRemoved
	}
	for _, d := range policy.Compare(before.rules, after.rules, tools) {
		line := view.DiffLine{Kind: d.Kind, Name: d.Name, What: wordsView(d.What), Before: wordsView(d.Before), After: wordsView(d.After), Line: d.Line, Column: d.Column}
		if before.reason.Text != "" {
			line.Before = before.reason
		}
		if after.reason.Text != "" {
			line.After = after.reason
		}
		if line.Line == 0 && after.server != nil {
			line.Line, line.Column = after.server.Line, after.server.Column
		}
		if d.Opens {
			out.Opens = append(out.Opens, line)
		} else {
			out.Closes = append(out.Closes, line)
		}
	}
	if before.server != nil && after.server != nil {
		if ok, _ := now.MayRun(name); ok {
			out.Opens = append(out.Opens, connectionLines(before.server, after.server)...)
		}
	}
	changed := out.Kind != view.ChangeChanged || len(out.Opens)+len(out.Closes) > 0 || out.Before.Text != out.After.Text
	return out, changed
}

// connectionLines tells what of the way to a server changed. Values of variables
// and headers are never shown.
func connectionLines(was, now *config.Server) []view.DiffLine {
	var out []view.DiffLine
	add := func(key, before, after string) {
		line, column := placeOfKey(now, key)
		out = append(out, view.DiffLine{Kind: "connection", Name: key, Line: line, Column: column,
			What:   view.Words{Code: "diff.connection", Params: []string{key}, Text: key + ": another program, address or setting"},
			Before: view.Words{Code: "diff.value", Params: []string{before}, Text: before}, After: view.Words{Code: "diff.value", Params: []string{after}, Text: after}})
	}
	a, b := was.Conn, now.Conn
	if a.Transport != b.Transport || a.Command != b.Command || !slices.Equal(a.Args, b.Args) || a.URL != b.URL || a.Builtin != b.Builtin || a.Root != b.Root {
		key := "command"
		switch {
		case b.Builtin != "":
			key = "builtin"
		case a.URL != b.URL || a.Transport != b.Transport:
			key = "url"
		case a.Command == b.Command:
			key = "args"
		}
		add(key, a.Target(), b.Target())
	}
	if a.Cwd != b.Cwd {
		add("cwd", a.Cwd, b.Cwd)
	}
	for _, m := range []struct {
		key           string
		before, after map[string]string
	}{{"env", a.Env, b.Env}, {"headers", a.Headers, b.Headers}} {
		if names := changedNames(m.before, m.after); len(names) > 0 {
			add(m.key, strings.Join(slices.Sorted(maps.Keys(m.before)), ", "), strings.Join(names, ", "))
		}
	}
	return out
}

// changedNames are the names whose values differ, each with what happened.
func changedNames(before, after map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if value, ok := before[name]; !ok {
			out = append(out, name+" added")
		} else if value != after[name] {
			out = append(out, name+" changed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[name]; !ok {
			out = append(out, name+" removed")
		}
	}
	return out
}

// gatesGone tells which gates of all calls one file has and the other has not:
// hooks, globs of approvals.deny, and the question itself.
func gatesGone(was, now *config.Snapshot) []view.DiffLine {
	if now.Broken {
		return nil // nothing can be called there
	}
	var out []view.DiffLine
	add := func(kind, name, text string) {
		out = append(out, view.DiffLine{Kind: "gate", Name: kind, What: view.Words{Code: "diff." + kind, Params: []string{name}, Text: text},
			Before: view.Words{Params: []string{}}, After: view.Words{Params: []string{}}})
	}
	r, other := was.Restrictions, now.Restrictions
	for _, hook := range r.Hooks {
		if !slices.ContainsFunc(other.Hooks, func(h config.HookRule) bool {
			return h.Event == hook.Event && h.Matcher == hook.Matcher && h.Command == hook.Command
		}) {
			add("hook", hook.Matcher, fmt.Sprintf("what the %s hook for %q holds back", hook.Event, hook.Matcher))
		}
	}
	for _, glob := range r.Deny {
		if !slices.Contains(other.Deny, glob) {
			add("deny", glob, fmt.Sprintf("what `approvals.deny` forbids by %q", glob))
		}
	}
	if r.ApprovalMode != config.ApprovalOff && other.ApprovalMode == config.ApprovalOff {
		add("approval", r.ApprovalMode, "calls that need a question (`approvals.mode`)")
	}
	// A section that cannot be read refuses every call; no rule names it.
	if _, _, gated := r.Gate(""); gated && len(out) == 0 {
		if _, _, still := other.Gate(""); !still {
			add("gate", "", "every call: a section that cannot be read refuses it")
		}
	}
	return out
}
