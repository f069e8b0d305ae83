package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

func (a *app) tools() *cobra.Command {
	var options pickOptions
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List tools and turn them on and off",
		Long:  "In a terminal this is a picker over the tools of every enabled server; elsewhere it prints this help.",
		Args:  noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if t := a.terminal(options.plain); t.Interactive() {
				return a.pickServers(cmd.Context(), t, options)
			}
			return cmd.Help()
		},
	}
	options.flags(cmd)
	cmd.AddCommand(a.toolsList(), a.toolsSet("enable", true), a.toolsSet("disable", false))
	return cmd
}

func (a *app) toolsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the rules of every server and the tools they name",
		Args:  exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			list, err := d.ToolsList()
			if err != nil {
				return err
			}
			if a.out.json {
				if err := a.out.value(list); err != nil {
					return err
				}
				return exitCode(listCode(list.Config))
			}
			a.out.problems(list.Config.Problems)
			if len(list.Servers) == 0 && list.Connectors == nil {
				if listCode(list.Config) == ExitOK {
					a.out.line("No MCP servers configured.")
				}
				return exitCode(listCode(list.Config))
			}
			if len(list.Servers) > 0 {
				a.out.line("MCP servers:")
			}
			for _, row := range list.Servers {
				text := row.Rules.Row.Text
				if row.Live.Known {
					text += "  " + count(row.Live) + changedCell(row.Live)
				}
				a.out.line("  %s  %s", printable(row.Server), printable(text))
				a.out.problems(row.Rules.Problems)
				a.out.hold(row.Server, row.Rules.Hold)
				a.out.granted(row.Grants)
			}
			a.out.connectors(list.Connectors)
			return exitCode(listCode(list.Config))
		},
	}
}

// granted shows what was said yes to for more than one call, below its server.
func (p *printer) granted(grants []view.Grant) {
	for _, g := range grants {
		text := "always allowed"
		if g.Scope == "session" {
			text = "allowed in session " + g.Session
		}
		if g.Void != "" {
			text += ", void: " + g.Void
		}
		p.line("    %s: %s (take it back with `hermes mcp grants revoke %d`)", printable(g.Tool), printable(text), g.ID)
	}
}

// connectors shows what is behind the connectors gateway; nil for none.
func (p *printer) connectors(c *view.Connectors) {
	if c == nil {
		return
	}
	text := "called after a person's yes, `trust: untrusted`"
	switch {
	case !c.Called:
		text = "not called: " + c.Reason
	case c.Trusted:
		text = "called, `trust: full`"
	}
	p.line("Connectors:")
	p.line("  %s  %s (%s)", printable(cmp.Or(c.Gateway, "connectors.url")), printable(text), printable(place(c.File, c.Line, 0)))
	p.granted(c.Grants)
}

func count(live view.Live) string { return fmt.Sprintf("%d/%d", live.Allowed, live.Total) }

// toolLine is one tool as people read it: whether it may be called, its name
// and the start of its description.
func toolLine(tool view.Tool) string {
	mark := "✗"
	if tool.Allowed {
		mark = "✓"
	}
	if tool.Changed {
		mark = "⚠"
	}
	description, _, _ := strings.Cut(tool.Description, "\n")
	return fmt.Sprintf("%s %-36s %s", mark, printable(tool.Name), printable(shorten(strings.TrimSpace(description), 58)))
}

// toolsSet is `tools enable` and `tools disable`. Every server is looked up
// before the first write; an edit that is refused ends the run and says what
// was written before it.
func (a *app) toolsSet(verb string, on bool) *cobra.Command {
	var expand bool
	cmd := &cobra.Command{
		Use:   verb + " SERVER:TOOL ...",
		Short: strings.ToUpper(verb[:1]) + verb[1:] + " tools by name",
		Args:  atLeast(1, "at least one SERVER:TOOL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			edits := make([]view.ToolEdit, 0, len(args))
			for _, arg := range args {
				server, tool, ok := strings.Cut(arg, ":")
				if !ok || server == "" || tool == "" {
					return usageError{command: cmd.CommandPath(), err: errors.New(quote(arg) + " is not SERVER:TOOL")}
				}
				edits = append(edits, view.ToolEdit{Server: server, Tool: tool, On: on, Expand: expand})
			}
			// Nothing is written while a target is unknown.
			for _, edit := range edits {
				if _, err := d.Server(edit.Server); err != nil {
					return err
				}
			}
			results := []view.EditResult{}
			for _, edit := range edits {
				result, err := d.SetTool(edit)
				if err != nil {
					return a.afterSome(results, err)
				}
				results = append(results, result)
				if !a.out.json {
					a.printEdit(result)
				}
			}
			if a.out.json {
				return a.out.value(results)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&expand, "expand", false, "replace a glob that holds the tool by the known tools it matches")
	return cmd
}

// afterSome is the error of an edit with the word that earlier ones of the same
// command were written.
func (a *app) afterSome(results []view.EditResult, err error) error {
	written := []string{}
	for _, result := range results {
		if result.Changed {
			written = append(written, result.Server+" ("+result.Before.Text+" → "+result.After.Text+")")
		}
	}
	if len(written) == 0 {
		return err
	}
	shown := desk.ErrorView(err)
	shown.Hint = strings.TrimPrefix(shown.Hint+"; written before this: "+strings.Join(written, ", "), "; ")
	return desk.Fail(shown, err)
}
