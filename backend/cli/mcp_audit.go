package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

func (a *app) mcpAudit() *cobra.Command {
	var strict, force bool
	var sarif string
	cmd := &cobra.Command{
		Use:   "audit [FILE]",
		Short: "Say which servers deserve a look: lost locks, ignored lists, exposed secrets",
		Long: `Lists every server with its state in words, then findings and notes. A finding
ends the command with 1, a note does so only with --strict.
Findings: a restriction that is held or was lost (by the file's git history, the
backups beside it, the schema cache of Hermes Agent), an entry that cannot be
read, a list without effect, a name written twice, secrets in a file that others
can read, variables that load code into any program, entries shaped like an
attack. Notes: open servers, patterns that match nothing, destructive tools that
run without a question, slips of the pen, packages without a version.
FILE audits another configuration alone, without the home's ledger, as a review
in CI needs it. Nothing is started and nothing is written but --sarif=FILE: a new
file, or in place of an earlier report.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{err: errors.New("give at most one file"), command: cmd.CommandPath()}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			audit, err := a.runAudit(cmd.Context(), args, strict)
			if err != nil {
				return err
			}
			if err := a.showAudit(audit, desk.Output{Path: sarif, Read: args, Again: desk.IsReport, Force: force}); err != nil {
				return err
			}
			if !audit.OK {
				return exitCode(ExitFailed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "notes are findings, too")
	cmd.Flags().StringVar(&sarif, "sarif", "", "write SARIF 2.1.0 to this file, or to standard output without one (--sarif=FILE)")
	cmd.Flags().BoolVar(&force, "force", false, "replace the file of --sarif also where it is no report")
	cmd.Flags().Lookup("sarif").NoOptDefVal = "-"
	return cmd
}

// runAudit opens a home only where no file is named: a review in CI has none.
func (a *app) runAudit(ctx context.Context, args []string, strict bool) (view.Audit, error) {
	if len(args) == 1 {
		return desk.AuditFile(ctx, args[0], strict)
	}
	d, err := a.open()
	if err != nil {
		return view.Audit{}, err
	}
	return d.Audit(ctx, strict)
}

func (a *app) showAudit(audit view.Audit, sarif desk.Output) error {
	if sarif.Path != "" {
		base, err := os.Getwd()
		if err != nil {
			base = ""
		}
		if sarif.Data, err = desk.SARIF(audit, a.env.Version, base); err != nil {
			return err
		}
		if sarif.Path == "-" {
			_, err := a.out.out.Write(sarif.Data)
			return err
		}
		sarif.Read = append(sarif.Read, audit.Config.Path)
		if err := a.writeResult(sarif); err != nil {
			return err
		}
	}
	if a.out.json {
		return a.out.value(audit)
	}
	a.printAudit(audit)
	return nil
}

// unread tells that the file could not be read, so that no server is known.
func unread(p view.AuditItem) bool { return p.Code == "file.broken" }

func (a *app) printAudit(audit view.Audit) {
	rows := make([][]string, 0, len(audit.Servers))
	for _, s := range audit.Servers {
		rows = append(rows, []string{printable(s.Name), printable(s.Words.Text), string(s.Status), printable(shorten(s.Target, 48))})
	}
	if len(rows) > 0 {
		a.out.line("")
		a.out.table([]int{16, 18, 9, 0}, []string{"Name", "Tools", "Status", "Starts"}, rows)
		a.out.line("")
	} else if !slices.ContainsFunc(audit.Findings, unread) {
		a.out.line("No MCP servers configured in %s.", printable(audit.Config.Path))
	}
	a.printItems("Findings", "✗", audit.Findings)
	a.printItems("Notes", "·", audit.Notes)
	for _, text := range audit.Unchecked {
		a.out.note("not checked: %s", printable(text))
	}
	if audit.OK {
		a.out.line("No findings.")
	}
}

func (a *app) printItems(title, mark string, items []view.AuditItem) {
	if len(items) == 0 {
		return
	}
	a.out.line("%s:", title)
	for _, item := range items {
		text := item.Message
		if item.Server != "" {
			text = item.Server + ": " + text
		}
		a.out.line("  %s %s", mark, printable(text))
		where := []string{}
		if at := place(item.File, item.Line, item.Column); at != "" {
			where = append(where, "at "+at)
		}
		if item.Hint != "" {
			where = append(where, item.Hint)
		}
		if len(where) > 0 {
			a.out.line("      %s", printable(strings.Join(where, "; ")))
		}
	}
	a.out.line("")
}
