package cli

import (
	"errors"
	"log"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/terminal"
	"hermes/backend/view"
)

// talk is the interactive chat of `hermes` and `hermes chat`.
func (a *app) talk(cmd *cobra.Command, ask desk.Ask) error {
	// While the chat is shown it alone writes to the terminal; a log that goes to a
	// file stays there.
	aside := terminal.NewAside(a.env.Stderr)
	defer aside.End()
	options := desk.Options{Notice: func(p view.Problem) {
		if !aside.Notice(p) {
			a.notice(p)
		}
	}}
	if isTerminal(a.env.Stderr) {
		options.Log = aside
		defer log.SetOutput(log.Writer())
		log.SetOutput(aside)
	}
	d, err := a.openWith(options)
	if err != nil {
		return err
	}
	chat := &terminal.Chat{Terminal: a.terminal(false), Desk: d, Model: ask.Model, Resume: ask.Resume, Yolo: ask.Yolo, Aside: aside}
	err = chat.Run(cmd.Context())
	if errors.Is(err, terminal.ErrInterrupted) {
		return exitCode(ExitInterrupted)
	}
	return err
}

// interactive tells whether a chat can be held here.
func (a *app) interactive() bool {
	return !a.out.json && a.terminal(false).Interactive()
}
