package desk

import (
	"errors"
	"maps"
	"os"
	"slices"

	"hermes/backend/config"
	"hermes/backend/view"
)

// Scope says what the program is for and what it leaves to others.
const Scope = `Hermes works through MCP servers: tool policy, the agent loop, approvals, the
desktop, a gateway for other clients. It reads the config.yaml of Hermes Agent
and runs beside it on the same home.
Not here: messaging gateways, cron, memory, skills, terminal and browser tools,
Python plug-ins.`

// Overview tells where the program stands before anything is started: which
// home, which programs would be started, which model answers.
func (d *Desk) Overview() (view.Overview, error) {
	d.mu.Lock()
	h, demo := d.host, d.demo != ""
	d.mu.Unlock()
	snap := h.Snapshot()
	out := view.Overview{
		Version: d.options.Version, Home: h.Home().Dir, Demo: demo, UserHome: d.home.Dir, UserHomeExists: d.home.Exists(),
		Started: h.Started(), Programs: []view.Program{}, Scope: Scope, Notices: problemViews(snap.Problems),
	}
	if unseen(snap) && !out.Started {
		last := &out.Notices[len(out.Notices)-1]
		last.Hint += "; nothing starts until it is repaired"
	}
	out.Notices = append(out.Notices, problemViews(h.WaitingElsewhere())...)
	out.Notices = append(out.Notices, problemViews(h.Notices())...)
	for i := range snap.Servers {
		if hold := snap.Servers[i].Hold; hold != nil {
			out.Notices = append(out.Notices, problemView(snap.Servers[i].HeldProblem(snap.Path)))
		}
		out.Programs = append(out.Programs, programView(snap, &snap.Servers[i]))
	}
	model, err := snap.ResolveModel("", d.options.Getenv)
	if err != nil {
		out.ModelProblem = err.Error()
		return out, nil
	}
	out.Model, out.OfflineModel = model.Name, model.Provider == "demo"
	if out.OfflineModel {
		out.Model = "offline demo model"
	}
	return out, nil
}

// programView shows what one entry would start or contact, and why it would
// not.
func programView(snap *config.Snapshot, server *config.Server) view.Program {
	program := view.Program{Server: server.Name, Kind: server.Conn.Transport, Target: server.Conn.Target(), EnvKeys: []string{}}
	program.EnvKeys = append(program.EnvKeys, slices.Sorted(maps.Keys(server.Conn.Env))...)
	ok, problem := snap.MayRun(server.Name)
	program.Starts = ok
	if !ok {
		program.Reason = problem.Message
	}
	return program
}

// Start lets the configured servers start; it is the click after the first look
// at a home, which is remembered from here on. While the file cannot be read
// nobody has seen what would start, so it is refused with the place, and the
// click is asked for again once the file is repaired.
func (d *Desk) Start() error {
	if err := d.meant(); err != nil {
		return err
	}
	d.mu.Lock()
	h, demo := d.host, d.demo != ""
	d.mu.Unlock()
	if snap := h.Snapshot(); unseen(snap) {
		return readable(snap)
	}
	if !demo {
		h.Remember()
	}
	return h.Start()
}

// Readable is the error, with its place, of a file that could not be read since
// the program runs, nil for one that could.
func (d *Desk) Readable() error {
	if snap := d.current().Snapshot(); unseen(snap) {
		return readable(snap)
	}
	return nil
}

// unseen tells that the file could not be read since the program runs: what is in
// it is not known.
func unseen(snap *config.Snapshot) bool { return snap.Broken && len(snap.Servers) == 0 }

// UseHome leaves the embedded default for the user's own home. Nothing of that
// home is started or written.
func (d *Desk) UseHome() (view.Overview, error) {
	d.mu.Lock()
	if d.demo == "" {
		d.mu.Unlock()
		return d.Overview()
	}
	old := d.host
	d.host = d.newHost(d.home)
	h, watching := d.host, d.watching
	dir := d.demo
	d.demo = ""
	d.mu.Unlock()
	d.relays.move()
	err := errors.Join(old.Close(), os.RemoveAll(dir))
	if watching {
		err = errors.Join(err, h.Watch())
	}
	if err != nil {
		return view.Overview{}, err
	}
	return d.Overview()
}

// Report takes the page's word that it is interactive; the window's test reads
// it from the log.
func (d *Desk) Report(report view.PageReport) error {
	d.options.Logger.Info("page ready", "policy_loaded", report.PolicyLoaded, "policy_error", report.PolicyError,
		"servers", report.Servers, "transport", report.Transport, "millis", report.Millis)
	return nil
}
