// Command hermes is the command line, and in the window build the window.
package main

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"

	"hermes/backend/cli"
	"hermes/backend/desk"
	"hermes/backend/host"
	"hermes/frontend"
)

// version is set by the linker from the file VERSION.
var version = "dev"

func main() {
	// This process is to become a server (host.RunConfined): nothing else of the
	// program may begin in it.
	if len(os.Args) > 1 && os.Args[1] == host.ConfineCommand {
		os.Exit(host.RunConfined(os.Args[2:]))
	}
	// Wails builds the bindings by running the program with no arguments: that
	// build must reach the window before any command line is parsed.
	if bindingsRun {
		os.Exit(runWindow("", nil))
	}
	os.Exit(run(os.Args[1:]))
}

// run picks the face: the window, where this build holds it and no command is
// asked for, else the command line.
func run(args []string) int {
	if windowBuild && len(args) == 0 {
		args = []string{"desktop"}
	}
	if windowBuild && len(args) == 2 && args[0] == "--profile" {
		args = append(slices.Clone(args), "desktop")
	}
	page := pageFiles()
	return cli.Main(context.Background(), cli.Env{
		Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Version: version,
		WindowBuild: windowBuild,
		RunWindow:   func(profile string) int { return runWindow(profile, page) },
		Open:        openDesk,
		Guard:       host.RunGuard,
		Page:        page,
	})
}

// openDesk builds the desk of a home for a face.
func openDesk(o desk.Options) (*desk.Desk, error) {
	o.Version = version
	o.Getenv = os.Getenv
	if o.Logger == nil {
		o.Logger = logger(os.Getenv("HERMES_LOG"), cmp.Or[io.Writer](o.Log, os.Stderr))
	}
	if self, err := os.Executable(); err == nil {
		o.Guard = []string{self, "__guard"}
		o.Confine = []string{self, host.ConfineCommand}
	}
	return desk.Open(o)
}

// logger writes at the level of HERMES_LOG and is silent without it.
func logger(level string, out io.Writer) *slog.Logger {
	var at slog.Level
	if level == "" || at.UnmarshalText([]byte(level)) != nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: at}))
}

// pageFiles is the built page; on a clone without Node it has no index.html.
func pageFiles() fs.FS {
	page, err := fs.Sub(frontend.Dist, "dist")
	if err != nil {
		return os.DirFS(os.DevNull)
	}
	return page
}
