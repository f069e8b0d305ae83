package cli

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/terminal"
	"hermes/backend/view"
)

const loginLong = `Asks for the token of a server with a url, without showing it, tries it, and keeps it in .env if the server takes it. The entry
refers to it as ${VARIABLE}. A server that wants an OAuth login cannot be logged in here yet.`

func (a *app) mcpLogin() *cobra.Command {
	var fromStdin bool
	cmd := &cobra.Command{
		Use:   "login NAME",
		Short: "Give a server its token and try it",
		Long:  loginLong,
		Args:  exactly(1, "the name of one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := a.login(cmd.Context(), args[0], fromStdin)
			if err != nil {
				return a.left(err, "Cancelled. Nothing was stored.", ExitFailed)
			}
			return a.loggedIn(result)
		},
	}
	cmd.Flags().BoolVar(&fromStdin, "token-stdin", false, "read the token from standard input")
	return cmd
}

func (a *app) loggedIn(result view.LoggedIn) error {
	if a.out.json {
		return a.out.value(result)
	}
	a.out.line("Authenticated '%s': %d tool(s); %s is kept in %s", printable(result.Server), result.Tools, result.Variable, result.Path)
	return nil
}

// maxToken bounds a token on standard input.
const maxToken = 64 << 10

// login asks for one server's token, tries it and keeps it.
func (a *app) login(ctx context.Context, name string, fromStdin bool) (view.LoggedIn, error) {
	d, err := a.open()
	if err != nil {
		return view.LoggedIn{}, err
	}
	login, err := d.Login(name)
	if err != nil {
		return view.LoggedIn{}, err
	}
	var token string
	t := a.terminal(false)
	switch {
	case fromStdin:
		token, err = bufio.NewReader(io.LimitReader(a.env.Stdin, maxToken)).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
	case !t.Interactive():
		err = a.noTerminal("hermes mcp login", "without one, give the token with --token-stdin, or write "+login.Variable()+"=... into .env")
	default:
		token, err = t.Secret(ctx, "API key / Bearer token for '"+printable(name)+"'")
	}
	if err != nil {
		return view.LoggedIn{}, err
	}
	tools, err := login.Try(ctx, token)
	if err != nil {
		shown := desk.ErrorView(err)
		shown.Message = "the token for '" + name + "' was not stored: " + shown.Message
		return view.LoggedIn{}, desk.Fail(shown, err)
	}
	result, err := login.Store(ctx)
	result.Tools = tools
	return result, err
}

func (a *app) mcpReauth() *cobra.Command {
	var all, fromStdin bool
	cmd := &cobra.Command{
		Use:   "reauth NAME | --all",
		Short: "Give one server, or one after the other, a new token",
		Long:  loginLong,
		Args: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) || len(args) > 1 {
				return usageError{command: cmd.CommandPath(), err: errors.New("give the name of one server, or --all")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			names := args
			if all {
				names = d.Logins()
			}
			if all && fromStdin {
				return usageError{command: cmd.CommandPath(), err: errors.New("--token-stdin gives one token, so name one server")}
			}
			return a.reauth(cmd.Context(), names, fromStdin)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every server with a url that takes a token or wants a login")
	cmd.Flags().BoolVar(&fromStdin, "token-stdin", false, "read the token from standard input")
	return cmd
}

// reauth logs in at one server after the other; what fails is named and counted.
func (a *app) reauth(ctx context.Context, names []string, fromStdin bool) error {
	done := []view.LoggedIn{}
	code := ExitOK
	for _, name := range names {
		result, err := a.login(ctx, name, fromStdin)
		switch {
		case errors.Is(err, terminal.ErrInterrupted), ctx.Err() != nil:
			return errors.Join(ctx.Err(), a.left(err, "Interrupted.", ExitInterrupted))
		case errors.Is(err, terminal.ErrCanceled):
			a.out.note("%s: left out", printable(name))
			code = ExitFailed
		case err != nil:
			code = max(code, a.tell(err))
		default:
			done = append(done, result)
			if !a.out.json {
				_ = a.loggedIn(result)
			}
		}
	}
	if a.out.json {
		if err := a.out.value(done); err != nil {
			return err
		}
		return exitCode(code)
	}
	a.out.line("Re-authenticated %d/%d server(s)", len(done), len(names))
	return exitCode(code)
}

// tell prints an error of one of several servers; standard output belongs to
// the answer.
func (a *app) tell(err error) int {
	only := &printer{out: a.out.err, err: a.out.err}
	return only.fail(err)
}
