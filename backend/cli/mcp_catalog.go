package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/terminal"
	"hermes/backend/view"
)

func (a *app) mcpCatalog() *cobra.Command {
	return &cobra.Command{
		Use:   "catalog",
		Short: "List the servers that can be installed by name",
		Long: `Lists the servers that can be installed by name, and the other servers of the file. Connects to nothing.

Beside the program's own, manifests are read from the folder catalog of the Hermes home and from the folders that
HERMES_OPTIONAL_MCPS names. Those are labelled with their folder, and cannot take the name of one of the program's own.`,
		Args: exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			known, err := d.Catalog()
			if err != nil {
				return err
			}
			if a.out.json {
				if err := a.out.value(known); err != nil {
					return err
				}
				return exitCode(listCode(known.Config))
			}
			a.printCatalog(known)
			return exitCode(listCode(known.Config))
		},
	}
}

func (a *app) printCatalog(known view.Catalog) {
	a.out.problems(known.Config.Problems)
	if len(known.Rows) == 0 {
		a.out.line("No MCPs in the catalog or configured.")
	} else {
		rows := make([][]string, 0, len(known.Rows))
		for _, row := range known.Rows {
			description := row.Description
			if row.Outside {
				description = "(origin: " + row.Origin + ") " + description
			}
			rows = append(rows, []string{printable(row.Name), row.StatusText, printable(description)})
		}
		a.out.line("")
		a.out.line("  MCP Catalog + configured servers:")
		a.out.line("")
		a.out.table([]int{18, 24, 0}, []string{"Name", "Status", "Description"}, rows)
		a.out.line("")
		a.out.line("  Install: hermes mcp install <name>    Picker: hermes mcp")
	}
	for _, p := range known.Problems {
		at := place(p.File, p.Line, 0)
		if p.Kind == "future_manifest" {
			a.out.note("⚠ '%s' requires a newer Hermes — update Hermes to install it (%s)", printable(p.Name), printable(at))
			continue
		}
		a.out.note("⚠ '%s' is not offered: %s (%s)", printable(p.Name), printable(p.Message), printable(at))
		if p.Hint != "" {
			a.out.note("  %s", printable(p.Hint))
		}
	}
}

// installOptions are the flags of `mcp install`.
type installOptions struct {
	env                []string
	yes, skipIntegrity bool
}

func (a *app) mcpInstall() *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use:   "install NAME",
		Short: "Install a server of the catalogue",
		Long: `Installs a server of the catalogue: its package's hash is compared with the one the catalogue was written for, values it
needs are kept in .env, and the entry in config.yaml refers to them. A new server is not trusted and begins with the
reading tools of its manifest, or locked. Installing again renews how the server is started and keeps your rules, trust,
time limits and other keys.`,
		Args: exactly(1, "the name of one server, see hermes mcp catalog"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := view.InstallRequest{Name: args[0], Values: map[string]string{}, Confirmed: o.yes, SkipIntegrity: o.skipIntegrity}
			for _, pair := range o.env {
				name, value, ok := strings.Cut(pair, "=")
				if !ok && isVariableName(name) {
					request.Existing = append(request.Existing, name)
					continue
				}
				if name == "" || !ok {
					// The text itself may be a secret.
					return usageError{command: cmd.CommandPath(), err: errors.New("--env needs NAME=VALUE")}
				}
				request.Values[name] = value
			}
			return a.install(cmd.Context(), request)
		},
	}
	cmd.Flags().StringArrayVar(&o.env, "env", nil, "`NAME=VALUE` that the server needs, kept in .env; NAME alone hands over the value that is set; may be given several times")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "install without asking, also what comes from a folder or runs commands")
	cmd.Flags().BoolVar(&o.skipIntegrity, "skip-integrity", false, "accept a package whose hash cannot be compared; one that differs is still refused")
	return cmd
}

func (a *app) install(ctx context.Context, request view.InstallRequest) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	plan, err := d.InstallPlan(request)
	if err != nil {
		return err
	}
	if !a.out.json {
		a.printPlan(plan)
	}
	if t := a.terminal(true); t.Interactive() && !a.out.json {
		agreed, err := a.askInstall(ctx, t, d, &request, plan)
		if err != nil {
			return a.left(err, nothingWritten, ExitFailed)
		}
		if !agreed {
			a.out.note("%s", nothingWritten)
			return exitCode(ExitFailed)
		}
	}
	done, err := d.Install(ctx, request, a.env.Stderr)
	if err != nil {
		return err
	}
	if a.out.json {
		return a.out.value(done)
	}
	a.printInstalled(done)
	return nil
}

// isVariableName tells NAME, which stands for the value that is there, from
// something that may be a secret.
func isVariableName(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" && strings.Contains(s, "_")
}

// printPlan shows what is about to be installed and what it would run.
func (a *app) printPlan(plan view.InstallPlan) {
	row := plan.Row
	a.out.line("%s: %s", printable(row.Name), printable(row.Description))
	if row.Source != "" {
		a.out.line("  source: %s", printable(row.Source))
	}
	a.out.line("  origin: %s", printable(row.Origin))
	for _, command := range row.Commands {
		a.out.line("  runs:   %s", printable(command))
	}
	for _, p := range plan.Unhashed {
		a.out.note("⚠ the manifest has no hash for %s, so it cannot be checked", printable(p))
	}
	for _, name := range plan.HandsOver {
		a.out.note("⚠ %s, which is set already, will be handed to this program", printable(name))
	}
	if plan.Replaces != "" {
		a.out.note("⚠ the entry '%s' is there and starts something else: %s", printable(row.Name), printable(plan.Replaces))
	}
}

// askInstall asks for the values that are missing and, where it matters, for
// agreement. The values are not shown while they are typed unless the manifest
// says that they are no secrets.
func (a *app) askInstall(ctx context.Context, t *terminal.Terminal, d *desk.Desk, request *view.InstallRequest, plan view.InstallPlan) (bool, error) {
	for _, v := range plan.Row.Variables {
		if _, given := request.Values[v.Name]; given {
			continue
		}
		if v.Set {
			a.out.line("  ✓ %s already set", v.Name)
			continue
		}
		question := fmt.Sprintf("  %s (%s)", v.Name, printable(v.Prompt))
		var value string
		var err error
		if v.Secret {
			value, err = t.Secret(ctx, question)
		} else {
			value, err = t.Text(ctx, question, printable(v.Default))
		}
		if err != nil {
			return false, err
		}
		if value != "" {
			request.Values[v.Name] = value
		}
	}
	if !plan.Confirm || request.Confirmed {
		return true, nil
	}
	now, err := d.InstallPlan(*request)
	if err != nil || len(now.Missing) > 0 {
		// The install itself says what is missing.
		return err == nil, err
	}
	yes, err := t.Confirm(ctx, "Install it?", false)
	request.Confirmed = yes
	if yes {
		// The plan named them above the question.
		request.Existing = append(request.Existing, plan.HandsOver...)
	}
	return yes, err
}

func (a *app) printInstalled(done view.Installed) {
	name := printable(done.Server)
	for _, p := range done.Checked {
		a.out.line("  ✓ integrity of %s", printable(p))
	}
	for _, note := range done.Notes {
		a.out.line("  %s", printable(note))
	}
	if len(done.Variables) > 0 {
		a.out.line("  %s kept in .env", strings.Join(done.Variables, ", "))
	}
	a.out.line("  Saved '%s' to %s (%s)", name, printable(done.Path), printable(done.Rules.Text))
	state := "enabled"
	if !done.Enabled {
		state = "disabled"
	}
	a.out.line("✓ Installed '%s' (%s).", name, state)
	switch {
	case done.LookError != "":
		a.out.note("⚠ could not look at it: %s", printable(done.LookError))
		a.out.note("  try again: hermes mcp test %s", name)
	case done.Live.Known:
		a.out.line("  Connected: %s of its tools are on; choose with: hermes mcp configure %s", count(done.Live), name)
		if len(done.Live.Unmatched) > 0 {
			a.out.note("  it does not offer now: %s", printable(strings.Join(done.Live.Unmatched, ", ")))
		}
	}
	a.out.problems(done.Problems)
	if done.PostNotice != "" {
		a.out.line("")
		a.out.line("%s", passage(done.PostNotice))
	}
}
