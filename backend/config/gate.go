package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hermes/backend/policy"
)

// gate is one rule that holds calls back, ready to be asked. match is nil for a
// rule that cannot be read and therefore matches everything.
type gate struct {
	match  *regexp.Regexp
	reason string
	line   int
}

func (g gate) holds(name string) bool { return g.match == nil || g.match.MatchString(name) }

// Gate answers whether a call must not be made because a glob of approvals.deny
// forbids it, or because a part of `approvals` or `hooks` that may have forbidden
// it cannot be read (DESIGN invariant 12). Hooks that can be read are not asked
// here: they decide at the call. Names are the public names of the tool, if it
// has several: the one the model sees and the one Python Hermes would use. line
// is where the rule stands.
func (r Restrictions) Gate(names ...string) (reason string, line int, gated bool) {
	for _, g := range r.gates {
		for _, name := range names {
			if g.holds(name) {
				return g.reason, g.line, true
			}
		}
	}
	return "", 0, false
}

func (r *restrictionReader) approvals(root *policy.Node) {
	n, wrong := section(root, "approvals.mode")
	if wrong {
		r.unreadable(n, "approvals", "every call is refused", "write `approvals:` and below it `mode: manual`")
		r.gateAll(n, "`approvals` cannot be read, so every call is refused")
		return
	}
	switch word := strings.ToLower(scalarText(n)); {
	case isOff(n):
		r.out.ApprovalMode = ApprovalOff
	case slices.Contains([]string{"", "manual", "smart", "on", "true", "yes"}, word):
	default:
		r.problems = append(r.problems, Problem{
			Severity: policy.SeverityWarning, Code: "approvals.mode", Params: []string{word},
			Message: fmt.Sprintf("the approval mode %q is not known; manual is used", word),
			Hint:    "write `mode: manual` or `mode: off`",
			File:    r.file, Line: n.Line, Column: n.Column,
		})
	}
	n, _ = section(root, "approvals.deny")
	list, ok := words(n)
	if !ok && n.Kind == policy.KindScalar {
		list, ok = []string{scalarText(n)}, true // a glob that begins with a bracket
	}
	if !ok {
		r.unreadable(n, "approvals.deny", "every call is refused", "write a list of texts")
		r.gateAll(n, "`approvals.deny` cannot be read, so every call is refused")
		return
	}
	r.out.Deny = list
	for i, glob := range list {
		line := n.Line
		if n.Kind == policy.KindSequence {
			line = n.Children[i].Line
		}
		g := gate{line: line, reason: fmt.Sprintf("`approvals.deny` forbids it by %q", glob)}
		if expression, err := regexp.Compile("(?is)^(?:" + globExpression(glob) + ")$"); err == nil {
			g.match = expression
		}
		r.out.gates = append(r.out.gates, g)
	}
}

func (r *restrictionReader) gateAll(n *policy.Node, reason string) {
	r.out.gates = append(r.out.gates, gate{line: n.Line, reason: reason})
}

// globExpression turns a shell glob into a regular expression: * and ? and
// [...] with ! for "not"; a bracket that is not closed is itself.
func globExpression(glob string) string {
	var b strings.Builder
	runes := []rune(glob)
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteByte('.')
		case '[':
			end := i + 1
			if end < len(runes) && runes[end] == '!' {
				end++
			}
			if end < len(runes) && runes[end] == ']' {
				end++
			}
			for end < len(runes) && runes[end] != ']' {
				end++
			}
			if end >= len(runes) {
				b.WriteString(`\[`)
				continue
			}
			class := runes[i+1 : end]
			b.WriteByte('[')
			if class[0] == '!' {
				b.WriteByte('^')
				class = class[1:]
			}
			for _, r := range class {
				if r == '\\' || r == '[' || r == ']' || r == '^' {
					b.WriteByte('\\')
				}
				b.WriteRune(r)
			}
			b.WriteByte(']')
			i = end
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return b.String()
}
