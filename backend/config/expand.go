package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// scope is what ${...} can stand for: `.env` first, then the process
// environment, and a few words of the editor world before both
// (hermes-mcp reference 5.1).
type scope struct {
	home    Home
	file    map[string]string
	getenv  func(string) string
	user    string
	working string
}

func newScope(home Home, file map[string]string, getenv func(string) string) *scope {
	s := &scope{home: home, file: file, getenv: getenv, user: getenv("HOME")}
	if s.user == "" {
		s.user, _ = os.UserHomeDir()
	}
	s.working, _ = os.Getwd()
	return s
}

// variable gives a variable's value; an empty one counts as not set.
func (s *scope) variable(name string) (string, bool) {
	if v := s.file[name]; v != "" {
		return v, true
	}
	v := s.getenv(name)
	return v, v != ""
}

func (s *scope) context(name string) (string, bool) {
	switch name {
	case "userHome":
		return s.user, s.user != ""
	case "workspaceFolder":
		return s.working, s.working != ""
	case "workspaceFolderBasename":
		return filepath.Base(s.working), s.working != ""
	case "pathSeparator", "/":
		return string(filepath.Separator), true
	}
	return "", false
}

// reference resolves the body of one ${...}. ok is false when it stands for
// nothing; name is the variable to set then.
func (s *scope) reference(body string) (value, name string, ok bool) {
	body = strings.TrimSpace(body)
	if v, ok := s.context(body); ok {
		return v, body, true
	}
	name = strings.TrimSpace(strings.TrimPrefix(body, "env:"))
	value, ok = s.variable(name)
	return value, name, ok
}

// expand replaces every reference in a template and gives the variables that
// are not set. Values are not looked at again: what a variable holds is text.
func (s *scope) expand(template string) (text string, unset []string) {
	if !strings.Contains(template, "${") {
		return template, nil
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "${")
		b.WriteString(before)
		if !found {
			return b.String(), unset
		}
		body, after, closed := strings.Cut(rest, "}")
		if !closed || strings.TrimSpace(body) == "" {
			b.WriteString("${")
			template = rest
			continue
		}
		value, name, ok := s.reference(body)
		if !ok && !slices.Contains(unset, name) {
			unset = append(unset, name)
		}
		b.WriteString(value)
		template = after
	}
}

// references gives the variables a template names, without the words of the
// editor world.
func references(template string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(template, "${")
		if !found {
			return names
		}
		body, after, closed := strings.Cut(rest, "}")
		if !closed {
			return names
		}
		if name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(body), "env:")); name != "" {
			names = append(names, name)
		}
		template = after
	}
}

// Expand gives the connection with every ${VAR} and ${env:VAR} replaced, a
// leading ~ of command, cwd and root replaced by the user's home, and root made
// absolute below the Hermes home. A variable that is not set or empty is a
// *Refused that names it; values are never in the error.
func (s *Snapshot) Expand(c Connection) (Connection, error) {
	var unset []string
	expand := func(template string) string {
		text, missing := s.scope.expand(template)
		for _, name := range missing {
			if !slices.Contains(unset, name) {
				unset = append(unset, name)
			}
		}
		return text
	}
	out := c
	out.Command = expandUser(expand(c.Command), s.scope.user)
	out.Cwd = expandUser(expand(c.Cwd), s.scope.user)
	out.URL = expand(c.URL)
	if out.Root = expandUser(expand(c.Root), s.scope.user); out.Root != "" && !filepath.IsAbs(out.Root) {
		out.Root = filepath.Join(s.scope.home.Dir, out.Root)
	}
	out.Args = make([]string, len(c.Args))
	for i, arg := range c.Args {
		out.Args[i] = expand(arg)
	}
	for _, file := range []struct {
		from string
		into *string
	}{{c.TLS.CA, &out.TLS.CA}, {c.TLS.Cert, &out.TLS.Cert}, {c.TLS.Key, &out.TLS.Key}} {
		*file.into = expandUser(expand(file.from), s.scope.user)
	}
	out.TLS.Password = expand(c.TLS.Password)
	out.Confinement.Folders = slices.Clone(c.Confinement.Folders)
	for i, folder := range c.Confinement.Folders {
		out.Confinement.Folders[i].Path = expandUser(expand(folder.Path), s.scope.user)
	}
	out.Env = expandValues(c.Env, expand)
	out.Headers = expandValues(c.Headers, expand)
	if len(unset) > 0 {
		return Connection{}, unsetError(s.scope.home, unset)
	}
	if err := out.checkSpawn(s.scope.home); err != nil {
		return Connection{}, err
	}
	return out, nil
}

func expandValues(m map[string]string, expand func(string) string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	// Sorted, so that the same file always names the same variable first.
	for _, key := range sortedKeys(m) {
		out[key] = expand(m[key])
	}
	return out
}

func unsetError(home Home, names []string) error {
	what := "the variable ${" + names[0] + "} is not set"
	if len(names) > 1 {
		what = "the variables ${" + strings.Join(names, "}, ${") + "} are not set"
	}
	return &Refused{
		Message: what,
		Hint:    "write `" + names[0] + "=...` into " + home.Env() + " or set it in the environment",
		File:    home.Config(),
	}
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
