package config

import (
	"path/filepath"
	"strconv"

	"hermes/backend/policy"
)

// Relaxations tells what a new state allows that the old one did not, a line for
// each thing: "opened: demo/read_file (config.yaml:12)" (FILTER section 6).
// Servers that the old state does not know are new and open nothing that was
// closed.
func Relaxations(old, now *Snapshot) []Problem {
	var out []Problem
	for i := range now.Servers {
		sv := &now.Servers[i]
		was, ok := old.Server(sv.Name)
		if !ok {
			continue
		}
		out = append(out, sv.relaxed(now.Path, was.Rules)...)
	}
	return out
}

// relaxed tells what the server's rules allow that others did not.
func (sv *Server) relaxed(file string, was policy.Rules) []Problem {
	var out []Problem
	for _, d := range policy.Compare(was, sv.Rules, nil) {
		if !d.Opens {
			continue
		}
		line := d.Line
		if line == 0 {
			line = sv.Line
		}
		out = append(out, Problem{
			Severity: policy.SeverityWarning, Code: CodeOpened, Params: []string{sv.Name, d.What.Text},
			Message: "opened: " + sv.Name + "/" + d.What.Text + " (" + filepath.Base(file) + ":" + strconv.Itoa(line) + ")",
			Hint:    "hermes mcp lock " + sv.Name + " locks the server",
			File:    file, Line: line,
		})
	}
	return out
}

// since tells what a state allows that was not in force when the ledger last saw
// its servers: what was changed while no process of ours ran. What a grant is for
// was a person's own edit.
func (l Ledger) since(now *Snapshot) []Problem {
	var out []Problem
	for i := range now.Servers {
		sv := &now.Servers[i]
		text, there := l.InForce[sv.Name]
		if !there && sv.adopted != "" {
			text, there = l.InForce[sv.adopted]
		}
		var was policy.Rules
		if !there || l.Servers[sv.Name].Grant.covers(sv.Rules) || was.UnmarshalText([]byte(text)) != nil {
			continue
		}
		out = append(out, sv.relaxed(now.Path, was)...)
	}
	return out
}

// inForce gives the text of the rules that the ledger remembers: those of now, or
// those of before while these cannot be read.
func (sv *Server) inForce(before string) string {
	text, err := sv.Rules.MarshalText()
	if err != nil || sv.Rules.State() == policy.StateInvalid {
		return before
	}
	return string(text)
}
