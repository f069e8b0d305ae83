package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/terminal"
)

// talk is the interactive chat of `hermes` and `hermes chat`.
func (a *app) talk(cmd *cobra.Command, ask desk.Ask) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	chat := &terminal.Chat{Terminal: a.terminal(false), Desk: d, Model: ask.Model, Resume: ask.Resume, Yolo: ask.Yolo}
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
