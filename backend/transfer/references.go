package transfer

import (
	"regexp"
	"strings"

	"hermes/backend/config"
)

// replaceTexts runs one function over every text of a server that a host may
// expand.
func (s *Server) replaceTexts(f func(string) string) {
	s.Command, s.Cwd, s.URL = f(s.Command), f(s.Cwd), f(s.URL)
	for i := range s.Args {
		s.Args[i] = f(s.Args[i])
	}
	for _, m := range []map[string]string{s.Env, s.Headers} {
		for _, name := range sortedKeys(m) {
			m[name] = f(m[name])
		}
	}
}

// braced finds ${...}. Patterns are built where they are needed: built at the
// start of the program they cost every command.
func braced() *regexp.Regexp { return regexp.MustCompile(`\$\{([^}]*)\}`) }

// identifier tells a text that can be the name of a variable.
func identifier(name string) bool {
	for i, r := range name {
		digit := i > 0 && r >= '0' && r <= '9'
		if !digit && r != '_' && !(r >= 'A' && r <= 'Z') && !(r >= 'a' && r <= 'z') {
			return false
		}
	}
	return name != ""
}

const defaultLost = "has a default value, which cannot be written here: set the variable in the `.env` of the Hermes home"

// shellReferences reads ${NAME} and ${NAME:-default}, and $NAME where bare is
// set, into ${NAME}.
func (e *entry) shellReferences(bare bool) {
	pattern := braced()
	if bare {
		pattern = regexp.MustCompile(`\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)
	}
	e.replaceTexts(func(value string) string {
		return pattern.ReplaceAllStringFunc(value, func(ref string) string {
			m := pattern.FindStringSubmatch(ref)
			name, _, found := strings.Cut(m[1], ":-")
			if name == "" && len(m) > 2 {
				name = m[2]
			}
			if !identifier(name) {
				e.refuse("it holds the reference " + mute(ref) + ", which cannot be written here")
				return ref
			}
			if found {
				e.note("${" + name + "} " + defaultLost)
			}
			return "${" + name + "}"
		})
	})
}

// editorWord tells the words of VS Code that our own file knows as well.
func editorWord(body string) bool {
	switch body {
	case "userHome", "workspaceFolder", "workspaceFolderBasename", "pathSeparator", "/":
		return true
	}
	return false
}

// mute keeps a default value out of a message.
func mute(ref string) string {
	name, _, found := strings.Cut(ref, ":")
	if found {
		return name + ":...}"
	}
	return ref
}

// editorReferences reads the syntax of VS Code and Cursor. An input becomes a
// variable of its own.
func (e *entry) editorReferences(inputs map[string]string) {
	pattern := braced()
	e.replaceTexts(func(value string) string {
		return pattern.ReplaceAllStringFunc(value, func(ref string) string {
			body := strings.TrimSpace(ref[2 : len(ref)-1])
			if editorWord(body) {
				return "${" + body + "}"
			}
			kind, name, found := strings.Cut(body, ":")
			switch {
			case found && kind == "env" && identifier(name):
				return "${" + name + "}"
			case found && kind == "input" && name != "":
				// Not the input's own name: a variable of that name may be here
				// already, for somebody else.
				variable := variableName("MCP", e.Name, name)
				text := "it asks for `" + name + "`"
				if about := inputs[name]; about != "" {
					text += " (" + about + ")"
				}
				e.note(text + ": write " + variable + "=... into the `.env` of the Hermes home")
				return "${" + variable + "}"
			case !found && identifier(body):
				return ref
			}
			e.refuse("it holds the reference " + mute(ref) + ", which cannot be written here")
			return ref
		})
	})
}

// curlyReferences reads the syntax of opencode.
func (e *entry) curlyReferences() {
	e.plainDollars("opencode")
	pattern := regexp.MustCompile(`\{(env|file):([^}]*)\}`)
	e.replaceTexts(func(value string) string {
		return pattern.ReplaceAllStringFunc(value, func(ref string) string {
			m := pattern.FindStringSubmatch(ref)
			if m[1] == "file" {
				e.refuse("it reads a value out of a file with {file:...}, which Hermes does not do; put the value into `.env`")
				return ref
			}
			if !identifier(m[2]) {
				e.refuse("it holds the reference " + ref + ", which cannot be written here")
				return ref
			}
			return "${" + m[2] + "}"
		})
	})
}

// plainDollars tells of texts that only here are references.
func (e *entry) plainDollars(host string) {
	pattern := braced()
	e.replaceTexts(func(value string) string {
		if pattern.MatchString(value) {
			e.note("it holds ${...}, which is plain text in " + host + " and stands for a variable here")
		}
		return value
	})
}

// variableName makes the name of a variable out of any words.
func variableName(parts ...string) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(strings.Join(parts, "_")) {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
			continue
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
	}
	name := strings.TrimRight(b.String(), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "VALUE_" + name
	}
	return name
}

// bearer writes a header's value with the token in a variable.
func bearer(name string) string { return "Bearer ${" + name + "}" }

// reference tells a text that is one ${NAME} and nothing else.
func reference(value string) (name string, ok bool) {
	inner, found := strings.CutPrefix(value, "${")
	inner, closed := strings.CutSuffix(inner, "}")
	inner = strings.TrimPrefix(strings.TrimSpace(inner), "env:")
	if !found || !closed || !identifier(inner) || editorWord(inner) {
		return "", false
	}
	return inner, true
}

// masked tells whether a listing would hide part of a text.
func masked(value string) bool { return config.MaskArgs([]string{value})[0] != value }
