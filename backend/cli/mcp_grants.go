package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/view"
)

func (a *app) mcpGrants() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "grants",
		Short: "List the tools you said yes to for a chat or for good",
		Long: `Lists what was answered with "session" or "always" where a call needed a person.
A grant is for one tool of one server, as the server described it then; it lets
nothing through that the rules, ` + "`approvals.deny`" + ` or a changed program forbid. It
ends for good, and is not listed any more, once a Hermes saw its tool locked,
excluded or denied, its server disabled or removed, or the tool described in
another way: opening it again asks again.`,
		Args: noCommand,
		RunE: func(*cobra.Command, []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			grants, err := d.Grants()
			if err != nil {
				return err
			}
			return a.printGrants(grants)
		},
	}
	cmd.AddCommand(a.mcpRevoke())
	return cmd
}

func (a *app) mcpRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID ...",
		Short: "Take grants back: the next call asks again",
		Long: `Takes back the grants of these numbers, all or none. It is refused in a program
that one of the servers started.`,
		Args: atLeast(1, "the number of a grant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids := make([]int64, len(args))
			for i, arg := range args {
				id, err := strconv.ParseInt(arg, 10, 64)
				if err != nil || id < 1 {
					return usageError{command: cmd.CommandPath(), err: fmt.Errorf("%q is not the number of a grant", printable(arg))}
				}
				ids[i] = id
			}
			d, err := a.open()
			if err != nil {
				return err
			}
			left, err := d.RevokeGrant(ids)
			if err != nil {
				return err
			}
			return a.printGrants(left)
		},
	}
}

func (a *app) printGrants(grants view.Grants) error {
	if a.out.json {
		return a.out.value(grants)
	}
	if len(grants.Grants) == 0 {
		a.out.line("Nothing is granted: every call that needs a person asks.")
		return nil
	}
	rows := make([][]string, len(grants.Grants))
	for i, g := range grants.Grants {
		scope := g.Scope
		if g.Scope == "session" {
			scope += " " + g.Session
		}
		holds := "yes"
		if g.Void != "" {
			holds = "no: " + g.Void
		}
		rows[i] = []string{strconv.FormatInt(g.ID, 10), printable(g.Server + "/" + g.Tool), printable(scope), printable(strings.Join(g.Why, ", ")), printable(g.Given), printable(holds)}
	}
	a.out.table([]int{2, 10, 7, 9, 20, 5}, []string{"ID", "Tool", "For", "Asked for", "Given", "Holds"}, rows)
	a.out.line("")
	a.out.line("Take one back with: hermes mcp grants revoke ID")
	return nil
}
