package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hermes/backend/terminal"
	"hermes/backend/view"
)

func (a *app) mcpPicker() *cobra.Command {
	var options pickOptions
	cmd := &cobra.Command{
		Use:   "picker",
		Short: "Choose a server of the catalogue or the file, and what to do with it",
		Long:  "Shows the servers that can be installed and those of the file, and does what you choose for one. Without a terminal it prints the catalogue.",
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.pickCatalog(cmd.Context(), options)
		},
	}
	cmd.Flags().BoolVar(&options.plain, "plain", false, "ask by numbers instead of a full screen")
	return cmd
}

// mcpAlone is `hermes mcp` without a word: the picker, and then the commands.
func (a *app) mcpAlone(cmd *cobra.Command) error {
	err := a.pickCatalog(cmd.Context(), pickOptions{})
	if !a.out.json {
		a.out.line("")
		a.out.line("Commands:")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				a.out.line("  %-22s %s", sub.CommandPath(), sub.Short)
			}
		}
	}
	return err
}

func (a *app) pickCatalog(ctx context.Context, options pickOptions) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	known, err := d.Catalog()
	if err != nil {
		return err
	}
	t := a.terminal(options.plain)
	if a.out.json {
		if err := a.out.value(known); err != nil {
			return err
		}
		return exitCode(listCode(known.Config))
	}
	if code := listCode(known.Config); !t.Interactive() || code != ExitOK || len(known.Rows) == 0 {
		a.printCatalog(known)
		return exitCode(code)
	}
	picker := terminal.Picker{Title: "MCP Catalog + configured servers"}
	for _, row := range known.Rows {
		picker.Rows = append(picker.Rows, terminal.Row{
			Name: fmt.Sprintf("%-18s %-22s", printable(row.Name), row.StatusText), Description: printable(row.Description)})
	}
	i, err := t.Choose(ctx, picker)
	if err != nil {
		return a.left(err, "Nothing was chosen.", ExitOK)
	}
	return a.act(ctx, t, known.Rows[i], options)
}

// deed is one thing that can be done with a server.
type deed struct {
	name string
	run  func(ctx context.Context, server string, options pickOptions) error
}

func (a *app) deeds(row view.CatalogRow) []deed {
	configure := deed{"configure: choose its tools", a.configure}
	remove := deed{"remove it from the file", func(ctx context.Context, server string, _ pickOptions) error { return a.remove(ctx, server, false) }}
	enable := deed{"enable", func(ctx context.Context, server string, _ pickOptions) error { return a.enable(ctx, server, true) }}
	disable := deed{"disable", func(ctx context.Context, server string, _ pickOptions) error { return a.enable(ctx, server, false) }}
	switch row.Status {
	case view.CatalogAvailable:
		return []deed{{"install", a.installFirst}}
	case view.CatalogDisabled:
		return []deed{enable}
	case view.CatalogCustomEnabled:
		return []deed{configure, disable, remove}
	case view.CatalogCustomDisabled:
		return []deed{configure, enable, remove}
	case view.CatalogEnabled:
		remove.name = "uninstall (values in .env stay)"
		return []deed{configure, disable, remove, {"install again: your rules stay", func(ctx context.Context, server string, _ pickOptions) error {
			return a.install(ctx, view.InstallRequest{Name: server, Values: map[string]string{}})
		}}}
	}
	return nil
}

// act does the one thing there is to do, or asks which.
func (a *app) act(ctx context.Context, t *terminal.Terminal, row view.CatalogRow, options pickOptions) error {
	deeds := a.deeds(row)
	choice := 0
	if len(deeds) > 1 {
		picker := terminal.Picker{Title: printable(row.Name) + ": " + row.StatusText}
		for _, deed := range deeds {
			picker.Rows = append(picker.Rows, terminal.Row{Name: deed.name})
		}
		var err error
		if choice, err = t.Choose(ctx, picker); err != nil {
			return a.left(err, "Nothing was chosen.", ExitOK)
		}
	}
	return deeds[choice].run(ctx, row.Name, options)
}

func (a *app) enable(ctx context.Context, server string, on bool) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	result, err := d.Enable(ctx, server, on)
	if err != nil {
		return err
	}
	word := "disabled"
	if on {
		word = "enabled"
	}
	a.out.line("✓ '%s' is %s (%s)", printable(server), word, printable(result.After.Text))
	return nil
}

// installFirst installs and then offers to choose the tools.
func (a *app) installFirst(ctx context.Context, server string, options pickOptions) error {
	if err := a.install(ctx, view.InstallRequest{Name: server, Values: map[string]string{}}); err != nil {
		return err
	}
	yes, err := a.terminal(options.plain).Confirm(ctx, "Choose its tools now?", false)
	if err != nil {
		return a.left(err, "The tools stay as installed.", ExitOK)
	}
	if !yes {
		return nil
	}
	return a.configure(ctx, server, options)
}
