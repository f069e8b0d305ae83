package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) mcpRemove() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:     "remove NAME",
		Aliases: []string{"rm"},
		Short:   "Remove a server from the file",
		Long:    "Removes a server's entry. What Hermes remembers of its locks stays: the same server, added again, is as restricted as before. Without a terminal it needs --yes.",
		Args:    exactly(1, "the name of one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.remove(cmd.Context(), args[0], yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) remove(ctx context.Context, name string, yes bool) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	if _, err := d.Server(name); err != nil {
		return err
	}
	if !yes {
		t := a.terminal(false)
		if !t.Interactive() {
			return a.noTerminal("hermes mcp remove", "without one, give --yes; nothing was removed")
		}
		agreed, err := t.Confirm(ctx, "Remove server '"+printable(name)+"'?", true)
		if err != nil {
			return a.left(err, nothingWritten, ExitFailed)
		}
		if !agreed {
			a.out.note("Not removed.")
			return exitCode(ExitFailed)
		}
	}
	removed, err := d.Remove(ctx, name)
	if err != nil {
		return err
	}
	if a.out.json {
		return a.out.value(removed)
	}
	a.out.line("Removed '%s' from %s", printable(removed.Server), removed.Path)
	if len(removed.Variables) > 0 {
		a.out.line("  still in .env, and used by no other server: %s", printable(strings.Join(removed.Variables, ", ")))
	}
	if len(removed.Tokens) > 0 {
		a.out.line("  Hermes Agent's login files are not touched. To remove them: rm '%s'", printable(strings.Join(removed.Tokens, "' '")))
	}
	return nil
}
