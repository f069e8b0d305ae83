package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

func (a *app) mcpRestore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore NAME",
		Short: "Write a deleted filter of a held server back into the file",
		Long: `Writes the keys back that are gone from the file and that Hermes still holds, so
that the file says again what is in force. Where one of them stands there again
with what somebody wrote since, nothing is written over. The other ways out of a hold are
` + "`hermes mcp open NAME`" + `, which accepts the file, and ` + "`hermes mcp lock NAME`" + `.`,
		Args: exactly(1, "the name of one server"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.edit(func(d *desk.Desk) (view.EditResult, error) {
				return d.Restore(view.ServerEdit{Server: args[0]})
			})
		},
	}
}

// hold says on stderr what is held of a server against the file.
func (p *printer) hold(server string, hold *view.Hold) {
	if hold == nil {
		return
	}
	name, ways := printable(server), strings.Join(hold.Ways, "|")
	switch {
	case hold.Waits:
		p.note("%s: the file was changed while an agent was at work, and what that opens waits; hermes mcp reload takes it once the agent is done - hermes mcp %s %s", name, ways, name)
		return
	case len(hold.Present) > 0:
		gone := ""
		if len(hold.Keys) > 0 {
			gone = " and " + strings.Join(hold.Keys, ", ") + " is gone"
		}
		p.note("%s: the file says %s now%s; Hermes still holds %s, since %s - hermes mcp %s %s", name,
			printable(strings.Join(hold.Present, ", ")), gone, printable(strings.Join(hold.Texts, ", ")), hold.Since, ways, name)
		return
	}
	p.note("%s: the file opens it, Hermes still holds it, since %s (was: %s) - hermes mcp %s %s", name, hold.Since, hold.Was, ways, name)
}

// notice tells what a change from outside opened while the program runs.
func (a *app) notice(p view.Problem) {
	if p.Severity == "error" || p.Code == "watch.deaf" {
		// The file is not in force, or not heard: where, and what to do.
		a.out.problems([]view.Problem{p})
		return
	}
	a.out.note("%s", printable(p.Message))
	if p.Code == "config.waits" && p.Hint != "" {
		a.out.note("  %s", printable(p.Hint))
	}
}
