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
		var name, value string
		name, value, rest = envLine(rest)
		if name != "" {
			env[name] = value
		}
	}
	return env
}

// envLine takes one assignment, or one line that is none, off the text.
func envLine(s string) (name, value, rest string) {
	line, after := cutLine(s)
	head, _, found := strings.Cut(line, "=")
	name = strings.TrimSpace(head)
	if strings.HasPrefix(name, "export ") || strings.HasPrefix(name, "export\t") {
		name = strings.TrimSpace(name[len("export"):])
	}
	if !found || !isEnvName(name) {
		return "", "", after
	}
	body := strings.TrimLeft(s[len(head)+1:], " \t")
	if body != "" && (body[0] == '"' || body[0] == '\'') {
		if value, rest, ok := quotedValue(body); ok {
			// Only a comment may follow; else the quote is part of the value.
			if tail, next := cutLine(rest); strings.TrimSpace(cutComment(tail)) == "" {
				return name, value, next
			}
		}
	}
	_, value, _ = strings.Cut(line, "=")
	return name, strings.TrimSpace(cutComment(value)), after
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
			return strings.ReplaceAll(b.String(), "\r\n", "\n"), s[i+1:], true
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
