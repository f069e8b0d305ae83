package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hermes/backend/catalog"
	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/native"
	"hermes/backend/policy"
	"hermes/backend/view"
)

// install is one install on its way: what was asked, the manifest, and the plan
// against the file as it stood.
type install struct {
	desk    *Desk
	host    *host.Host
	request view.InstallRequest
	entry   catalog.Entry
	snap    *config.Snapshot
	plan    catalog.Plan
	dir     string
}

// InstallPlan tells what an install would do and which values it needs. It
// writes, starts and contacts nothing.
func (d *Desk) InstallPlan(request view.InstallRequest) (view.InstallPlan, error) {
	i, err := d.install(request)
	if err != nil {
		return view.InstallPlan{}, err
	}
	return i.view()
}

// Install installs a server of the catalogue: it compares the package's hash,
// fetches and builds what there is to fetch, puts values into `.env` and the
// entry into the file, reads both back, and looks at the server once. What a
// build prints goes to log. An existing entry keeps its rules. The error is a
// Failure; what was done before it is named in its hint.
func (d *Desk) Install(ctx context.Context, request view.InstallRequest, log io.Writer) (view.Installed, error) {
	if err := d.ours(); err != nil {
		return view.Installed{}, err
	}
	i, err := d.install(request)
	if err != nil {
		return view.Installed{}, err
	}
	return i.run(ctx, log)
}

func (d *Desk) install(request view.InstallRequest) (*install, error) {
	h := d.current()
	i := &install{desk: d, host: h, request: request, snap: h.Snapshot()}
	if err := readable(i.snap); err != nil {
		return nil, err
	}
	known := d.catalog()
	entry, ok := known.Find(request.Name)
	if !ok {
		return nil, notInCatalog(known, request.Name)
	}
	i.entry, i.dir = entry, filepath.Join(h.Home().Native(), "installs", entry.Name)
	for _, name := range slices.Concat(slices.Collect(maps.Keys(request.Values)), request.Existing) {
		if !asksFor(entry, name) {
			return nil, usage(fmt.Sprintf("'%s' does not ask for %s", entry.Name, name), asked(entry))
		}
	}
	r := catalog.Request{Manifest: entry.Manifest, Values: request.Values, Dir: i.dir,
		Have: func(name string) bool { _, set := i.snap.Variable(name); return set }}
	if server, ok := i.snap.Server(entry.Name); ok {
		r.Existing = server.Entry
	}
	plan, err := catalog.Make(r)
	if err != nil {
		var refused *config.Refused
		if errors.As(err, &refused) {
			refused.File = i.snap.Path
		}
		return nil, err
	}
	i.plan = plan
	return i, nil
}

func asksFor(entry catalog.Entry, name string) bool {
	for _, v := range entry.Auth.Env {
		if v.Name == name {
			return true
		}
	}
	return false
}

func asked(entry catalog.Entry) string {
	names := make([]string, 0, len(entry.Auth.Env))
	for _, v := range entry.Auth.Env {
		names = append(names, v.Name)
	}
	if len(names) == 0 {
		return "it needs no value"
	}
	return "it asks for " + strings.Join(names, ", ")
}

func notInCatalog(known catalog.Catalog, name string) error {
	for _, p := range known.Diagnostics {
		if p.Name != strings.TrimPrefix(name, "official/") {
			continue
		}
		hint := p.Hint
		if hint == "" {
			hint = "mend the manifest, then install again"
		}
		return Fail(view.Error{Code: "refused", Message: "'" + p.Name + "' cannot be installed: " + p.Message, Hint: hint, File: p.File, Line: p.Line}, nil)
	}
	return Fail(view.Error{Code: "failed", Message: "'" + name + "' is not in the catalogue", Hint: "`hermes mcp catalog` lists what there is; `hermes mcp add` takes any other server"}, nil)
}

// confirm tells whether a person must agree first: the entry is somebody
// else's, runs commands now, or takes another server's place.
func (i *install) confirm() bool {
	return i.entry.Folder != "" || i.entry.Git != nil || i.plan.Replaces != ""
}

func (i *install) change() config.Change {
	seen := i.request.Revision
	if seen == "" {
		seen = i.snap.Revision
	}
	return config.Change{Steps: i.plan.Steps, Seen: seen}
}

// preview gives the entry as it would stand, checked like one that is there.
func (i *install) preview() (*config.Server, error) {
	variables := map[string]string{}
	for _, s := range i.plan.Secrets {
		variables[s.Name] = s.Value
	}
	snap := i.snap
	if len(i.plan.Steps) > 0 {
		after, err := i.host.Preview(i.change(), variables)
		if err != nil {
			return nil, err
		}
		snap = after
	}
	server, ok := snap.Server(i.entry.Name)
	if !ok {
		return nil, Fail(view.Error{Code: "failed", Message: "the entry cannot be written as it is", Hint: "look at the file: " + snap.Path, File: snap.Path}, nil)
	}
	return server, notSaved(i.entry.Name, server.Conn.Suspicious())
}

func (i *install) view() (view.InstallPlan, error) {
	server, err := i.preview()
	if err != nil {
		return view.InstallPlan{}, err
	}
	_, exists := i.snap.Server(i.entry.Name)
	out := view.InstallPlan{
		Row: catalogRow(i.snap, i.entry), Confirm: i.confirm(), Exists: exists, Replaces: i.plan.Replaces,
		Missing: []string{}, Rules: wordsView(server.Rules.List()), Unhashed: []string{}, HandsOver: i.handsOver(), Notes: list(i.plan.Notes), Revision: i.snap.Revision,
	}
	for _, v := range i.plan.Missing {
		out.Missing = append(out.Missing, v.Name)
	}
	for _, p := range i.entry.Packages() {
		if !i.entry.Pinned(p) {
			out.Unhashed = append(out.Unhashed, p.String())
		}
	}
	return out, nil
}

// missing says which values are needed, how to give them and where they go.
func (i *install) missing() error {
	if len(i.plan.Missing) == 0 {
		return nil
	}
	var what, how []string
	for _, v := range i.plan.Missing {
		text := v.Name
		if v.Prompt != "" {
			text += " (" + v.Prompt + ")"
		}
		what, how = append(what, text), append(how, "--env "+v.Name+"=...")
	}
	return Fail(view.Error{Code: "failed", Message: "'" + i.entry.Name + "' needs " + strings.Join(what, ", "),
		Hint: "give it with " + strings.Join(how, " ") + "; it is kept in " + i.host.Home().Env() + " and not in config.yaml"}, nil)
}

func (i *install) run(ctx context.Context, log io.Writer) (view.Installed, error) {
	if err := i.missing(); err != nil {
		return view.Installed{}, err
	}
	if i.confirm() && !i.request.Confirmed {
		return view.Installed{}, i.unconfirmed()
	}
	if err := i.mayHandOver(); err != nil {
		return view.Installed{}, err
	}
	if _, err := i.preview(); err != nil {
		return view.Installed{}, err
	}
	// Before anything is fetched into it.
	if err := native.Check(i.host.Home().Native()); err != nil {
		return view.Installed{}, Fail(view.Error{Code: "refused", Message: "'" + i.entry.Name + "' was not installed: " + native.ErrFolder.Error(), File: i.host.Home().Native(),
			Hint: "the file is unchanged; `hermes doctor` says more"}, err)
	}
	out := view.Installed{Server: i.entry.Name, Variables: []string{}, Checked: []string{}, Unchecked: []string{}, Notes: list(i.plan.Notes), PostNotice: i.entry.PostInstall}
	if err := i.verify(ctx, &out); err != nil {
		return view.Installed{}, err
	}
	if i.entry.Git != nil {
		if err := catalog.Fetch(ctx, *i.entry.Git, i.dir, log); err != nil && ctx.Err() != nil {
			return view.Installed{}, ctx.Err()
		} else if err != nil {
			return view.Installed{}, Fail(view.Error{Code: "failed", Message: "'" + i.entry.Name + "' was not installed: " + err.Error(), Hint: "the file is unchanged"}, err)
		}
	}
	if err := i.write(ctx, &out); err != nil {
		return view.Installed{}, err
	}
	i.look(ctx, &out)
	return out, nil
}

func (i *install) unconfirmed() error {
	why := "it comes from the " + i.entry.Origin()
	switch {
	case i.plan.Replaces != "":
		why = "an entry of that name is there and starts " + i.plan.Replaces
	case i.entry.Folder == "":
		why = "it is fetched and built here"
	}
	return Fail(view.Error{Code: "refused", Message: "'" + i.entry.Name + "' was not installed: " + why + ". It would run: " + printableText(strings.Join(i.entry.CommandLines(), " ; ")) + i.handedOver(),
		Hint: "read the commands, then repeat with --yes"}, nil)
}

// verify compares the hashes of the packages. A hash that differs is never
// accepted; one that could not be compared only with the person's word.
func (i *install) verify(ctx context.Context, out *view.Installed) error {
	if err := i.unhashed(); err != nil {
		return err
	}
	checked, unknown, err := catalog.Verify(ctx, i.entry.Manifest)
	for _, p := range checked {
		out.Checked = append(out.Checked, p.String())
	}
	for _, p := range unknown {
		out.Unchecked = append(out.Unchecked, p.String())
		out.Notes = append(out.Notes, "the integrity of "+p.String()+" was not checked: its manifest has no hash and exact version for it")
	}
	var unchecked *catalog.Unchecked
	var mismatch *catalog.Mismatch
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mismatch):
		return Fail(view.Error{Code: "refused", Message: "'" + i.entry.Name + "' was not installed: " + err.Error(),
			Hint: "the package was changed after it was reviewed, or the registry is not the usual one; nothing was written"}, err)
	case errors.As(err, &unchecked) && i.request.SkipIntegrity:
		out.Unchecked = append(out.Unchecked, unchecked.Package.String())
		out.Notes = append(out.Notes, err.Error())
		return nil
	case errors.As(err, &unchecked):
		return Fail(view.Error{Code: "refused", Message: "'" + i.entry.Name + "' was not installed: " + err.Error(),
			Hint: "try again with npm and a network, or accept it unchecked with --skip-integrity"}, err)
	}
	return err
}

// write puts the values into `.env`, the entry into the file, and reads both
// back.
func (i *install) write(ctx context.Context, out *view.Installed) error {
	for _, s := range i.plan.Secrets {
		if err := i.host.SetEnv(ctx, s.Name, s.Value); err != nil {
			return err
		}
		out.Variables = append(out.Variables, s.Name)
	}
	want, err := i.preview()
	if err != nil {
		return err
	}
	if len(i.plan.Steps) > 0 {
		result, err := i.host.Change(ctx, i.change())
		if err != nil {
			return err
		}
		out.Changed = result.Changed
	}
	now := i.host.ReadBack()
	server, ok := now.Server(i.entry.Name)
	if !ok || now.Broken || server.Enabled != want.Enabled || server.Conn.Target() != want.Conn.Target() ||
		!policy.ReadServer(server.Entry).Equal(policy.ReadServer(want.Entry)) {
		return Fail(view.Error{Code: "failed", Message: "the file does not say what was saved: another program changed it at the same moment",
			Hint: "look at it and try again", File: now.Path}, nil)
	}
	for _, s := range i.plan.Secrets {
		if value, _ := now.Variable(s.Name); value != s.Value {
			return Fail(view.Error{Code: "failed", Message: s.Name + " does not have the value that was saved", Hint: "look at the file: " + i.host.Home().Env()}, nil)
		}
	}
	out.Path, out.Revision = now.Path, now.Revision
	out.Enabled, out.Untrusted, out.Rules = server.Enabled, server.Untrusted, wordsView(server.Rules.List())
	out.Live = liveView(server.Rules, nil, false)
	out.Problems = append(serverView(i.host, now, server, i.host.Status(server.Name)).Problems, policyProblems(server.Rules.Problems(), now.Path)...)
	return nil
}

// look connects once, so that a person sees at once whether it works. A failed
// look changes nothing: the rules that were written stay.
func (i *install) look(ctx context.Context, out *view.Installed) {
	if !out.Enabled {
		return
	}
	if i.entry.Auth.Kind == catalog.AuthOAuth {
		out.LookError = "the server wants a login in a browser, which this version does not do"
		return
	}
	status, err := i.host.Look(ctx, i.entry.Name)
	if err != nil {
		out.LookError = err.Error()
		return
	}
	server, ok := i.host.Snapshot().Server(i.entry.Name)
	if !ok {
		return
	}
	out.Live = liveView(server.Rules, toolNames(status.Tools), true)
}
