package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

func (a *app) mcpDiff() *cobra.Command {
	var tools []string
	cmd := &cobra.Command{
		Use:   "diff A.yaml B.yaml",
		Short: "Say what a change of the file opens and closes",
		Long: `Compares two configurations and says per server what the change opens and
closes: tools, tools to come, helpers, the server's own questions, trust, and
hooks and globs that hold calls back. Another program or address of a server that
may run counts as an opening. Ends with 1 when anything opens or a file cannot be
read, so that a review in CI fails. Both files are read alone.`,
		Args: exactly(2, "two files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := toolFlags(cmd, tools)
			if err != nil {
				return err
			}
			diff, err := desk.Diff(args[0], args[1], named)
			if err != nil {
				return err
			}
			if a.out.json {
				if err := a.out.value(diff); err != nil {
					return err
				}
			} else {
				a.printDiff(diff)
			}
			if diff.Opens || diff.Unreadable {
				return exitCode(ExitFailed)
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&tools, "tools", nil, "tools of a server to compare besides those the files name, as SERVER=a,b,c; may be repeated")
	return cmd
}

func toolFlags(cmd *cobra.Command, flags []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, flag := range flags {
		server, names, found := strings.Cut(flag, "=")
		if !found || server == "" || names == "" {
			return nil, usageError{err: errors.New("--tools needs SERVER=a,b,c, not " + quote(flag)), command: cmd.CommandPath()}
		}
		out[server] = append(out[server], strings.Split(names, ",")...)
	}
	return out, nil
}

func (a *app) printDiff(diff view.Diff) {
	for _, config := range []view.Config{diff.A, diff.B} {
		a.out.problems(config.Problems)
	}
	for _, s := range diff.Servers {
		word := map[view.ChangeKind]string{view.ChangeAdded: " (added)", view.ChangeRemoved: " (removed)"}[s.Kind]
		a.out.line("%s%s: %s → %s", printable(s.Name), word, printable(s.Before.Text), printable(s.After.Text))
		a.diffLines(diff.B.Path, "+ opens ", s.Opens)
		a.diffLines(diff.B.Path, "- closes", s.Closes)
	}
	a.diffLines("", "+ opens ", diff.FileOpens)
	a.diffLines("", "- closes", diff.FileCloses)
	closes := slices.ContainsFunc(diff.Servers, func(s view.DiffServer) bool { return len(s.Closes) > 0 }) || len(diff.FileCloses) > 0
	switch {
	case diff.Unreadable:
		a.out.line("A file cannot be read, so nothing of it can be called.")
	case diff.Opens:
		a.out.line("The change opens something.")
	case closes:
		a.out.line("The change opens nothing.")
	default:
		a.out.line("The change opens and closes nothing.")
	}
}

func (a *app) diffLines(file, word string, lines []view.DiffLine) {
	for _, l := range lines {
		text := word + " " + l.What.Text
		if l.Kind == "connection" {
			text += ": " + l.Before.Text + " → " + l.After.Text
		} else if l.After.Text != "" {
			text += "  (" + l.After.Text + ")"
		}
		if at := place(file, l.Line, l.Column); at != "" && l.Line > 0 {
			text += "  " + at
		}
		a.out.line("  %s", printable(text))
	}
}
