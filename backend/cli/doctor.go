package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"hermes/backend/view"
)

// arrivalRows bounds each part of the page, so that it stays one page; --json
// has everything.
const arrivalRows = 8

// printArrival says what is different for a person who comes from Hermes Agent.
func (a *app) printArrival(page view.Arrival) {
	if page.Quiet {
		return
	}
	a.out.line("")
	a.out.line("Coming from Hermes Agent (Python), with the same home:")
	a.arrivalPart("servers that mean something else here", arrivalServers(page.Servers))
	a.arrivalPart("restrictions of other parts that hold here, too", arrivalProblems(page.Honoured))
	var lost []string
	for _, item := range page.Evidence {
		lost = append(lost, fmt.Sprintf("%s (line %d): %s", item.Server, item.Line, item.Message))
	}
	a.arrivalPart("locks that were lost (`hermes mcp audit` tells more)", lost)
	var obsolete []string
	for _, o := range page.Obsolete {
		obsolete = append(obsolete, fmt.Sprintf("%s:%d: %q", o.File, o.Line, o.Text))
	}
	a.arrivalPart("obsolete: several calls in one answer are split and run side by side here", obsolete)
	var programs []string
	for i, p := range page.Programs {
		programs = append(programs, fmt.Sprintf("%d. %s: %s", i+1, p.Path, programWord(p.Kind)))
	}
	a.arrivalPart("`hermes` on PATH, the first one is what you type", programs)
	if page.ForeignKeys > 0 {
		a.out.line("  %d keys belong to other parts of Hermes: kept, not used (%s)", page.ForeignKeys, printable(shortList(page.ForeignSections, 6)))
	}
	for _, text := range page.Unchecked {
		a.out.line("  not checked: %s", printable(text))
	}
}

func (a *app) arrivalPart(title string, rows []string) {
	if len(rows) == 0 {
		return
	}
	a.out.line("  %s:", title)
	for _, row := range rows[:min(len(rows), arrivalRows)] {
		a.out.line("    %s", printable(row))
	}
	if more := len(rows) - arrivalRows; more > 0 {
		a.out.line("    and %d more (--json)", more)
	}
}

// arrivalServers joins servers that differ in the same way.
func arrivalServers(servers []view.ArrivalServer) []string {
	type group struct {
		first view.ArrivalServer
		names []string
	}
	var groups []*group
	byText := map[string]*group{}
	for _, s := range servers {
		key := strings.Join([]string{s.Code, s.Before.Text, s.Now.Text, s.Fix.Text}, "\x00")
		if byText[key] == nil {
			byText[key] = &group{first: s}
			groups = append(groups, byText[key])
		}
		byText[key].names = append(byText[key].names, s.Server+" ("+filepath.Base(s.File)+":"+strconv.Itoa(s.Line)+")")
	}
	var rows []string
	for _, g := range groups {
		row := fmt.Sprintf("%s: before: %s; now: %s", shortList(g.names, 4), g.first.Before.Text, g.first.Now.Text)
		if g.first.Fix.Text != "" {
			row += "; to mend it: " + g.first.Fix.Text
		}
		rows = append(rows, row)
	}
	return rows
}

func arrivalProblems(problems []view.Problem) []string {
	var rows []string
	for _, p := range problems {
		row := p.Message
		if p.Line > 0 {
			row += " (" + filepath.Base(p.File) + ":" + strconv.Itoa(p.Line) + ")"
		}
		rows = append(rows, row)
	}
	return rows
}

func programWord(kind view.ProgramKind) string {
	switch kind {
	case view.ProgramThis:
		return "this program"
	case view.ProgramOurs:
		return "another copy of this program"
	case view.ProgramPython:
		return "Hermes Agent (Python)"
	}
	return "some other program"
}

// shortList joins the first names and counts the rest.
func shortList(names []string, limit int) string {
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:limit], ", ") + fmt.Sprintf(" and %d more", len(names)-limit)
}
