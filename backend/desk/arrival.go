package desk

import (
	"context"

	"hermes/backend/config"
	"hermes/backend/policy"
	"hermes/backend/view"
)

// Arrival says on one page what is different here with a home that Hermes Agent
// (Python) uses as well. It starts nothing, runs nothing and writes nothing.
func (d *Desk) Arrival() (view.Arrival, error) { return d.ArrivalContext(d.ctx) }

// ArrivalContext is Arrival that ends with ctx.
func (d *Desk) ArrivalContext(ctx context.Context) (view.Arrival, error) {
	h := d.current()
	snap, home := h.Snapshot(), h.Home().Dir
	out := view.Arrival{Config: configView(snap), Servers: []view.ArrivalServer{}, Honoured: problemViews(snap.Honoured()),
		Evidence: []view.AuditItem{}, ForeignSections: []string{}, Unchecked: []string{},
		Programs: programsOnPath(d.options.Getenv("PATH")), Obsolete: obsoleteTexts(home)}
	for i := range snap.Servers {
		out.Servers = append(out.Servers, arrivalServers(snap, &snap.Servers[i])...)
	}
	found, unchecked := findEvidence(ctx, snap, home)
	out.Evidence, out.Unchecked = append(out.Evidence, found...), append(out.Unchecked, unchecked...)
	count, sections := snap.ForeignKeys()
	out.ForeignKeys, out.ForeignSections = count, append(out.ForeignSections, sections...)
	out.Quiet = len(out.Servers)+len(out.Honoured)+len(out.Evidence)+len(out.Obsolete)+len(out.Unchecked)+count == 0 && !hasForeignProgram(out.Programs)
	return out, ctx.Err()
}

func arrivalServers(snap *config.Snapshot, server *config.Server) []view.ArrivalServer {
	var out []view.ArrivalServer
	for _, d := range policy.Differences(server.Entry, server.Rules) {
		line, column := d.Line, d.Column
		if line == 0 {
			line, column = server.Line, server.Column
		}
		out = append(out, view.ArrivalServer{Server: server.Name, Code: d.Code, Before: wordsView(d.Before), Now: wordsView(d.Now), Fix: wordsView(d.Fix),
			File: snap.Path, Line: line, Column: column})
	}
	return out
}

func hasForeignProgram(programs []view.ArrivalProgram) bool {
	for _, p := range programs {
		if p.Kind == view.ProgramPython || p.Kind == view.ProgramOther {
			return true
		}
	}
	return false
}
