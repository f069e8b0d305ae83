package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/terminal"
)

// Exit codes of the program (docs/CLI.md).
const (
	ExitOK            = 0
	ExitFailed        = 1
	ExitUsage         = 2
	ExitUnknownServer = 3
	ExitInterrupted   = 130
)

// Env is everything the commands touch outside the program, so that main
// decides and tests can replace it.
type Env struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Version        string
	// WindowBuild tells that this program holds the window; RunWindow opens it
	// and returns the exit code.
	WindowBuild bool
	RunWindow   func(profile string) int
	// Open builds the desk for a home. Nothing is read or started before a
	// command asks for it.
	Open func(desk.Options) (*desk.Desk, error)
	// Guard is the body of the process that kills what we leave behind.
	Guard func(io.Reader) int
	// Page is the built page, with index.html at its root when it was built.
	Page fs.FS
}

// Main runs one command line and returns the exit code.
func Main(ctx context.Context, env Env) int {
	ctx, stop := signal.NotifyContext(ctx, terminal.Endings()...)
	defer stop()
	defer catchBrokenPipes()()
	app := &app{env: env, out: newPrinter(env, stop)}
	root := app.root()
	root.SetArgs(env.Args)
	root.SetOut(app.out.out)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	if closeErr := app.close(); err == nil {
		err = closeErr
	}
	lost := app.out.lost()
	switch {
	case errors.Is(lost, syscall.EPIPE):
		return ExitFailed // whoever read has left, and knows
	case err != nil && lost == nil && ctx.Err() != nil && errors.Is(err, context.Canceled):
		return ExitInterrupted
	case err == nil || lost != nil && errors.Is(err, context.Canceled):
		err = lost
	}
	return app.out.fail(err)
}

// catchBrokenPipes makes a reader that has left an error of the write. The signal
// alone would end the program in the middle of a call, with nothing cancelled; it is
// caught and not ignored, because what is started inherits what is ignored.
func catchBrokenPipes() (end func()) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGPIPE)
	return func() { signal.Stop(caught) }
}

// app is one run of the program.
type app struct {
	env     Env
	out     *printer
	profile string
	desk    *desk.Desk
}

// open gives the desk, built on first use.
func (a *app) open() (*desk.Desk, error) {
	return a.openWith(desk.Options{})
}

func (a *app) openWith(o desk.Options) (*desk.Desk, error) {
	if a.desk != nil {
		return a.desk, nil
	}
	o.Profile = a.profile
	if o.Notice == nil {
		o.Notice = a.notice
	}
	d, err := a.env.Open(o)
	if err != nil {
		return nil, err
	}
	a.desk = d
	return d, nil
}

func (a *app) close() error {
	if a.desk == nil {
		return nil
	}
	return a.desk.Close()
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "hermes",
		Short:         "An agent that works through MCP servers and can be trusted",
		Long:          desk.Scope,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.interactive() {
				return a.talk(cmd, desk.Ask{})
			}
			return cmd.Help()
		},
	}
	root.PersistentFlags().StringVar(&a.profile, "profile", "", "use the home of this profile")
	root.PersistentFlags().BoolVar(&a.out.json, "json", false, "print JSON")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{err: err, command: cmd.CommandPath()}
	})
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(a.mcp(), a.tools(), a.chat(), a.sessions(), a.demo(), a.serve(), a.desktop(),
		a.config(), a.hooks(), a.doctor(), a.version(), a.guard())
	return root
}

// noCommand refuses a word that is no command, where cobra alone would print
// the help and succeed.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{err: errors.New("unknown command " + quote(args[0])), command: cmd.CommandPath()}
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usageError{err: errors.New("give " + what), command: cmd.CommandPath()}
	}
}

func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= n {
			return nil
		}
		return usageError{err: errors.New("give " + what), command: cmd.CommandPath()}
	}
}

func (a *app) guard() *cobra.Command {
	return &cobra.Command{
		Use:    "__guard",
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			return exitCode(a.env.Guard(a.env.Stdin))
		},
	}
}

// Root is the command tree without a desk behind it, for the generated
// reference (docs/cli).
func Root() *cobra.Command {
	a := &app{out: &printer{}}
	return a.root()
}
