package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) mcpReload() *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Make running Hermes processes read the file again and retry their servers",
		Long: `Asks every Hermes process that runs on this home to read the configuration again
at once, to try again the servers that failed or are parked, and to read the tool
lists anew. Servers that are healthy go on. Edits need no such word: they are
followed by themselves. Typing the command is the confirmation.

Where no process runs it says so; that is no error.`,
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
			} else if len(asked.Answered)+len(asked.Silent) == 0 {
				a.out.line("No running Hermes process of this home is known; the next one reads the file when it starts.")
			}
			if len(asked.Answered) > 0 && !a.out.json {
				a.out.line("Reloaded: process %s", numbers(asked.Answered))
			}
			if err != nil || len(asked.Silent) == 0 {
				return err
			}
			a.out.note("hermes: no answer from process %s; it follows the file by itself, or look whether it hangs", numbers(asked.Silent))
			return exitCode(ExitFailed)
		},
	}
}

// numbers lists process ids.
func numbers(ids []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(ids), "[]"), " ", ", ")
}
