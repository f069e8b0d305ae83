package desk

import (
	"errors"
	"slices"

	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/pin"
	"hermes/backend/policy"
	"hermes/backend/view"
)

// shownDigits is how many digits of a hash people are shown, and how many name
// what they accept.
const shownDigits = 12

// Changes are the tools of all servers whose definition is not the accepted one,
// with the difference, and those that are new. Nothing is connected: a change is
// remembered when it is met.
func (d *Desk) Changes() (view.Changes, error) {
	h := d.current()
	out := view.Changes{Servers: []view.ServerChanges{}}
	for _, name := range h.Snapshot().Names() {
		if changes := serverChanges(h, name); len(changes.Tools)+len(changes.New) > 0 {
			out.Servers = append(out.Servers, changes)
		}
	}
	return out, nil
}

// PinProblems say that the accepted definitions cannot be read, or were lost:
// without them no change is known, which is not that nothing changed.
func (d *Desk) PinProblems() []view.Problem {
	if p, wrong := d.current().PinProblem(true); wrong {
		return []view.Problem{problemView(p)}
	}
	return nil
}

// ChangesOf are those of one server.
func (d *Desk) ChangesOf(name string) (view.Changes, error) {
	h := d.current()
	if _, err := find(h.Snapshot(), name); err != nil {
		return view.Changes{}, err
	}
	out := view.Changes{Servers: []view.ServerChanges{}}
	if changes := serverChanges(h, name); len(changes.Tools)+len(changes.New) > 0 {
		out.Servers = append(out.Servers, changes)
	}
	return out, nil
}

func serverChanges(h *host.Host, name string) view.ServerChanges {
	out := view.ServerChanges{Server: name, Tools: []view.ToolChange{}, New: []string{}}
	store, key, ok := h.Pins(name)
	if !ok {
		return out
	}
	changes, added := store.Changes(key)
	for _, c := range changes {
		out.Tools = append(out.Tools, toolChange(c))
	}
	out.New = append(out.New, added...)
	return out
}

func toolChange(c pin.Change) view.ToolChange {
	out := view.ToolChange{Tool: c.Tool, Seen: c.Hash[:min(len(c.Hash), shownDigits)], Now: c.NowHash[:min(len(c.NowHash), shownDigits)], Since: moment(c.Since),
		Hidden: c.Now.Hidden(), Lines: []view.ChangeLine{}}
	if c.Short {
		out.Lines = append(out.Lines, view.ChangeLine{Kind: string(pin.KindNew), Text: "one of the two definitions is too long to be kept and shown"})
		return out
	}
	for _, line := range pin.Compare(c.Pin, c.Now) {
		out.Lines = append(out.Lines, view.ChangeLine{Kind: string(line.Kind), Text: line.Text})
	}
	return out
}

// AcceptChanges accepts definitions as they were shown, and remembers that new
// tools were looked at. All are accepted or none. It gives what is left.
func (d *Desk) AcceptChanges(wish view.AcceptChanges) (view.Changes, error) {
	if err := d.ours(); err != nil {
		return view.Changes{}, err
	}
	h := d.current()
	snap := h.Snapshot()
	if _, err := find(snap, wish.Server); err != nil {
		return view.Changes{}, err
	}
	now := serverChanges(h, wish.Server)
	shown, added, err := wished(now, wish)
	if err != nil {
		return view.Changes{}, err
	}
	if len(shown)+len(added) > 0 {
		err = h.AcceptChanges(wish.Server, shown, added)
	}
	if errors.Is(err, pin.ErrMoved) {
		return view.Changes{}, changedAgain(wish.Server, err)
	}
	if err != nil {
		return view.Changes{}, Fail(view.Error{Code: "failed", Message: wish.Server + ": what was accepted is in force here and was not written: " + err.Error(),
			Hint: "look at the folder " + h.Home().Native()}, err)
	}
	return d.Changes()
}

// wished are the tools that a wish means: of the changed ones each has to be
// named with the hash it was shown with.
func wished(now view.ServerChanges, wish view.AcceptChanges) (shown map[string]string, added []string, err error) {
	shown = map[string]string{}
	changed := map[string]string{}
	for _, t := range now.Tools {
		changed[t.Tool] = t.Now
	}
	names := wish.Tools
	if len(names) == 0 {
		for _, t := range now.Tools {
			names = append(names, t.Tool)
		}
		added = now.New
	}
	for _, name := range names {
		hash, isChanged := changed[name]
		switch {
		case isChanged && wish.Now[name] == hash:
			shown[name] = hash
		case isChanged, wish.Now[name] != "":
			return nil, nil, changedAgain(wish.Server, nil)
		case slices.Contains(now.New, name):
			added = append(added, name)
		default:
			return nil, nil, Fail(view.Error{Code: "failed", Message: wish.Server + " has no changed or new tool '" + name + "'",
				Hint: "`hermes mcp changes " + wish.Server + "` lists them"}, nil)
		}
	}
	return shown, added, nil
}

func changedAgain(server string, cause error) error {
	return Fail(view.Error{Code: "conflict", Message: server + ": a definition is not the one that was shown; nothing was accepted",
		Hint: "look at it as it is now: `hermes mcp changes " + server + "`"}, cause)
}

// pinView puts into a count what is remembered of the tools.
func pinView(live view.Live, rules policy.Rules, marks map[string]pin.Brief, names []string) view.Live {
	for _, name := range names {
		mark := marks[name]
		if (mark.Changed || mark.Refused != "") && live.Known && rules.Allows(name) {
			// The rules allow it, and it cannot be called.
			live.Allowed--
			live.Blocked++
		}
		if mark.New {
			live.New = append(live.New, name)
			if !rules.Allows(name) {
				live.NewOff++
			}
		}
		if mark.Changed {
			live.Changed++
		}
		if mark.Refused != "" {
			live.Quarantined++
		}
	}
	return live
}

// pins tells of definitions that are not in force, and of a file of them that
// was lost.
func (a *auditor) pins(h *host.Host) {
	for _, name := range a.snap.Names() {
		server, _ := a.snap.Server(name)
		changed := []string{}
		for _, t := range serverChanges(h, name).Tools {
			changed = append(changed, t.Tool)
		}
		if len(changed) > 0 {
			a.finding(name, config.Problem{Severity: policy.SeverityError, Code: "audit.changed", Params: []string{host.Named(changed), name},
				Message: "the server describes tools otherwise than they were accepted, so they are blocked: " + host.Named(changed),
				Hint:    "`hermes mcp changes " + name + "` shows the difference, `hermes mcp accept " + name + "` accepts it",
				File:    a.snap.Path, Line: server.Line, Column: server.Column})
		}
	}
	if p, wrong := h.PinProblem(true); wrong {
		a.finding("", p)
	}
}
