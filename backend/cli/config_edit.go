package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

func (a *app) configGet() *cobra.Command {
	return &cobra.Command{
		Use:   "get [PATH]",
		Short: "Print a value of the file, secrets masked",
		Long: "Print a value of the file: a single value as it is written, a list or a mapping as YAML.\n" +
			"Secrets are masked. Without a path the whole file is printed. A value that is not there is exit code 1.\n\n" + pathHelp,
		Example: "  hermes config get mcp_servers.demo.timeout\n  hermes config get 'mcp_servers.\"a.b\"' --json",
		Args:    between(0, 1, "one path at the most"),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			value, err := d.ConfigGet(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if a.out.json {
				return a.out.value(value)
			}
			a.out.line("%s", passage(value.Text))
			return nil
		},
	}
}

// pathHelp says how a path is written.
const pathHelp = "A path is keys with dots between them; a key that holds a dot stands in quotes, as in mcp_servers.\"a.b\".timeout."

func (a *app) configSet() *cobra.Command {
	edit := view.ConfigEdit{}
	cmd := &cobra.Command{
		Use:   "set PATH VALUE",
		Short: "Write one value into the file",
		Long: "Write one value into the file; every other byte of it stays. Parents that are missing are made.\n\n" + pathHelp + "\n\n" +
			"[] and [a, b] are lists, {a: b} is a mapping, true, false, null and numbers are what they say;\n" +
			"everything else is text, and so is what stands in quotes of its own: '\"[]\"'. A value that begins with - stands after --.\n\n" +
			"A value that looks like a secret is not written into the file. --secret stores it in .env and writes ${NAME};\n" +
			"without VALUE it is asked for, or read from standard input.",
		Example: "  hermes config set mcp_servers.demo.timeout 60\n  hermes config set mcp_servers.demo.args '[-y, pkg]'\n  hermes config set model.api_key --secret",
		Args:    between(1, 2, "a path and a value"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			edit.Path = args[0]
			switch {
			case len(args) == 2:
				edit.Value = args[1]
			case !edit.Secret:
				return usageError{err: errors.New("give a path and a value"), command: cmd.CommandPath()}
			default:
				if edit.Value, err = a.askSecret(cmd.Context(), args[0]); err != nil {
					return a.left(err, "Nothing was saved.", ExitFailed)
				}
			}
			result, err := d.ConfigSet(edit)
			if err != nil {
				return err
			}
			what := printable(result.Path + " = " + firstLine(result.Value))
			same := what + " already in " + printable(result.File) + ", nothing was written"
			if result.Path == "mcp.hold_lost_filters" {
				same = what + " already in " + printable(result.File) + "; the switch is confirmed now"
			}
			return a.printConfig(result, "Saved "+what+" to "+printable(result.File), same)
		},
	}
	cmd.Flags().BoolVar(&edit.Secret, "secret", false, "store the value in .env and write a reference to it")
	cmd.Flags().StringVar(&edit.Variable, "env-name", "", "with --secret: the name of the variable")
	cmd.Flags().BoolVar(&edit.Literal, "literal", false, "write a value that looks like a secret into the file itself")
	return cmd
}

// firstLine shows a value of several lines as its first one.
func firstLine(text string) string {
	first, _, more := strings.Cut(text, "\n")
	if more {
		first += " ..."
	}
	return first
}

// askSecret asks a person, or takes the first line of what is piped in.
func (a *app) askSecret(ctx context.Context, path string) (string, error) {
	if t := a.terminal(false); t.Interactive() {
		return t.Secret(ctx, "Value of "+printable(path))
	}
	line, err := bufio.NewReader(a.env.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the secret from standard input: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func (a *app) configUnset() *cobra.Command {
	return &cobra.Command{
		Use:   "unset PATH",
		Short: "Remove one key from the file",
		Long:  "Remove one key with its value; every other byte of the file stays, comments on lines of their own, too.\n\n" + pathHelp,
		Args:  exactly(1, "one path"),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			result, err := d.ConfigUnset(args[0])
			if err != nil {
				return err
			}
			return a.printConfig(result, "Removed "+printable(result.Path)+" from "+printable(result.File), printable(result.Path)+" was not in "+printable(result.File))
		},
	}
}

// printConfig says what was done to the file. What is printed was read back.
func (a *app) printConfig(result view.ConfigResult, changed, same string) error {
	if a.out.json {
		return a.out.value(result)
	}
	if result.Stored != "" {
		a.out.line("Stored the value as %s in .env", printable(result.Stored))
	}
	if !result.Changed {
		changed = same
	}
	a.out.line("%s", changed)
	for _, warning := range result.Warnings {
		a.out.note("⚠ %s", printable(warning))
	}
	return nil
}

func (a *app) configEdit() *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: "Open the file in an editor and check it before it is saved",
		Long: "Open a copy of the file in $VISUAL or $EDITOR. When the editor ends, the copy is checked and then takes the place of\n" +
			"the file, unless the file changed in the meantime. A copy that cannot be saved is kept.",
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			editor, err := a.editor()
			if err != nil {
				return err
			}
			d, err := a.open()
			if err != nil {
				return err
			}
			draft, err := d.OpenDraft()
			if err != nil {
				return err
			}
			return a.editDraft(cmd.Context(), d, draft, editor)
		},
	}
}

// editor gives the command line of the person's editor.
func (a *app) editor() (string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if set := strings.TrimSpace(a.env.Getenv(name)); set != "" {
			return set, nil
		}
	}
	if !a.terminal(false).Interactive() {
		return "", a.noTerminal("hermes config edit", "set EDITOR to a program that edits a file, or use `hermes config set PATH VALUE`")
	}
	for _, name := range []string{"sensible-editor", "editor", "nano", "vi", "notepad.exe"} {
		if _, err := exec.LookPath(name); err == nil {
			return name, nil
		}
	}
	return "", desk.Fail(view.Error{Code: "failed", Message: "no editor was found", Hint: "set EDITOR to one"}, nil)
}

// editDraft runs the editor until the copy can be saved or the person gives up.
func (a *app) editDraft(ctx context.Context, d *desk.Desk, draft view.ConfigDraft, editor string) error {
	for {
		if err := a.runEditor(ctx, editor, draft.Draft); err != nil {
			return desk.Fail(view.Error{Code: "failed", Message: fmt.Sprintf("the editor %s failed: %v; nothing was saved", quote(editor), err),
				Hint: draftHint(draft.Draft)}, err)
		}
		result, err := d.SaveDraft(draft)
		if err == nil {
			return a.printConfig(result, "Saved "+printable(result.File), "Nothing changed in "+printable(result.File))
		}
		shown := desk.ErrorView(err)
		if t := a.terminal(false); shown.Code == "refused" && t.Interactive() {
			a.out.fail(err)
			if again, err := t.Confirm(ctx, "Edit it again?", true); err == nil && again {
				continue
			}
		}
		if shown.Code != desk.CodeDraftGone {
			shown.Hint = strings.TrimPrefix(shown.Hint+"; ", "; ") + "your text is in " + draft.Draft
		}
		return desk.Fail(shown, err)
	}
}

// draftHint says where the text of an editor that failed is.
func draftHint(path string) string {
	if _, err := os.Stat(path); err != nil {
		return "it left no file; the configuration is as it was"
	}
	return "what it left is in " + path
}

// runEditor hands the terminal to the editor. The variable may hold arguments,
// so a shell takes it apart, as other programs do.
func (a *app) runEditor(ctx context.Context, editor, path string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, path)
	if _, err := exec.LookPath("sh"); err != nil {
		words := strings.Fields(editor)
		cmd = exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	}
	cmd.Stdin, cmd.Stderr = a.env.Stdin, a.env.Stderr
	if cmd.Stdout = a.env.Stdout; a.out.json {
		cmd.Stdout = a.env.Stderr
	}
	return cmd.Run()
}

// between takes from least to most arguments.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		return usageError{err: errors.New("give " + what), command: cmd.CommandPath()}
	}
}
