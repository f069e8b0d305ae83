package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

const exportLong = `Writes servers in another program's format, to standard output or into a new
file. What that program cannot say - a lock, a pattern, a value in a variable -
is refused for that server and never written wider; the exit code is 1 then.
Secrets are not written: a variable stays a variable, in the other's syntax.`

func (a *app) mcpExport() *cobra.Command {
	var q view.ExportRequest
	var file string
	var force bool
	cmd := &cobra.Command{
		Use:   "export --to HOST",
		Short: "Write servers in another program's format",
		Long:  exportLong,
		Example: `  hermes mcp export --to codex
  hermes mcp export --to vscode --server github -o .vscode/mcp.json`,
		Args: exactly(0, "no argument; the servers are named with --server"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.To == "" {
				return usageError{err: errors.New("name the program: --to " + strings.Join(desk.TransferHosts(), "|")), command: cmd.CommandPath()}
			}
			return a.runExport(q, file, force)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.To, "to", "", "the program: "+strings.Join(desk.TransferHosts(), ", "))
	flags.StringArrayVar(&q.Servers, "server", nil, "write this server only; may be repeated")
	flags.StringVarP(&file, "output", "o", "", "create this file")
	flags.BoolVar(&force, "force", false, "replace the file")
	flags.BoolVar(&q.DisableLocked, "disable-locked", false, "write a locked server switched off where the program knows that")
	return cmd
}

func (a *app) runExport(q view.ExportRequest, file string, force bool) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	out, err := d.Export(q)
	if err != nil {
		return err
	}
	if file != "" && len(out.Servers) > 0 {
		if err := a.writeResult(desk.Output{Path: file, Data: []byte(out.Text), Force: force}); err != nil {
			return err
		}
	}
	code := ExitOK
	if len(out.Refused) > 0 {
		code = ExitFailed
	}
	if a.out.json {
		if err := a.out.value(out); err != nil {
			return err
		}
		return exitCode(code)
	}
	for _, r := range out.Notes {
		a.out.note("note: %s: %s", printable(r.Server), printable(r.Text))
	}
	for _, r := range out.Refused {
		a.out.note("refused: %s: %s", printable(r.Server), printable(r.Text))
	}
	switch {
	case len(out.Servers) == 0 && len(out.Refused) == 0:
		a.out.note("There are no servers to write.")
	case len(out.Servers) == 0:
		a.out.note("Nothing was written.")
	case file == "":
		fmt.Fprint(a.out.out, out.Text)
	default:
		a.out.line("Wrote %d server(s) to %s", len(out.Servers), printable(file))
	}
	return exitCode(code)
}

// writeResult writes a result into a file that a person named.
func (a *app) writeResult(out desk.Output) error {
	return desk.WriteResult(desk.Options{Profile: a.profile, Getenv: a.env.Getenv}, out)
}
