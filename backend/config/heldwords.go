package config

import (
	"fmt"
	"slices"
	"strings"

	"hermes/backend/policy"
)

// heldProblem says that the server is held, what the file says now, and the ways
// out.
func (sv *Server) heldProblem(file string, severity policy.Severity) Problem {
	there := sv.Rules.Standing(sv.Hold.Was)
	p := Problem{Severity: severity, File: file, Line: sv.Line, Column: sv.Column}
	if len(there) > 0 {
		// The place of what somebody wrote, where the policy knows it.
		if p.Line, p.Column = there[0].Line, there[0].Column; p.Line == 0 {
			p.Line, p.Column = sv.keyLine(there[0].Key), 0
		}
	}
	switch {
	case sv.Hold.Twin != "":
		sv.heldTwin(&p, there)
	case len(there) > 0:
		sv.heldRewritten(&p, there)
	default:
		keys := sv.Hold.Was.Keys()
		p.Code, p.Params = CodeHeld, []string{sv.Name, sv.Hold.Day(), strings.Join(keys, ", ")}
		p.Message = fmt.Sprintf("the file opens it, Hermes still holds it, since %s: %s is gone", sv.Hold.Day(), ticked(keys))
		p.Hint = fmt.Sprintf("hermes mcp open %[1]s accepts the file, hermes mcp lock %[1]s locks, hermes mcp restore %[1]s writes the key back", sv.Name)
	}
	return p
}

// heldRewritten says what somebody wrote in the place of what is held, and what is
// gone besides.
func (sv *Server) heldRewritten(p *Problem, there []policy.Standing) {
	says, was, gone := textsOf(there), sv.Hold.Was.Texts(), goneOf(sv.Hold.Was, there)
	p.Code, p.Params = CodeHeldRewritten, []string{sv.Name, sv.Hold.Day(), strings.Join(says, ", "), strings.Join(was, ", ")}
	besides := ""
	if len(gone) > 0 {
		p.Code, p.Params = CodeHeldPartly, append(p.Params, strings.Join(gone, ", "))
		besides = ", and " + ticked(gone) + " is gone"
	}
	p.Message = fmt.Sprintf("the file says %s now%s; Hermes still holds %s, since %s, so only what both allow is on", ticked(says), besides, ticked(was), sv.Hold.Day())
	p.Hint = fmt.Sprintf("hermes mcp open %[1]s accepts what the file says now, hermes mcp lock %[1]s locks, and hermes mcp restore %[1]s writes back what is held once %[2]s is out of the file", sv.Name, ticked(says))
}

// heldTwin says of which server the held one is a twin.
func (sv *Server) heldTwin(p *Problem, there []policy.Standing) {
	twin := sv.Hold.Twin
	p.Code, p.Params = CodeHeldTwin, []string{sv.Name, twin}
	p.Message = fmt.Sprintf("it starts the same program as '%s', which %s; Hermes holds it until a person says otherwise", twin, sv.Hold.twinIs)
	p.Hint = fmt.Sprintf("hermes mcp open %[1]s accepts the file, hermes mcp lock %[1]s locks, hermes mcp restore %[1]s writes the restriction of '%[2]s' into it", sv.Name, twin)
	if len(there) == 0 {
		return
	}
	says := textsOf(there)
	p.Code, p.Params = CodeHeldTwinRewritten, append(p.Params, strings.Join(says, ", "))
	p.Message += fmt.Sprintf("; the file says %s now, and only what both allow is on", ticked(says))
	p.Hint = fmt.Sprintf("hermes mcp open %[1]s accepts what the file says now, hermes mcp lock %[1]s locks, and hermes mcp restore %[1]s writes the restriction of '%[2]s' into it once %[3]s is out of the file", sv.Name, twin, ticked(says))
}

func textsOf(there []policy.Standing) []string {
	out := make([]string, len(there))
	for i, one := range there {
		out[i] = one.Text
	}
	return out
}

// goneOf are the keys of a restriction that do not stand in the file.
func goneOf(was policy.Restriction, there []policy.Standing) []string {
	return slices.DeleteFunc(was.Keys(), func(key string) bool {
		return slices.ContainsFunc(there, func(one policy.Standing) bool { return one.Stands(key) })
	})
}

// ticked writes what stands in a file as such.
func ticked(texts []string) string { return "`" + strings.Join(texts, "`, `") + "`" }
