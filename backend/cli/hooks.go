package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

func (a *app) hooks() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "Look after the programs that are asked about tool calls",
		Long: `Hooks are programs in config.yaml that are asked before a tool call (pre_tool_call)
or told after one (post_tool_call). None runs before a person trusted it here, and
one that is not trusted, changed or fails blocks the calls it matches.
docs/HOOKS.md tells how to write one.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.hooksList(), a.hooksTest(), a.hooksTrust(), a.hooksRevoke())
	return cmd
}

func (a *app) hooksList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the hooks of the file and whether each may run",
		Long: `Lists the hooks with their number, what they are for, and whether a person trusts
them as they are now. Hooks of events that do not happen here are named, too.
Nothing is started.`,
		Args: noCommand,
		RunE: func(*cobra.Command, []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			list, err := d.Hooks()
			if err != nil {
				return err
			}
			if a.out.json {
				return a.out.value(list)
			}
			a.printHooks(list)
			return nil
		},
	}
}

func (a *app) printHooks(list view.HooksList) {
	if len(list.Hooks) == 0 {
		a.out.line("No hooks run here: %s has none for pre_tool_call or post_tool_call.", printable(list.File))
	}
	for _, h := range list.Hooks {
		a.printHook(h)
	}
	for _, n := range list.NotRun {
		a.out.line("·  %s: %s", printable(n.Event), printable(n.Command))
		a.out.line("     %s (at %s)", printable(n.Reason), printable(place(n.File, n.Line, 0)))
	}
	a.out.problems(list.Problems)
	for _, note := range list.Notes {
		a.out.note("note: %s", printable(note))
	}
}

func (a *app) printHook(h view.Hook) {
	what := "every tool"
	if h.Matcher != "" && h.Matcher != "*" {
		what = h.Matcher
	}
	a.out.line("%d. %s for %s: %s", h.Index, printable(h.Event), printable(what), printable(h.Command))
	state := "trusted since " + h.ApprovedAt
	if h.State != view.HookTrusted {
		state = string(h.State) + ": " + h.Reason
		if h.State != view.HookUnusable {
			state += fmt.Sprintf(" (`hermes hooks trust %d`)", h.Index)
		}
	}
	a.out.line("     %s", printable(state))
	fails := "blocks the call"
	if h.FailOpen {
		fails = "lets the call through (`fail_closed: false`)"
	}
	if h.Event != "pre_tool_call" {
		fails = "changes nothing"
	}
	a.out.line("     %gs, a failure %s; at %s", h.Timeout, fails, printable(place(h.File, h.Line, 0)))
}

func (a *app) printHookFiles(h view.Hook) {
	for _, f := range h.Files {
		a.out.line("     %s", printable(f.Path))
		a.out.line("       sha256 %s", f.SHA256)
	}
	if h.Note != "" {
		a.out.line("     note: %s", printable(h.Note))
	}
}

func (a *app) hooksTrust() *cobra.Command {
	return &cobra.Command{
		Use:   "trust [NAME|INDEX]",
		Short: "Let a hook run, as its files are now",
		Long: `Shows a hook with the files that decide what it does and their SHA-256, and lets it
run: its number in ` + "`hermes hooks list`" + `, its whole command, or the name of its
program selects it, and typing the command is the confirmation. Without one, each
hook that is not trusted is asked about at the terminal.
The consent is for these contents: an edit of the script, another interpreter or
another file among the arguments ends it. It is refused in a program that a server
or a hook started.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{command: cmd.CommandPath(), err: errors.New("give one hook")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.trustEach(cmd, d)
			}
			h, err := d.FindHook(args[0])
			if err != nil {
				return err
			}
			return a.trust(d, h)
		},
	}
}

// trust shows a hook and trusts what was shown.
func (a *app) trust(d *desk.Desk, h view.Hook) error {
	if !a.out.json {
		a.printHook(h)
		a.printHookFiles(h)
	}
	done, err := d.TrustHook(h)
	if err != nil {
		return err
	}
	if a.out.json {
		return a.out.value(done)
	}
	if done.Changed {
		a.out.line("Trusted: it runs for the calls it matches.")
	} else {
		a.out.line("It was trusted before.")
	}
	return nil
}

func (a *app) trustEach(cmd *cobra.Command, d *desk.Desk) error {
	term := a.terminal(true)
	if a.out.json || !term.Interactive() {
		return a.noTerminal("hermes hooks trust", "name the hook: `hermes hooks trust NAME|INDEX`; `hermes hooks list` shows them")
	}
	list, err := d.Hooks()
	if err != nil {
		return err
	}
	asked := false
	for _, h := range list.Hooks {
		if h.State == view.HookTrusted || h.State == view.HookUnusable {
			continue
		}
		asked = true
		a.printHook(h)
		a.printHookFiles(h)
		yes, err := term.Confirm(cmd.Context(), "Let this hook run?", false)
		if err != nil {
			return a.left(err, "Nothing more was trusted.", ExitOK)
		}
		if !yes {
			continue
		}
		if _, err := d.TrustHook(h); err != nil {
			return err
		}
		a.out.line("Trusted.")
	}
	if !asked {
		a.out.line("There is no hook to trust.")
	}
	return nil
}

func (a *app) hooksRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME|INDEX",
		Short: "Take the trust in a hook back",
		Long: `Takes a consent back: the hook does not run, and the calls that a pre_tool_call hook
matches are blocked, until a person trusts it again. Of a hook that is in the file no
more, its whole command names the consent.`,
		Args: exactly(1, "one hook"),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			done, err := d.RevokeHook(args[0])
			if err != nil {
				return err
			}
			switch {
			case a.out.json:
				return a.out.value(done)
			case done.Changed:
				a.out.line("Revoked: %s does not run any more.", printable(done.Hook.Command))
			default:
				a.out.line("Nobody trusted %s.", printable(done.Hook.Command))
			}
			return nil
		},
	}
}

func (a *app) hooksTest() *cobra.Command {
	var sample desk.HookSample
	cmd := &cobra.Command{
		Use:   "test NAME|INDEX",
		Short: "Run a trusted hook with a sample and say what it decides",
		Long: `Runs one hook as a call would, with a sample, and shows its decision, how long it
took and what it wrote. Ends with 1 where the hook gave no answer: it is not trusted,
did not start, hung, or wrote what cannot be read.`,
		Args: exactly(1, "one hook"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			h, err := d.FindHook(args[0])
			if err != nil {
				return err
			}
			result, err := d.TestHook(cmd.Context(), h, sample)
			if err != nil {
				return err
			}
			if a.out.json {
				err = a.out.value(result)
			} else {
				a.printHookTest(result)
			}
			if err == nil && (!result.Ran || result.Failure != "") {
				err = exitCode(ExitFailed)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&sample.Tool, "tool", "mcp__server__tool", "the public name of the sample's tool")
	cmd.Flags().StringVar(&sample.Arguments, "args", "{}", "the sample's arguments, a JSON object")
	return cmd
}

func (a *app) printHookTest(r view.HookTest) {
	a.out.line("%s: %s", printable(r.Hook.Command), r.Decision)
	if r.Reason != "" {
		a.out.line("  %s", printable(r.Reason))
	}
	if r.Failure != "" {
		a.out.line("  failed: %s", printable(r.Failure))
	}
	if r.Arguments != "" {
		a.out.line("  arguments: %s", printable(r.Arguments))
	}
	if r.Ran {
		a.out.line("  exit code %d after %d ms", r.ExitCode, r.Milliseconds)
	}
	for i, text := range []string{r.Output, r.Errors} {
		for line := range strings.Lines(text) {
			a.out.line("  %s: %s", []string{"stdout", "stderr"}[i], printable(shorten(strings.TrimRight(line, "\r\n"), 400)))
		}
	}
	if !r.Matches {
		a.out.note("note: the matcher of this hook is not for %s; no call of that tool would ask it", printable(r.Tool))
	}
}
