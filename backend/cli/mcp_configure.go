package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/terminal"
	"hermes/backend/view"
)

const nothingWritten = "Cancelled. Nothing was written."

// pickOptions are the flags of every command with a picker.
type pickOptions struct{ plain, expand bool }

func (o *pickOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.plain, "plain", false, "ask by numbers instead of a full screen")
	cmd.Flags().BoolVar(&o.expand, "expand", false, "let a tool that a glob holds be changed: the glob is replaced by the known tools it matches")
}

func (a *app) mcpConfigure() *cobra.Command {
	var options pickOptions
	cmd := &cobra.Command{
		Use:     "configure NAME",
		Aliases: []string{"config"},
		Short:   "Choose the tools of one server in a picker",
		Long: `Connects to one server, shows its tools with what is on now, and writes what you confirm as one edit.

Leaving the picker with ESC writes nothing, and so does confirming without a change. A whitelist stays a whitelist, also
with every tool on: ` + "`hermes mcp open NAME`" + ` opens a server. Under no filter or a blacklist the last row locks the server to
exactly the selection.`,
		Args: exactly(1, "the name of one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.configure(cmd.Context(), args[0], options)
		},
	}
	options.flags(cmd)
	return cmd
}

func (a *app) configure(ctx context.Context, name string, options pickOptions) error {
	t := a.terminal(options.plain)
	if !t.Interactive() {
		return a.noTerminal("hermes mcp configure", "without one, type: hermes tools enable|disable NAME:TOOL, or hermes mcp lock|open NAME")
	}
	d, err := a.open()
	if err != nil {
		return err
	}
	detail, err := d.Server(name)
	if err != nil {
		return err
	}
	if detail.Server.Tools.State == stateInvalid {
		return a.unpickable(d, detail.Server)
	}
	a.say("Connecting to '%s'...", printable(name))
	if detail, err = d.LookContext(ctx, name); err != nil {
		return err
	}
	if detail.Server.Tools.State == stateInvalid {
		return a.unpickable(d, detail.Server)
	}
	if len(detail.Tools) == 0 {
		a.say("'%s' offers no tools, so there is nothing to choose.", printable(name))
		return nil
	}
	a.say("Currently %s tools enabled for '%s'.", count(detail.Server.Live), printable(name))
	a.out.hold(name, detail.Server.Tools.Hold)
	selection, changed, err := pickTools(ctx, t, detail, options.expand)
	if err != nil {
		return a.left(err, nothingWritten, ExitOK)
	}
	if !changed {
		a.say("No changes made.")
		return nil
	}
	result, err := d.Select(selection)
	if err != nil {
		return err
	}
	if a.out.json {
		return a.out.value(result)
	}
	a.printEdit(result)
	if now, err := d.Server(name); err == nil {
		a.out.line("Updated config: %s tools enabled", count(now.Server.Live))
	}
	return nil
}

// say prints a line of a conversation; with --json there is none on standard
// output.
func (a *app) say(format string, args ...any) {
	if a.out.json {
		a.out.note(format, args...)
		return
	}
	a.out.line(format, args...)
}

// The words of a server's state that the picker branches on.
const (
	stateInvalid = "invalid"
	stateOnly    = "only"
)

// unpickable says why the picker does not open and what to write first.
func (a *app) unpickable(d *desk.Desk, server view.Server) error {
	shown := view.Error{Code: "refused", Message: "the tools of '" + server.Name + "' cannot be chosen: " + server.Tools.Panel.Text,
		File: d.Paths().Config, Line: server.Line}
	for _, problem := range slices.Concat(server.Tools.Problems, server.Problems) {
		if problem.Severity == view.SeverityError {
			shown.Message = "the tools of '" + server.Name + "' cannot be chosen: " + problem.Message
			shown.Hint, shown.Line, shown.Column = problem.Hint, problem.Line, problem.Column
			break
		}
	}
	return desk.Fail(shown, nil)
}

// pickTools lets a person choose among a server's tools. What is ticked at
// first is what the policy allows now.
func pickTools(ctx context.Context, t *terminal.Terminal, detail view.ServerDetail, expand bool) (view.Selection, bool, error) {
	rules := detail.Server.Tools
	picker := terminal.Picker{Title: "Select tools for '" + printable(detail.Server.Name) + "'"}
	for _, tool := range detail.Tools {
		row := toolRow(tool, expand)
		if rules.Held && !tool.Allowed {
			ways := "open|lock"
			if rules.Hold != nil {
				ways = strings.Join(rules.Hold.Ways, "|")
			}
			row.Held = "still held off; ways out: hermes mcp " + ways + " " + printable(detail.Server.Name)
		}
		picker.Rows = append(picker.Rows, row)
	}
	lock := rules.State != stateOnly && !rules.Held
	if lock {
		picker.Rows = append(picker.Rows, terminal.Row{Name: "Lock to exactly this selection", Description: "tools that the server adds later stay off", Switch: true})
	}
	selection := view.Selection{Server: detail.Server.Name, On: []string{}, Off: []string{}, Expand: expand, Revision: detail.Revision}
	on, err := t.Pick(ctx, picker)
	if err != nil {
		return selection, false, err
	}
	ticked := []string{}
	for i, tool := range detail.Tools {
		if on[i] {
			ticked = append(ticked, tool.Name)
		}
		switch {
		case on[i] == tool.Allowed:
		case on[i]:
			selection.On = append(selection.On, tool.Name)
		default:
			selection.Off = append(selection.Off, tool.Name)
		}
	}
	changed := len(selection.On)+len(selection.Off) > 0
	// A held server's file does not say what is in force, so only the whole
	// selection can be written.
	if lock && on[len(detail.Tools)] || changed && rules.Held {
		selection.On, selection.Off, selection.LockTo = ticked, []string{}, true
		return selection, true, nil
	}
	return selection, changed, nil
}

func toolRow(tool view.Tool, expand bool) terminal.Row {
	description, _, _ := strings.Cut(strings.TrimSpace(tool.Description), "\n")
	row := terminal.Row{Name: printable(tool.Name), Description: printable(description), On: tool.Allowed}
	if !tool.Seen {
		row.Description = "in the file, not offered now"
	}
	if tool.HeldBy != "" && !expand {
		state := "off"
		if tool.Allowed {
			state = "on"
		}
		row.Held = "held " + state + " by the pattern " + quote(tool.HeldBy) + " (change the pattern, or use --expand)"
	}
	return row
}
