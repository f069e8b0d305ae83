package cli

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

func (a *app) mcp() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "List, test, lock and open MCP servers",
		Args:  noCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.mcpAlone(cmd) },
	}
	cmd.AddCommand(a.mcpPicker(), a.mcpAdd(), a.mcpRemove(), a.mcpLogin(), a.mcpReauth(), a.mcpList(), a.mcpTest(), a.mcpLock(), a.mcpOpen(), a.mcpRestore(), a.mcpConfigure(), a.mcpCatalog(), a.mcpInstall(), a.mcpWhy(), a.mcpChanges(), a.mcpAccept(), a.mcpGrants(), a.mcpAudit(), a.mcpDiff(), a.mcpReload(), a.mcpGateway(), a.mcpServe(), a.mcpImport(), a.mcpExport())
	return cmd
}

func (a *app) mcpList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the configured servers with their rules in words",
		Long:    "Lists every server of the file with its rules in words. Connects to nothing and starts nothing.",
		Args:    exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			list, err := d.Servers()
			if err != nil {
				return err
			}
			if a.out.json {
				if err := a.out.value(list); err != nil {
					return err
				}
				return exitCode(listCode(list.Config))
			}
			a.printServers(list)
			return exitCode(listCode(list.Config))
		},
	}
}

// listCode is 1 when the file itself could not be read: then everything is
// locked and a script must not take the list for the truth.
func listCode(config view.Config) int {
	for _, problem := range config.Problems {
		if problem.Severity == view.SeverityError {
			return ExitFailed
		}
	}
	return ExitOK
}

func (a *app) printServers(list view.ServerList) {
	if len(list.Servers) == 0 {
		a.out.problems(list.Config.Problems)
		if listCode(list.Config) != ExitOK {
			a.out.line("The file cannot be read, so this command knows no server, and everything is locked for it.")
			return
		}
		a.out.line("No MCP servers configured.")
		a.out.line("Add one under mcp_servers in %s, for example:", list.Config.Path)
		a.out.line("  mcp_servers:")
		a.out.line("    files:")
		a.out.line("      command: npx")
		a.out.line(`      args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/data"]`)
		return
	}
	now, teller := time.Now(), 0
	rows := make([][]string, 0, len(list.Servers))
	for _, s := range list.Servers {
		rows = append(rows, []string{printable(s.Name), printable(shorten(s.Target, 28)), printable(toolsCell(s)), statusCell(s, now)})
		teller = max(teller, s.Connection.Process)
	}
	a.out.line("")
	a.out.line("  MCP Servers:")
	a.out.line("")
	a.out.table([]int{16, 30, 12, 0}, []string{"Name", "Transport", "Tools", "Status"}, rows)
	a.out.line("")
	if teller != 0 {
		a.out.line("  The states are those that the running hermes tells (process %d).", teller)
		a.out.line("")
	}
	a.out.problems(list.Config.Problems)
	for _, s := range list.Servers {
		a.out.problems(s.Problems)
		a.out.problems(s.Tools.Problems)
	}
}

func toolsCell(s view.Server) string {
	if !s.Live.Known {
		return s.Tools.Words
	}
	return s.Tools.Words + " " + count(s.Live) + changedCell(s.Live)
}

func shorten(s string, limit int) string {
	if s == "" {
		return "?"
	}
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return string(runes[:limit-3]) + "..."
}

func (a *app) mcpTest() *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME",
		Short: "Connect to one server and show its tools",
		Long:  "Starts or contacts one server for a look at its tools, also a locked one, and stops it again.",
		Args:  exactly(1, "the name of one server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			if !a.out.json {
				server, err := d.Server(args[0])
				if err != nil {
					return err
				}
				a.out.line("Testing '%s'...", printable(args[0]))
				a.out.line("Transport: %s → %s", strings.Replace(server.Server.Transport, "http", "HTTP", 1), printable(server.Server.Target))
				auth, err := d.Auth(args[0])
				if err != nil {
					return err
				}
				a.out.line("Auth: %s", printable(strings.Join(auth, ", ")))
			}
			began := time.Now()
			detail, err := d.LookContext(cmd.Context(), args[0])
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			if err != nil {
				if !a.out.json {
					a.out.line("Connection failed (%.1fs)", time.Since(began).Seconds())
				}
				return err
			}
			if a.out.json {
				return a.out.value(detail)
			}
			a.out.line("Connected (%dms)", time.Since(began).Milliseconds())
			a.out.printSession(detail.Server.Connection)
			a.out.line("Tools: %s", detail.Server.Tools.Panel.Text)
			a.out.line("Tools discovered: %d", detail.Server.Live.Total)
			for _, tool := range detail.Tools {
				a.out.line("  %s", toolLine(tool))
			}
			a.out.printChanged(detail)
			return nil
		},
	}
}

func (a *app) mcpLock() *cobra.Command {
	return &cobra.Command{
		Use:   "lock NAME",
		Short: "Lock a server: nothing of it can be called",
		Args:  exactly(1, "the name of one server"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.edit(func(d *desk.Desk) (view.EditResult, error) {
				return d.Lock(view.ServerEdit{Server: args[0]})
			})
		},
	}
}

func (a *app) mcpOpen() *cobra.Command {
	return &cobra.Command{
		Use:   "open NAME",
		Short: "Open a server: all tools, also those it adds tomorrow",
		Long:  "Removes the filter of a server, so that every tool it offers may be called, also those it adds tomorrow. Of a server that is held it accepts what the file says, as it stands, and touches nothing. Typing the command is the confirmation.",
		Args:  exactly(1, "the name of one server"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.edit(func(d *desk.Desk) (view.EditResult, error) {
				return d.Open(view.ServerEdit{Server: args[0]})
			})
		},
	}
}

// edit runs one edit and prints what the file says now, read back from it.
func (a *app) edit(run func(*desk.Desk) (view.EditResult, error)) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	result, err := run(d)
	if err != nil {
		return err
	}
	if a.out.json {
		return a.out.value(result)
	}
	a.printEdit(result)
	return nil
}

func (a *app) printEdit(result view.EditResult) {
	name := printable(result.Server)
	if result.Changed {
		a.out.line("%s: %s → %s", name, printable(result.Before.Text), printable(result.After.Text))
	} else {
		a.out.line("%s: %s (no change)", name, printable(result.After.Text))
	}
	for _, warning := range result.Warnings {
		a.out.note("warning: %s", printable(warning))
	}
}

func (a *app) mcpWhy() *cobra.Command {
	return &cobra.Command{
		Use:   "why SERVER TOOL",
		Short: "Say whether a tool may be called, and which line decides",
		Args:  exactly(2, "a server and a tool"),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			why, err := d.Why(args[0], args[1])
			if err != nil {
				return err
			}
			code := ExitFailed
			word := "denied"
			if why.Allowed {
				code, word = ExitOK, "allowed"
			}
			if a.out.json {
				if err := a.out.value(why); err != nil {
					return err
				}
				return exitCode(code)
			}
			a.out.line("%s/%s: %s", printable(why.Server), printable(why.Tool), word)
			a.out.line("  %s", printable(why.Reason))
			if at := place(why.File, why.Line, why.Column); at != "" {
				a.out.line("  at %s", at)
			}
			if why.Anchor != "" {
				a.out.line("  through the anchor &%s", printable(why.Anchor))
			}
			if why.Held {
				a.out.line("  and %s", why.Ledger)
			}
			return exitCode(code)
		},
	}
}

func (a *app) mcpServe() *cobra.Command {
	return &cobra.Command{
		Use:    "serve",
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usageError{command: "hermes mcp", err: errors.New(
				"the conversation server of Hermes Agent is not part of this program; `hermes mcp gateway` offers the allowed tools to an MCP client")}
		},
	}
}
