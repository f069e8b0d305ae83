package config

import (
	"bytes"
	"strings"
)

// parseEnv reads a `.env` file: NAME=value lines, `export` before the name,
// comments, single quotes (literal), double quotes (\n, \t, \", \\ and \$), and
// quoted values over several lines. A later line beats an earlier one. Lines
// that are none of this are passed over, as python-dotenv does.
func parseEnv(data []byte) map[string]string {
	rest := string(bytes.TrimPrefix(data, []byte(bom)))
	env := map[string]string{}
	for rest != "" {
		a := envLine(rest)
		if a.name != "" {
			env[a.name] = a.value
		}
		rest = rest[a.next:]
	}
	return env
}

// assignment is one NAME=value at the start of a text, with no name where the
// line is none. The value is written from from to to, its quotes included; next
// is where the following line begins.
type assignment struct {
	name, value    string
	from, to, next int
}

// envLine reads one assignment, or one line that is none.
func envLine(s string) assignment {
	line, after := cutLine(s)
	a := assignment{next: len(s) - len(after)}
	head, tail, found := strings.Cut(line, "=")
	name := strings.TrimSpace(head)
	if strings.HasPrefix(name, "export ") || strings.HasPrefix(name, "export\t") {
		name = strings.TrimSpace(name[len("export"):])
	}
	if !found || !isEnvName(name) {
		return a
	}
	a.name = name
	body := strings.TrimLeft(s[len(head)+1:], " \t")
	a.from = len(s) - len(body)
	if body != "" && (body[0] == '"' || body[0] == '\'') {
		if value, rest, ok := quotedValue(body); ok {
			// Only a comment may follow; else the quote is part of the value.
			if tail, next := cutLine(rest); strings.TrimSpace(cutComment(tail)) == "" {
				a.value, a.to, a.next = value, len(s)-len(rest), len(s)-len(next)
				return a
			}
		}
	}
	a.value = strings.TrimSpace(cutComment(tail))
	a.from = len(head) + 1 + strings.Index(tail, a.value)
	a.to = a.from + len(a.value)
	return a
}

func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// cutComment takes ` # ...` off an unquoted value; a # inside a word stays.
func cutComment(value string) string {
	for i := 0; i < len(value); i++ {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') {
			return value[:i]
		}
	}
	return value
}

func quotedValue(s string) (value, rest string, ok bool) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			return b.String(), s[i+1:], true
		case c == '\r' && i+1 < len(s) && s[i+1] == '\n':
			// A break of the file; one that was meant is written \r\n.
		case c == '\\' && i+1 < len(s):
			i++
			switch next := s[i]; {
			case quote == '\'' && next != '\'' && next != '\\':
				b.WriteByte('\\')
				b.WriteByte(next)
			case quote == '"' && next == 'n':
				b.WriteByte('\n')
			case quote == '"' && next == 't':
				b.WriteByte('\t')
			case quote == '"' && next == 'r':
				b.WriteByte('\r')
			case quote == '"' && next != '"' && next != '\\' && next != '$':
				b.WriteByte('\\')
				b.WriteByte(next)
			default:
				b.WriteByte(next)
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

func isEnvName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case (c >= '0' && c <= '9' || c == '.' || c == '-') && i > 0:
		default:
			return false
		}
	}
	return name != ""
}
