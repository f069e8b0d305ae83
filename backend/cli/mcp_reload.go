package cli

import (
	"github.com/spf13/cobra"

	"hermes/backend/view"
)

func (a *app) mcpReload() *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Make running Hermes processes read the file again and retry their servers",
		Long: `Asks every Hermes process that runs on this home to read the configuration again
at once, to try again the servers that failed or are parked, and to read the tool
lists anew. Servers that are healthy go on. Edits need no such word: they are
followed by themselves. Typing the command is the confirmation.

Each process says what became of it: one that cannot read the file goes on with
the rules it had, and its answer names the line. Ends with 1 when one could not or
did not answer. Where no process runs it says so; that is no error.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			asked, err := d.AskReload(cmd.Context())
			if err != nil {
				return err
			}
			if a.out.json {
				err = a.out.value(asked)
			} else {
				a.printReloaded(asked)
			}
			if err == nil && len(asked.Failed)+len(asked.Silent) > 0 {
				err = exitCode(ExitFailed)
			}
			return err
		},
	}
}

func (a *app) printReloaded(asked view.ReloadAsked) {
	if len(asked.Answered)+len(asked.Failed)+len(asked.Silent) == 0 {
		a.out.line("No running Hermes process of this home is known; the next one reads the file when it starts.")
	}
	for _, pid := range asked.Answered {
		a.out.line("Reloaded: process %d", pid)
	}
	for _, f := range asked.Failed {
		a.out.note("hermes: not reloaded: process %d: %s", f.Process, printable(f.Message))
		if at := place(f.File, f.Line, f.Column); at != "" {
			a.out.note("  at %s", printable(at))
		}
	}
	for _, pid := range asked.Silent {
		a.out.note("hermes: no answer from process %d; it follows the file by itself, or look whether it hangs", pid)
	}
}
