package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
	"hermes/backend/web"
)

func (a *app) serve() *cobra.Command {
	var addr string
	var open, remote bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the page over loopback HTTP and print its address",
		Long: `Serves the page on a loopback address and prints it. The ticket in the address
is good once. With --allow-remote and a password in HERMES_SERVE_PASSWORD other
interfaces may be served.

Without a configuration the page starts on the embedded default: the built-in
servers and the offline demo model, in a temporary home.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.openWith(desk.Options{EmbeddedDefault: true})
			if err != nil {
				return err
			}
			if err := d.MayServe(); err != nil {
				return err
			}
			if err := d.Watch(); err != nil {
				return err
			}
			list, err := d.Servers()
			if err != nil {
				return err
			}
			a.out.problems(list.Config.Problems)
			password := ""
			if remote {
				password = a.env.Getenv("HERMES_SERVE_PASSWORD")
			}
			server, err := web.Listen(cmd.Context(), web.Options{
				Addr: addr, AllowRemote: remote, Password: password, Page: a.env.Page,
				Facts: d, Edits: d, Catalogue: d, Life: d, Running: d, Definitions: d, Chat: d, Kept: d, Hooks: d, Signals: d, Results: d,
				Fail: desk.ErrorView, Logger: slog.New(slog.DiscardHandler),
			})
			if err != nil {
				return err
			}
			if !web.HasPage(a.env.Page) {
				a.out.note("The page is not in this build; `make page` and a new build put it in. The address explains it too.")
			}
			url := server.URL()
			if a.out.json {
				err = a.out.lineJSON(struct {
					URL string `json:"url"`
				}{url})
			} else {
				_, err = fmt.Fprintln(a.out.out, url)
			}
			if err != nil {
				return errors.Join(err, server.Close())
			}
			if open {
				if err := openBrowser(cmd.Context(), url); err != nil {
					a.out.note("could not open a browser (%v); open the address yourself", err)
				}
			}
			if err := server.Serve(cmd.Context()); err != nil {
				return err
			}
			return cmd.Context().Err()
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&addr, "addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	flags.BoolVar(&open, "open", false, "open a browser")
	flags.BoolVar(&remote, "allow-remote", false, "allow an address that other machines reach; needs HERMES_SERVE_PASSWORD")
	return cmd
}

func openBrowser(ctx context.Context, url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	return exec.CommandContext(ctx, name, args...).Start()
}

func (a *app) desktop() *cobra.Command {
	return &cobra.Command{
		Use:   "desktop",
		Short: "Open the window",
		Args:  noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.env.WindowBuild {
				return exitCode(a.env.RunWindow(a.profile))
			}
			program, err := a.findDesktop()
			if err != nil {
				return err
			}
			args := []string{}
			if a.profile != "" {
				args = append(args, "--profile", a.profile)
			}
			window := exec.CommandContext(cmd.Context(), program, args...)
			window.Stdin, window.Stdout, window.Stderr = os.Stdin, a.env.Stdout, a.env.Stderr
			err = window.Run()
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				return exitCode(max(exit.ExitCode(), ExitFailed))
			}
			return err
		},
	}
}

// findDesktop looks for the window beside this program, then on PATH.
func (a *app) findDesktop() (string, error) {
	name := "hermes-desktop"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", desk.Fail(view.Error{Code: "failed",
		Message: "the window is a program of its own, " + name + ", and it is neither beside this one nor on PATH",
		Hint:    "install the desktop package or build it with `make desktop`; `hermes serve --open` shows the same page in a browser"}, fs.ErrNotExist)
}
