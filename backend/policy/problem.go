package policy

// Severity says how much a Problem weighs.
type Severity = string

// The weights of a Problem. An error denies everything of its server; a warning
// changes nothing about what is in force.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is something in the file that a person should mend. Message and Hint
// are the English sentences made from the catalogue entries Code and
// Code + ".hint" (see Codes) with Params. Line and Column are 1-based, 0 where
// the tree has no positions; the caller adds the file's name.
type Problem struct {
	Severity     Severity
	Code         string
	Params       []string
	Message      string
	Hint         string
	Line, Column int
}

func newProblem(severity Severity, code string, at *Node, params ...string) Problem {
	p := Problem{
		Severity: severity,
		Code:     code,
		Params:   params,
		Message:  render(code, params),
		Hint:     render(code+hintSuffix, params),
	}
	if at != nil {
		p.Line, p.Column = at.Line, at.Column
	}
	return p
}

func cloneProblems(in []Problem) []Problem {
	if len(in) == 0 {
		return nil
	}
	out := make([]Problem, len(in))
	for i, p := range in {
		p.Params = cloneStrings(p.Params)
		out[i] = p
	}
	return out
}

func cloneStrings(in []string) []string {
	if len(in) == 0 {
		return nil
	}
	return append([]string(nil), in...)
}
