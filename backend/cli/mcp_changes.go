package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/view"
)

// shownChanges bounds how many tools are shown of a server that is new or changed as
// a whole; --all shows every one.
const shownChanges = 10

func (a *app) mcpChanges() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "changes [NAME]",
		Short: "Show the tools whose definition is not the one you accepted",
		Long: `Shows what servers changed about their tools since you accepted them: names,
descriptions and schemas, line by line, with hidden characters written out. A
changed tool is blocked until you accept it or the server takes the change back.
New tools are named, too; the rules decide about them. Of a server with many the
first ten are shown, and how many there are; --all and --json have all. Connects to nothing: a
change is remembered when it is met, and ` + "`hermes mcp test NAME`" + ` goes and looks.
Ends with 1 when anything changed or is new.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{command: cmd.CommandPath(), err: errors.New("give at most one server")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			// Of a file that cannot be read nothing is known, which is not nothing.
			if err := d.Readable(); err != nil {
				return err
			}
			ask := d.Changes
			if len(args) == 1 {
				ask = func() (view.Changes, error) { return d.ChangesOf(args[0]) }
			}
			changes, err := ask()
			if err != nil {
				return err
			}
			lost := d.PinProblems()
			a.out.problems(lost)
			if a.out.json {
				err = a.out.value(changes)
			} else if len(changes.Servers) > 0 || len(lost) == 0 {
				a.printChanges(changes, all)
			}
			if err == nil && len(changes.Servers)+len(lost) > 0 {
				err = exitCode(ExitFailed)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "show every tool of a server with many that are new or changed")
	return cmd
}

func (a *app) printChanges(changes view.Changes, all bool) {
	if len(changes.Servers) == 0 {
		a.out.line("No tool is new or changed.")
	}
	for _, s := range changes.Servers {
		shown := len(s.Tools)
		if !all {
			shown = min(shown, shownChanges)
		}
		for _, tool := range s.Tools[:shown] {
			a.out.line("%s/%s: changed and blocked since %s (%s → %s)", printable(s.Server), printable(tool.Tool), printable(tool.Since), tool.Seen, tool.Now)
			if tool.Hidden {
				a.out.line("  the new text holds characters that nobody sees, shown as \\u{...}")
			}
			for _, line := range tool.Lines {
				a.out.line("  %s %s", lineMark(line.Kind), printable(line.Text))
			}
			a.out.line("")
		}
		if more := len(s.Tools) - shown; more > 0 {
			a.out.line("%s: %d more changed and blocked; `hermes mcp changes %s --all` shows them", printable(s.Server), more, printable(s.Server))
		}
		if len(s.New) > 0 {
			a.out.line("%s: %d new: %s", printable(s.Server), len(s.New), firstNames(s.Server, s.New, all))
		}
		a.out.line("Accept with: hermes mcp accept %s", printable(s.Server))
	}
}

// firstNames names tools, of many the first ones and how the others are seen.
func firstNames(server string, names []string, all bool) string {
	shown := make([]string, 0, len(names))
	for _, name := range names {
		if !all && len(shown) == shownChanges {
			return fmt.Sprintf("%s and %d more; `hermes mcp changes %s --all` names them", strings.Join(shown, ", "), len(names)-len(shown), printable(server))
		}
		shown = append(shown, printable(name))
	}
	return strings.Join(shown, ", ")
}

func lineMark(kind string) string {
	switch kind {
	case "gone":
		return "-"
	case "new":
		return "+"
	}
	return " "
}

func (a *app) mcpAccept() *cobra.Command {
	return &cobra.Command{
		Use:   "accept NAME [TOOL ...]",
		Short: "Accept the changed definitions of a server's tools",
		Long: `Accepts what a server says of its changed tools now, of all of them or of those
that are named, and takes note of its new ones. Whether they may be called is
for the rules to say, as before. Typing the command is the confirmation; look with
` + "`hermes mcp changes NAME`" + ` first. It is refused in a program that one of the
servers started.`,
		Args: atLeast(1, "the name of one server"),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			before, err := d.ChangesOf(args[0])
			if err != nil {
				return err
			}
			wish := view.AcceptChanges{Server: args[0], Tools: args[1:], Now: map[string]string{}}
			for _, s := range before.Servers {
				for _, tool := range s.Tools {
					if len(wish.Tools) == 0 || slices.Contains(wish.Tools, tool.Tool) {
						wish.Now[tool.Tool] = tool.Now
					}
				}
			}
			left, err := d.AcceptChanges(wish)
			if err != nil {
				return err
			}
			if a.out.json {
				return a.out.value(left)
			}
			a.printAccepted(args[0], wish, before)
			return nil
		},
	}
}

func (a *app) printAccepted(server string, wish view.AcceptChanges, before view.Changes) {
	done := 0
	for _, s := range before.Servers {
		for _, tool := range s.Tools {
			if wish.Now[tool.Tool] != "" {
				a.out.line("%s/%s: accepted (%s → %s)", printable(server), printable(tool.Tool), tool.Seen, tool.Now)
				done++
			}
		}
		for _, name := range s.New {
			if len(wish.Tools) == 0 || slices.Contains(wish.Tools, name) {
				a.out.line("%s/%s: new, taken note of", printable(server), printable(name))
				done++
			}
		}
	}
	if done == 0 {
		a.out.line("%s: nothing is new or changed", printable(server))
	}
}

// changedCell says in a listing what is different about a server's tools.
func changedCell(live view.Live) string {
	text := ""
	if n := len(live.New); n > 0 {
		text += fmt.Sprintf(" (%d new%s)", n, offWords(n, live.NewOff))
	}
	if live.Changed > 0 {
		text += fmt.Sprintf(", %d changed: blocked", live.Changed)
	}
	if live.Quarantined > 0 {
		text += fmt.Sprintf(", %d unfit", live.Quarantined)
	}
	return text
}

func offWords(all, off int) string {
	switch off {
	case 0:
		return ", on"
	case all:
		return ", off"
	}
	return fmt.Sprintf(", %d off", off)
}
