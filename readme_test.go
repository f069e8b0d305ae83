package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"hermes/backend/cli"
)

// TestREADME checks that every command and every make target of the README
// exists, with the flags it is shown with.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	commands, targets := 0, 0
	inShell := false
	for line := range strings.Lines(string(readme)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inShell = line == "```sh"
			continue
		}
		if !inShell {
			continue
		}
		line, _, _ = strings.Cut(line, " #")
		line = strings.TrimSpace(strings.TrimPrefix(line, "build/bin/"))
		if target, ok := strings.CutPrefix(line, "make "); ok {
			targets++
			if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).Match(makefile) {
				t.Errorf("there is no target for %q", line)
			}
			continue
		}
		if args, ok := strings.CutPrefix(line, "hermes "); ok {
			commands++
			checkCommand(t, line, words(args))
		}
	}
	if commands < 10 || targets < 2 {
		t.Errorf("only %d commands and %d targets were found", commands, targets)
	}
}

func checkCommand(t *testing.T, line string, args []string) {
	t.Helper()
	command, rest, err := cli.Root().Find(args)
	if err != nil {
		t.Errorf("%q: %v", line, err)
		return
	}
	if err := command.ParseFlags(rest); err != nil {
		t.Errorf("%q: %v", line, err)
		return
	}
	if command.Args != nil {
		if err := command.Args(command, command.Flags().Args()); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// words splits a line at spaces outside of double quotes.
func words(line string) []string {
	var out []string
	for _, word := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1) {
		out = append(out, strings.Trim(word, `"`))
	}
	return out
}
