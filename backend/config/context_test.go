package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The words of the editor world win over variables of the same name, and are
// told apart by case.
func TestContextVariables(t *testing.T) {
	h := home(t, "mcp_servers:\n  demo:\n    command: x\n    args: ['${workspaceFolderBasename}', '${pathSeparator}', '${/}', '${userHome}', '${ workspaceFolder }', '${env:userHome}']\n  odd: {command: x, args: ['${UserHome}']}\n")
	s := Open(h, Options{Getenv: env("HOME", "/home/u", "userHome", "theirs", "workspaceFolder", "theirs")}).Load()
	working, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Expand(server(t, s, "demo").Conn)
	if err != nil {
		t.Fatal(err)
	}
	slash := string(filepath.Separator)
	if want := []string{filepath.Base(working), slash, slash, "/home/u", working, "theirs"}; !slices.Equal(c.Args, want) {
		t.Errorf("got %q, want %q", c.Args, want)
	}
	if _, err := s.Expand(server(t, s, "odd").Conn); err == nil {
		t.Error("a word in another case stands for something")
	}
}
