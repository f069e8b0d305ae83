package desk

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/policy"
	"hermes/backend/transfer"
	"hermes/backend/view"
)

// Import is an import that a person is about to make: it can be looked at, and
// nothing is written before Save. The other host's file is read once.
type Import struct {
	host      *host.Host
	preview   view.ImportPreview
	change    config.Change
	variables map[string]string // what goes into `.env`
	steps     [][]config.Step   // of each server of the preview
	expected  *config.Snapshot
}

// Import reads another host's file and works out what it would write. The
// request's Text is the file itself where it was pasted or piped.
func (d *Desk) Import(q view.ImportRequest) (*Import, error) {
	if err := d.ours(); err != nil {
		return nil, err
	}
	r, err := d.readImport(q)
	if err != nil {
		return nil, err
	}
	h := d.current()
	snap := h.Snapshot()
	if err := readable(snap); err != nil {
		return nil, err
	}
	servers, err := chosen(r, q.Servers)
	if err != nil {
		return nil, err
	}
	i := &Import{host: h, variables: map[string]string{}, change: config.Change{Seen: snap.Revision}}
	i.preview = view.ImportPreview{Host: r.host.Name, Title: r.host.Title, File: r.file, Path: snap.Path, Revision: snap.Revision,
		Servers: []view.ImportServer{}, Problems: r.problems()}
	p := &importer{out: i, snap: snap, planner: transfer.NewPlanner(snap.Variable), request: q, taken: map[string]bool{}}
	for _, s := range servers {
		p.taken[s.Name] = true
	}
	for _, s := range servers {
		v, steps := p.server(s)
		i.preview.Servers, i.steps = append(i.preview.Servers, v), append(i.steps, steps)
	}
	return i, i.look()
}

// chosen gives the servers that were asked for.
func chosen(r reading, names []string) ([]transfer.Server, error) {
	if len(names) == 0 {
		return r.found.Servers, nil
	}
	var out []transfer.Server
	for _, name := range names {
		at := slices.IndexFunc(r.found.Servers, func(s transfer.Server) bool { return s.Name == name })
		if at < 0 {
			var there []string
			for _, s := range r.found.Servers {
				there = append(there, s.Name)
			}
			return nil, Fail(view.Error{Code: "unknown_server", Message: "there is no server '" + name + "' to import",
				Hint: "there are: " + strings.Join(there, ", "), File: r.file}, nil)
		}
		if !slices.ContainsFunc(out, func(s transfer.Server) bool { return s.Name == name }) {
			out = append(out, r.found.Servers[at])
		}
	}
	return out, nil
}

// importer plans one import, server by server.
type importer struct {
	out     *Import
	snap    *config.Snapshot
	planner *transfer.Planner
	request view.ImportRequest
	taken   map[string]bool // the names of this import
}

// server plans one server. Without steps it is not imported.
func (p *importer) server(s transfer.Server) (v view.ImportServer, steps []config.Step) {
	v = view.ImportServer{Name: s.Name, As: s.Name, Line: s.Line, Action: view.ImportAdd, Meaning: s.Meaning, Enabled: s.Enabled,
		Untrusted: true, Variables: []string{}, Notes: list(s.Notes)}
	old, exists := p.snap.Server(s.Name)
	switch {
	case s.Refused != "":
		return stop(v, view.ImportRefuse, s.Refused), nil
	case s.Foreign != "":
		return stop(v, view.ImportSkip, s.Foreign), nil
	case exists && p.request.Overwrite && old.Rules.Broken():
		return stop(v, view.ImportRefuse, "the entry of that name is no mapping, so nothing of it could be kept; mend it first"), nil
	case exists && p.request.Overwrite:
		v.Action = view.ImportOverwrite
	case exists && p.request.Rename:
		v.As = p.free(s.Name)
	case exists:
		return stop(v, view.ImportSkip, existing(p.snap, old)+"; --overwrite replaces how it is reached and keeps its rules, --rename imports it under another name"), nil
	}
	planned, err := p.planner.Plan(s, v.As)
	if err != nil {
		return stop(v, view.ImportRefuse, err.Error()), nil
	}
	v.Notes = list(planned.Notes)
	shown := planned.Entry
	if v.Action == view.ImportOverwrite {
		shown, steps = overwrite(old, planned)
		v.Notes = append(v.Notes, "its rules, its trust, its time limits and every other key stay as they are here")
	} else {
		steps = []config.Step{{Kind: config.StepSet, Path: []string{keyServers, v.As}, Value: planned.Entry}}
	}
	text, err := config.Render(v.As, shown)
	if err != nil {
		return stop(v, view.ImportRefuse, err.Error()), nil
	}
	v.Entry = text
	for _, secret := range planned.Secrets {
		p.out.variables[secret.Name] = secret.Value()
		v.Variables = append(v.Variables, secret.Name)
	}
	return v, steps
}

// stop ends with a server that is not imported.
func stop(v view.ImportServer, action view.ImportAction, reason string) view.ImportServer {
	v.Action, v.Reason, v.Enabled, v.Untrusted = action, reason, false, false
	v.Rules = view.Words{Params: []string{}}
	return v
}

// overwrite gives what replaces keys of an entry that is there, and the steps
// that do it.
func overwrite(old *config.Server, planned transfer.Planned) (set *policy.Node, steps []config.Step) {
	set, gone := planned.Overwrite(old.Entry)
	path := func(key string) []string { return []string{keyServers, old.Name, key} }
	for _, key := range append(gone, "builtin", "root") {
		steps = append(steps, config.Step{Kind: config.StepDelete, Path: path(key)})
	}
	for i := 0; i+1 < len(set.Children); i += 2 {
		steps = append(steps, config.Step{Kind: config.StepSet, Path: path(set.Children[i].Value), Value: set.Children[i+1]})
	}
	return set, steps
}

// free gives the first name with a number that nobody has.
func (p *importer) free(name string) string {
	for n := 2; ; n++ {
		next := name + "-" + strconv.Itoa(n)
		if _, exists := p.snap.Server(next); !exists && !p.taken[next] {
			p.taken[next] = true
			return next
		}
	}
}

// look asks the configuration itself what the change would bring, so that the
// preview shows the rules as they would be in force.
func (i *Import) look() error {
	if err := i.settle(); err != nil || len(i.change.Steps) == 0 {
		return err
	}
	for n := range i.preview.Servers {
		v := &i.preview.Servers[n]
		if len(i.steps[n]) == 0 {
			continue
		}
		server, ok := i.expected.Server(v.As)
		if !ok {
			return Fail(view.Error{Code: "failed", Message: "the entry of '" + v.As + "' cannot be written as it is", Hint: "leave it out with --server"}, nil)
		}
		v.Rules, v.Enabled, v.Untrusted = wordsView(server.Rules.Row()), server.Enabled, server.Untrusted
		if server.Rules.IsHeld() {
			v.Notes = append(v.Notes, "Hermes remembers a restriction of it, which stays in force until you open it: `hermes mcp open "+v.As+"`")
		}
		for _, problem := range server.Problems {
			v.Notes = append(v.Notes, problem.Message)
		}
	}
	return nil
}

// Preview says what Save would do.
func (i *Import) Preview() view.ImportPreview { return i.preview }

// Ready counts the servers that Save would write.
func (i *Import) Ready() int {
	n := 0
	for _, s := range i.preview.Servers {
		if s.Action == view.ImportAdd || s.Action == view.ImportOverwrite {
			n++
		}
	}
	return n
}

// Save writes every server that was accepted in one write, the secrets before
// it into `.env`, and says it is saved when the disk says so.
func (i *Import) Save(ctx context.Context) (view.ImportResult, error) {
	out := view.ImportResult{Preview: i.preview, Revision: i.preview.Revision, Written: []string{}}
	if i.Ready() == 0 {
		return out, nil
	}
	// Asked again before the first byte: a file that changed since then takes
	// neither the servers nor their secrets.
	if _, err := i.host.Preview(i.change, i.variables); err != nil {
		return out, err
	}
	for _, name := range slices.Sorted(maps.Keys(i.variables)) {
		if err := i.host.SetEnv(ctx, name, i.variables[name]); err != nil {
			return out, err
		}
	}
	if _, err := i.host.Change(ctx, i.change); err != nil {
		return out, err
	}
	now := i.host.ReadBack()
	for _, s := range i.preview.Servers {
		if s.Action != view.ImportAdd && s.Action != view.ImportOverwrite {
			continue
		}
		server, ok := now.Server(s.As)
		want, _ := i.expected.Server(s.As)
		if !ok || now.Broken || want == nil || server.Enabled != want.Enabled || server.Conn.Target() != want.Conn.Target() ||
			!policy.ReadServer(server.Entry).Equal(policy.ReadServer(want.Entry)) {
			return out, Fail(view.Error{Code: "failed", Message: "the file does not say what was saved: another program changed it at the same moment",
				Hint: "look at it and try again", File: now.Path}, nil)
		}
		out.Written = append(out.Written, s.As)
	}
	out.Saved, out.Revision = true, now.Revision
	return out, nil
}
