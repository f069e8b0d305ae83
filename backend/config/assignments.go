package config

import "strings"

// DangerousEnv names the dangerous variables that an entry sets: under env, and
// by its command line.
func (c Connection) DangerousEnv() []string {
	var out []string
	for _, name := range sortedKeys(c.Env) {
		if DangerousVariable(name) {
			out = append(out, name)
		}
	}
	return append(out, c.DangerousAssignments()...)
}

// DangerousAssignments names the dangerous variables that the command line sets
// for the program it starts, as `env NAME=value`, a shell's line, `docker run
// -e NAME=value` and `npx --node-options` do, each once.
func (c Connection) DangerousAssignments() []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range c.assignments() {
		if !seen[f.key] {
			seen[f.key] = true
			out = append(out, f.key)
		}
	}
	return out
}

// assignments finds the variables with the arguments they stand in; key is the
// variable here.
func (c Connection) assignments() []finding {
	var out []finding
	look := func(index int, text string) {
		for _, name := range assignedIn(text) {
			out = append(out, finding{key: name, index: index})
		}
	}
	look(-1, c.Command)
	for i, arg := range c.Args {
		look(i, arg)
	}
	return out
}

// assignedIn finds NAME=value with a dangerous name wherever a shell or env
// would take it for a word of its own, also behind a flag such as -e or --env=.
func assignedIn(text string) []string {
	if !strings.Contains(text, "=") && !strings.Contains(text, "node-options") && !strings.Contains(text, "export") {
		return nil
	}
	var out []string
	words := strings.FieldsFunc(plainShell(text), func(r rune) bool { return strings.ContainsRune(" \t\r\n;&|(){},$", r) })
	for _, word := range words {
		if flag, _, _ := strings.Cut(word, "="); flag == "--node-options" || flag == "--node-arg" {
			out = append(out, "NODE_OPTIONS")
			continue
		}
		for rest := word; ; {
			name, after, found := strings.Cut(rest, "=")
			if !found {
				break
			}
			for _, candidate := range []string{name, strings.TrimLeft(name, "-"), strings.TrimPrefix(name, "-e"), strings.TrimPrefix(name, "-E"), strings.TrimPrefix(name, "-S")} {
				if candidate != "" && DangerousVariable(strings.TrimSuffix(candidate, "+")) {
					out = append(out, strings.TrimSuffix(candidate, "+"))
					break
				}
			}
			// --env=NAME=value and -e=NAME=value; a variable's value ends it.
			if !strings.HasPrefix(name, "-") {
				break
			}
			rest = after
		}
	}
	return out
}

// bareScript tells a shell whose whole script is one variable: nobody who reads
// the entry sees what it runs.
func (c Connection) bareScript() (finding, bool) {
	for i, arg := range c.Args {
		if i == 0 || !isScriptFlag(c.Args[i-1]) {
			continue
		}
		script := strings.Trim(strings.TrimSpace(arg), `"'`)
		script = strings.TrimSpace(strings.TrimPrefix(script, "eval "))
		script = strings.Trim(script, `"'; `)
		name, braced := strings.CutPrefix(script, "${")
		if braced {
			name, braced = strings.CutSuffix(name, "}")
		} else if inner, ok := strings.CutPrefix(script, "$"); ok {
			name, braced = inner, true
		} else if len(script) > 2 && script[0] == '%' && script[len(script)-1] == '%' {
			name, braced = script[1:len(script)-1], true
		}
		if braced && isName(strings.TrimPrefix(name, "env:")) {
			return finding{key: "args", index: i, message: "the shell runs a script that is a single variable, so that nobody sees what it does"}, true
		}
	}
	return finding{}, false
}

// isScriptFlag tells a flag behind which a shell takes its script, such as -c,
// -lc and /c.
func isScriptFlag(flag string) bool {
	f := strings.ToLower(flag)
	switch f {
	case "/c", "/k", "-command", "-encodedcommand":
		return true
	}
	return len(f) >= 2 && len(f) <= 5 && f[0] == '-' && f[1] != '-' && strings.Contains(f, "c") && strings.Trim(f[1:], "abcefhiklmnopstuvx") == ""
}

func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
