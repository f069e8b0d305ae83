package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"hermes/backend/desk"
	"hermes/backend/terminal"
	"hermes/backend/view"
)

// manyLooks bounds the servers that are asked at the same time.
const manyLooks = 8

// pickServers is `hermes tools` for a person: a menu of the servers, and one
// checklist for each that is chosen.
func (a *app) pickServers(ctx context.Context, t *terminal.Terminal, options pickOptions) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	list, err := d.Servers()
	if err != nil {
		return err
	}
	a.out.problems(list.Config.Problems)
	if code := listCode(list.Config); code != ExitOK {
		return exitCode(code)
	}
	if len(list.Servers) == 0 {
		a.say("No MCP servers configured.")
		return nil
	}
	names, code := a.pickable(d, list.Servers)
	if len(names) == 0 {
		if code == ExitOK {
			a.say("All MCP servers are disabled.")
		}
		return exitCode(code)
	}
	a.say("Discovering tools from MCP servers...")
	a.say("Connecting to %d server(s): %s", len(names), printable(strings.Join(names, ", ")))
	rounds, failed := a.discover(ctx, d, names)
	if failed {
		code = ExitFailed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err = a.menu(ctx, t, d, rounds, options)
	if !errors.Is(err, terminal.ErrCanceled) && err != nil {
		return a.left(err, "Interrupted. What was confirmed before is written.", ExitFailed)
	}
	a.summary(rounds)
	return exitCode(code)
}

// pickable gives the servers whose tools can be chosen and says why others
// cannot.
func (a *app) pickable(d *desk.Desk, servers []view.Server) (names []string, code int) {
	for _, server := range servers {
		switch {
		case server.Tools.State == stateInvalid:
			code = a.out.fail(a.unpickable(d, server))
		case server.Enabled:
			names = append(names, server.Name)
		}
	}
	return names, code
}

// round is one server in the picker, and what was changed of it.
type round struct {
	detail  view.ServerDetail
	on, off int
}

// discover looks at all servers at once and gives those that have tools, in
// the order of the file.
func (a *app) discover(ctx context.Context, d *desk.Desk, names []string) (rounds []*round, failed bool) {
	details := make([]view.ServerDetail, len(names))
	errs := make([]error, len(names))
	slots := make(chan struct{}, manyLooks)
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			slots <- struct{}{}
			details[i], errs[i] = d.LookContext(ctx, name)
			<-slots
		})
	}
	all.Wait()
	tools := 0
	for i, name := range names {
		switch {
		case errs[i] != nil:
			failed = true
			a.out.note("Could not connect to '%s': %s", printable(name), printable(desk.ErrorView(errs[i]).Message))
		case len(details[i].Tools) == 0:
			a.say("%s: no tools found", printable(name))
		default:
			rounds = append(rounds, &round{detail: details[i]})
			tools += details[i].Server.Live.Total
		}
	}
	a.say("Found %d tool(s) across %d server(s)", tools, len(rounds))
	return rounds, failed
}

// menu lets a person take server after server; with one there is no menu.
func (a *app) menu(ctx context.Context, t *terminal.Terminal, d *desk.Desk, rounds []*round, options pickOptions) error {
	if len(rounds) == 0 {
		return nil
	}
	if len(rounds) == 1 {
		return a.checklist(ctx, t, d, rounds[0], options)
	}
	for {
		picker := terminal.Picker{Title: "MCP servers: choose one, ESC when done"}
		for _, r := range rounds {
			server := r.detail.Server
			picker.Rows = append(picker.Rows, terminal.Row{Name: printable(server.Name),
				Description: printable(fmt.Sprintf("%s  %s", server.Tools.Words, count(server.Live)))})
		}
		i, err := t.Choose(ctx, picker)
		if err != nil {
			return err
		}
		err = a.checklist(ctx, t, d, rounds[i], options)
		if err != nil && !errors.Is(err, terminal.ErrCanceled) {
			return err
		}
	}
}

// checklist is one server's round: what is confirmed is written at once.
func (a *app) checklist(ctx context.Context, t *terminal.Terminal, d *desk.Desk, r *round, options pickOptions) error {
	selection, changed, err := pickTools(ctx, t, r.detail, options.expand)
	if err != nil || !changed {
		return err
	}
	before := r.detail
	result, err := d.Select(selection)
	if err != nil {
		return err
	}
	for _, warning := range result.Warnings {
		a.out.note("%s: warning: %s", printable(result.Server), printable(warning))
	}
	if r.detail, err = d.Server(r.detail.Server.Name); err != nil {
		return err
	}
	was := map[string]bool{}
	for _, tool := range before.Tools {
		was[tool.Name] = tool.Allowed
	}
	for _, tool := range r.detail.Tools {
		switch {
		case tool.Allowed && !was[tool.Name]:
			r.on++
		case !tool.Allowed && was[tool.Name]:
			r.off++
		}
	}
	return nil
}

func (a *app) summary(rounds []*round) {
	changed := false
	for _, r := range rounds {
		name := printable(r.detail.Server.Name)
		if r.on+r.off == 0 {
			a.say("%s: no changes", name)
			continue
		}
		changed = true
		live := r.detail.Server.Live
		a.say("%s: %d enabled, %d disabled", name, live.Allowed, live.Total-live.Allowed)
	}
	if changed {
		a.say("✓ MCP tool configuration saved")
	} else {
		a.say("No changes to MCP tools")
	}
}
