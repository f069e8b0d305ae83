package cli

import (
	"errors"
	"runtime"

	"hermes/backend/desk"
	"hermes/backend/terminal"
	"hermes/backend/view"
)

// terminal is where the person of this run is asked. With --json the answer
// has standard output to itself.
func (a *app) terminal(plain bool) *terminal.Terminal {
	out := a.env.Stdout
	if a.out.json {
		out = a.env.Stderr
	}
	kind := a.env.Getenv("TERM")
	poor := kind == "dumb" || kind == "" && runtime.GOOS != "windows"
	return &terminal.Terminal{In: a.env.Stdin, Out: out, Plain: plain || poor, Color: a.env.Getenv("NO_COLOR") == ""}
}

// noTerminal is the end of a command that only a person can answer.
func (a *app) noTerminal(command, hint string) error {
	message := "'" + command + "' requires an interactive terminal."
	if a.out.json {
		return desk.Fail(view.Error{Code: "failed", Message: message, Hint: hint}, nil)
	}
	a.out.note("Error: %s", message)
	a.out.note("  %s", hint)
	return exitCode(ExitFailed)
}

// left turns the leaving of a question into the end of a command: an
// interruption has its code, everything else is told and is no success unless
// the command says so.
func (a *app) left(err error, said string, code int) error {
	switch {
	case errors.Is(err, terminal.ErrInterrupted):
		a.out.note("%s", said)
		return exitCode(ExitInterrupted)
	case errors.Is(err, terminal.ErrCanceled):
		a.out.note("%s", said)
		return exitCode(code)
	}
	return err
}
