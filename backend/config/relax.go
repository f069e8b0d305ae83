package config

import (
	"path/filepath"
	"slices"
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
	for _, d := range compared(was, sv.Rules) {
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
			File:    file, Line: line, was: was,
		})
	}
	return out
}

// compared is what policy tells of two rules, with sampling as the runtime takes
// it: it is on only where the file writes it (FILTER section 2), so a filter that
// goes opens none, and a key that is written opens it also without a filter.
func compared(was, now policy.Rules) []policy.Delta {
	sampling := func(d policy.Delta) bool { return d.Kind == "feature" && d.Name == "sampling" }
	out := slices.DeleteFunc(policy.Compare(was, now, nil), sampling)
	if was.SamplingWritten() || !now.SamplingWritten() {
		return out
	}
	all := policy.Compare(policy.Rules{}, now, nil)
	if i := slices.IndexFunc(all, sampling); i >= 0 {
		out = append(out, all[i])
	}
	return out
}

// StillOpen gives the relaxations that are true under a state: what one opened is
// allowed there as well. Other problems are given as they are.
func StillOpen(told []Problem, now *Snapshot) []Problem {
	var out []Problem
	for _, p := range told {
		if p.Code != CodeOpened {
			out = append(out, p)
			continue
		}
		sv, ok := now.Server(p.Params[0])
		if !ok {
			continue
		}
		// Where it stands may have moved.
		for _, again := range sv.relaxed(now.Path, p.was) {
			if slices.Equal(again.Params, p.Params) {
				out = append(out, again)
				break
			}
		}
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
