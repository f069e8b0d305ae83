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
		for _, d := range policy.Compare(was.Rules, sv.Rules, nil) {
			if !d.Opens {
				continue
			}
			line := d.Line
			if line == 0 {
				line = sv.Line
			}
			out = append(out, Problem{
				Severity: policy.SeverityWarning, Code: CodeOpened, Params: []string{sv.Name, d.What.Text},
				Message: "opened: " + sv.Name + "/" + d.What.Text + " (" + filepath.Base(now.Path) + ":" + strconv.Itoa(line) + ")",
				Hint:    "hermes mcp lock " + sv.Name + " locks the server",
				File:    now.Path, Line: line,
			})
		}
	}
	return out
}
