package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

const importLong = `Takes servers over from another program by what its rules mean there: an empty
list of tools is "all" for some and "none" for others. Shows what would be
written, with a note for every server, and asks. New servers are not trusted;
secrets go into .env; a server that is there already is left alone.

Without an argument it lists the files it knows of, and reads none.`

type importFlags struct {
	from                        string
	servers                     []string
	yes, overwrite, rename, dry bool
}

func (a *app) mcpImport() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import [HOST|FILE|-]",
		Short: "Take servers over from another program",
		Long:  importLong,
		Example: `  hermes mcp import
  hermes mcp import claude --dry-run
  hermes mcp import .cursor/mcp.json --server github
  hermes mcp import - --from json < pasted.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			var err error
			switch {
			case len(args) > 1:
				err = fmt.Errorf("give one host or file, not %d", len(args))
			case f.overwrite && f.rename:
				err = errors.New("give --overwrite or --rename, not both")
			case f.yes && f.dry:
				err = errors.New("give --yes or --dry-run, not both")
			default:
				return nil
			}
			return usageError{err: err, command: cmd.CommandPath()}
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.runImport(cmd, f, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "the program whose format it is: "+strings.Join(desk.TransferHosts(), ", "))
	flags.StringArrayVar(&f.servers, "server", nil, "take this server only; may be repeated")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace how a server that is there is reached, and keep its rules")
	flags.BoolVar(&f.rename, "rename", false, "give a server another name where its own is taken")
	flags.BoolVar(&f.dry, "dry-run", false, "show what would be written, and write nothing")
	return cmd
}

func (a *app) runImport(cmd *cobra.Command, f importFlags, args []string) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	request, err := a.importRequest(f, args)
	if err != nil {
		return err
	}
	if request.From == "" && request.File == "" && request.Text == "" {
		return a.importSources(d)
	}
	plan, err := d.Import(request)
	if err != nil {
		return err
	}
	preview := plan.Preview()
	code := importCode(preview, f.servers)
	if !a.out.json {
		a.printImport(preview)
	}
	if f.dry || plan.Ready() == 0 {
		return a.importEnd(view.ImportResult{Preview: preview, Revision: preview.Revision, Written: []string{}}, f.dry, code)
	}
	if !f.yes {
		t := a.terminal(false)
		// What is piped in is the file, not the answer.
		if slices.Contains(args, "-") || !t.Interactive() {
			return a.noTerminal("hermes mcp import", "repeat it with --yes to write what is shown, or with --dry-run to look only")
		}
		ok, err := t.Confirm(cmd.Context(), fmt.Sprintf("Write %d server(s) to %s?", plan.Ready(), preview.Path), false)
		switch {
		case errors.Is(err, context.Canceled):
			a.out.note("Nothing was written.")
			return err
		case err != nil:
			return a.left(err, "Nothing was written.", ExitFailed)
		case !ok:
			a.out.note("Nothing was written.")
			return exitCode(ExitFailed)
		}
	}
	result, err := plan.Save(cmd.Context())
	if err != nil {
		return err
	}
	return a.importEnd(result, false, code)
}

// importRequest reads the argument: a host's name, a file, or standard input.
func (a *app) importRequest(f importFlags, args []string) (view.ImportRequest, error) {
	q := view.ImportRequest{From: f.from, Servers: f.servers, Overwrite: f.overwrite, Rename: f.rename}
	if len(args) == 0 {
		return q, nil
	}
	switch name := args[0]; {
	case name == "-":
		const most = 32 << 20
		data, err := io.ReadAll(io.LimitReader(a.env.Stdin, most))
		if err != nil {
			return q, fmt.Errorf("read standard input: %w", err)
		}
		if q.Text = string(data); strings.TrimSpace(q.Text) == "" {
			return q, desk.Fail(view.Error{Code: "failed", Message: "standard input is empty", Hint: "pipe the text of a configuration into it"}, nil)
		}
	case f.from == "" && slices.Contains(desk.TransferHosts(), name) && !isThere(name):
		q.From = name
	default:
		q.File = name
	}
	return q, nil
}

func isThere(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func (a *app) importSources(d *desk.Desk) error {
	sources, err := d.ImportSources()
	if err != nil {
		return err
	}
	if a.out.json {
		return a.out.value(sources)
	}
	if len(sources.Found) == 0 {
		a.out.line("No file of another program is found.")
		a.out.line("Name one: hermes mcp import FILE")
		return nil
	}
	rows := make([][]string, 0, len(sources.Found))
	for _, s := range sources.Found {
		rows = append(rows, []string{s.Host, s.Title, printable(s.File)})
	}
	a.out.table([]int{12, 16, 0}, []string{"Host", "Program", "File"}, rows)
	a.out.line("")
	a.out.line("None of them was read. Look at one: hermes mcp import %s --dry-run", sources.Found[0].Host)
	return nil
}

// importCode is 1 when something that was asked for is not taken over. A server
// that is there already is no failure unless it was named.
func importCode(p view.ImportPreview, named []string) int {
	for _, s := range p.Servers {
		if s.Action == view.ImportRefuse || s.Action == view.ImportSkip && slices.Contains(named, s.Name) {
			return ExitFailed
		}
	}
	return ExitOK
}

func (a *app) printImport(p view.ImportPreview) {
	from := p.File
	if from == "" {
		from = "standard input"
	}
	a.out.line("From %s (%s) to %s", printable(from), p.Title, printable(p.Path))
	a.out.problems(p.Problems)
	if len(p.Servers) == 0 {
		a.out.line("It holds no servers.")
	}
	for _, s := range p.Servers {
		a.out.line("")
		a.printImported(s)
	}
	a.out.line("")
}

func (a *app) printImported(s view.ImportServer) {
	name := printable(s.Name)
	if s.As != s.Name {
		name += " as " + printable(s.As)
	}
	switch s.Action {
	case view.ImportRefuse:
		a.out.line("✗ %s: refused: %s", name, printable(s.Reason))
		return
	case view.ImportSkip:
		a.out.line("- %s: skipped: %s", name, printable(s.Reason))
		return
	case view.ImportOverwrite:
		a.out.line("~ %s: overwritten", name)
	default:
		a.out.line("+ %s", name)
	}
	a.out.line("    there:  %s", printable(s.Meaning))
	here := s.Rules.Text
	if s.Untrusted {
		here += ", untrusted"
	}
	if !s.Enabled {
		here += ", switched off"
	}
	a.out.line("    here:   %s", printable(here))
	for _, note := range s.Notes {
		a.out.line("    note:   %s", printable(note))
	}
	for _, line := range strings.Split(s.Entry, "\n") {
		a.out.line("      %s", printable(line))
	}
}

func (a *app) importEnd(result view.ImportResult, dry bool, code int) error {
	if a.out.json {
		if err := a.out.value(result); err != nil {
			return err
		}
		return exitCode(code)
	}
	switch {
	case dry:
		a.out.line("Nothing was written: this was a dry run.")
	case result.Saved:
		a.out.line("Saved %d server(s) to %s: %s", len(result.Written), printable(result.Preview.Path), printable(strings.Join(result.Written, ", ")))
	default:
		a.out.line("Nothing to write.")
	}
	return exitCode(code)
}
