package config

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"hermes/backend/policy"
)

// CodeExposed: a file that holds secrets can be read by other users.
const CodeExposed = "file.exposed"

// Exposed tells which of the file and the `.env` beside it hold secrets and can
// be read by others, with the line that ends it. Where a mode says nothing, as
// on Windows, nothing is told.
func (s *Snapshot) Exposed() []Problem {
	if runtime.GOOS == "windows" {
		return nil
	}
	var out []Problem
	look := func(file string, line, column int, what string) {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			return
		}
		out = append(out, Problem{
			Severity: policy.SeverityError, Code: CodeExposed, Params: []string{file, fmt.Sprintf("%04o", info.Mode().Perm())},
			Message: fmt.Sprintf("others can read the file (mode %04o), and it holds %s", info.Mode().Perm(), what),
			Hint:    "type: chmod 600 " + shellWord(file), File: file, Line: line, Column: column,
		})
	}
	if line, column, ok := s.writtenSecret(); ok {
		look(s.Path, line, column, "a secret written out")
	}
	for _, value := range s.scope.file {
		if value != "" {
			look(s.scope.home.Env(), 0, 0, "keys")
			break
		}
	}
	return out
}

// writtenSecret gives the place of the first entry or setting that holds a
// secret itself, not a reference to one.
func (s *Snapshot) writtenSecret() (line, column int, ok bool) {
	for i := range s.Servers {
		if sv := &s.Servers[i]; sv.Conn.writesSecret() {
			return sv.Line, sv.Column, true
		}
	}
	m := s.Settings.Model
	if isWritten(m.APIKey) {
		return m.line, m.column, true
	}
	for _, e := range m.Endpoints {
		if isWritten(e.APIKey) {
			return e.Line, e.Column, true
		}
	}
	return 0, 0, false
}

// writesSecret tells a secret of any length in an entry.
func (c Connection) writesSecret() bool {
	for _, m := range []map[string]string{c.Env, c.Headers} {
		for name, value := range m {
			if HidesValue(name, value) && !strings.Contains(value, "${") {
				return true
			}
		}
	}
	return len(c.Secrets()) > 0
}

func isWritten(key string) bool {
	return len(strings.TrimSpace(key)) >= minSecret && !strings.Contains(key, "${")
}

// shellWord quotes a path for a line that a person types into a shell.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-~+@,:", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
