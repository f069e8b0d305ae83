package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/terminal"
	"hermes/backend/view"
)

const addLong = `Adds a server to the file: it is looked at first, you choose its tools, and nothing is written before you agree.

Secrets do not go into config.yaml: a token, and what looks like one in --env, --args or --url, is kept in .env, and the entry refers to it.
A new server is not trusted (trust: untrusted), so you are asked about its tools, and calls are refused where nobody can be asked; --trust full says
you trust it. An existing entry keeps its tool rules, trust, limits and every key that is not about the connection.

--args takes everything behind it, so it comes last. Without a terminal give --tools or --yes; --yes alone adds the server
locked, with no tool on.`

const addExample = `  hermes mcp add files --command npx --args -y @modelcontextprotocol/server-filesystem /srv/data
  hermes mcp add docs --url https://mcp.example.com/mcp --auth header
  hermes mcp add codex --preset codex --yes --tools all --trust full`

// addFlags are the words of one `mcp add`.
type addFlags struct {
	server  view.NewServer
	env     []string
	args    []string
	preset  string
	tools   string
	yes     bool
	options pickOptions
}

func (a *app) mcpAdd() *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use:                "add NAME (--url URL | --command COMMAND | --preset NAME) [--args ARG ...]",
		Short:              "Add a server: look at it, choose its tools, save it",
		Long:               addLong,
		Example:            addExample,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			help, err := f.parse(cmd, args)
			if err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			if help {
				return cmd.Help()
			}
			return a.add(cmd.Context(), cmd.CommandPath(), &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.server.URL, "url", "", "address of a server that is reached by HTTP")
	flags.StringVar(&f.server.Command, "command", "", "program of a server that is started here")
	flags.StringArrayVar(&f.args, "args", nil, "arguments of the program; takes everything behind it")
	flags.StringVar(&f.preset, "preset", "", "a known server: "+strings.Join(presetNames(), ", "))
	flags.StringArrayVar(&f.env, "env", nil, "KEY=VALUE for the program")
	flags.StringVar(&f.server.Auth, "auth", "", "how the server knows you: header or oauth")
	flags.IntVar(&f.server.ConnectTimeout, "connect-timeout", 0, "seconds to wait for the connection")
	flags.StringVar(&f.server.Trust, "trust", "", "full or untrusted")
	flags.StringVar(&f.tools, "tools", "", "what is on: all, none or NAME,NAME")
	flags.BoolVar(&f.yes, "yes", false, "ask nothing: overwrite, and save what does not answer as disabled")
	flags.BoolVar(&f.options.plain, "plain", false, "ask by numbers instead of a full screen")
	return cmd
}

// adding is one run of `mcp add`.
type adding struct {
	app    *app
	flags  *addFlags
	term   *terminal.Terminal
	person bool // somebody can be asked
	draft  *desk.Draft
	tools  []view.Tool
}

func (a *app) add(ctx context.Context, command string, f *addFlags) error {
	if f.server.Auth == "oauth" {
		return desk.Fail(view.Error{Code: "refused", Message: "the OAuth login is not in this version yet; server '" + f.server.Name + "' was not saved",
			Hint: "if the server also takes a token, use --auth header"}, nil)
	}
	d, err := a.open()
	if err != nil {
		return err
	}
	draft, err := d.Draft(f.server)
	if err != nil {
		return err
	}
	t := a.terminal(f.options.plain)
	run := &adding{app: a, flags: f, term: t, person: t.Interactive() && !f.yes, draft: draft}
	if err := run.all(ctx); err != nil {
		return a.left(err, "Cancelled. Server '"+printable(f.server.Name)+"' was not saved.", ExitFailed)
	}
	return nil
}

// errNotSaved ends an addition that a person declined.
var errNotSaved = errors.New("not saved")

func (r *adding) refuse(message, hint string) error {
	return desk.Fail(view.Error{Code: "refused", Message: message + "; server '" + r.flags.server.Name + "' was not saved", Hint: hint}, nil)
}

func (r *adding) all(ctx context.Context) error {
	for _, step := range []func(context.Context) error{r.overwrite, r.answered, r.auth} {
		if err := step(ctx); err != nil {
			return r.declined(err)
		}
	}
	enabled, choice, err := r.look(ctx)
	if err != nil {
		return r.declined(err)
	}
	saved, err := r.draft.Save(ctx, enabled, choice)
	if err != nil {
		return err
	}
	return r.report(saved)
}

func (r *adding) declined(err error) error {
	if errors.Is(err, errNotSaved) {
		r.app.out.note("Server '%s' was not saved.", printable(r.flags.server.Name))
		return exitCode(ExitFailed)
	}
	return err
}

func (r *adding) overwrite(ctx context.Context) error {
	if !r.draft.Exists() || r.flags.yes {
		return nil
	}
	name := printable(r.flags.server.Name)
	if !r.person {
		return r.refuse("server '"+r.flags.server.Name+"' already exists", "--yes overwrites its connection and keeps the rest")
	}
	yes, err := r.term.Confirm(ctx, "Server '"+name+"' already exists. Overwrite?", false)
	if err == nil && !yes {
		return errNotSaved
	}
	return err
}

// auth settles how the server knows who asks.
func (r *adding) auth(ctx context.Context) error {
	if r.flags.server.URL == "" {
		return nil
	}
	variable, set := r.draft.Bearer()
	wanted := r.flags.server.Auth == "header"
	if !wanted && r.person {
		var err error
		if wanted, err = r.term.Confirm(ctx, "Does this server require authentication?", true); err != nil {
			return err
		}
		if !wanted {
			return nil
		}
	}
	switch {
	case set:
		r.app.say("%s is already configured", variable)
		return r.draft.UseBearer("")
	case !wanted:
		return nil
	case !r.person:
		return r.refuse("no token is known", "set "+variable+" in the environment or in .env, or use a terminal without --yes")
	}
	token, err := r.term.Secret(ctx, "API key / Bearer token")
	if err != nil {
		return err
	}
	return r.draft.UseBearer(token)
}

// look connects and settles what shall be on.
func (r *adding) look(ctx context.Context) (enabled bool, choice *view.ToolChoice, err error) {
	name := printable(r.flags.server.Name)
	r.app.say("Connecting to '%s'...", name)
	if r.tools, err = r.draft.Look(ctx); err != nil {
		if ctx.Err() != nil {
			return false, nil, ctx.Err()
		}
		return r.failed(ctx, err)
	}
	if len(r.tools) == 0 {
		r.app.say("Connected! '%s' offers no tools.", name)
		if r.person {
			yes, err := r.term.Confirm(ctx, "Save config anyway?", true)
			if err == nil && !yes {
				err = errNotSaved
			}
			if err != nil {
				return false, nil, err
			}
		}
		return true, r.flags.choice(), nil
	}
	r.app.say("Connected! Found %d tool(s) from '%s':", len(r.tools), name)
	for _, tool := range r.tools {
		description, _, _ := strings.Cut(strings.TrimSpace(tool.Description), "\n")
		r.app.say("  %s", strings.TrimRight(fmt.Sprintf("%-40s %s", printable(tool.Name), printable(cutText(description, 60))), " "))
	}
	choice, err = r.choose(ctx)
	return true, choice, err
}

func cutText(s string, limit int) string {
	if s == "" {
		return ""
	}
	return shorten(s, limit)
}

// failed is a server that does not answer: it is saved only if somebody says
// so, and then off.
func (r *adding) failed(ctx context.Context, cause error) (bool, *view.ToolChoice, error) {
	shown := desk.ErrorView(cause)
	if !r.person && !r.flags.yes {
		return false, nil, r.refuse("Failed to connect: "+shown.Message, shown.Hint)
	}
	r.app.out.note("Failed to connect: %s", printable(shown.Message))
	r.app.out.note("  %s", printable(shown.Hint))
	if r.person {
		yes, err := r.term.Confirm(ctx, "Save config anyway (you can test later)?", false)
		if err == nil && !yes {
			err = errNotSaved
		}
		if err != nil {
			return false, nil, err
		}
	}
	return false, r.flags.choice(), nil
}

// answered refuses to go on where a question is open and nobody is there.
func (r *adding) answered(context.Context) error {
	if r.person || r.flags.yes || r.flags.tools != "" || r.draft.Keeps() {
		return nil
	}
	return r.refuse("nobody can be asked which tools shall be on", "say it with --tools all, none or NAME,NAME; --yes alone adds it locked")
}

// choose asks which tools shall be on.
func (r *adding) choose(ctx context.Context) (*view.ToolChoice, error) {
	if r.draft.Keeps() {
		if r.flags.tools != "" {
			return nil, r.refuse("the tool rules of an existing entry stay", "leave --tools out, then: hermes mcp configure "+r.flags.server.Name)
		}
		return nil, nil
	}
	if choice := r.flags.choice(); choice != nil {
		return choice, r.offered(choice)
	}
	if !r.person {
		return nil, nil
	}
	word, err := r.term.Choice(ctx, fmt.Sprintf("Enable all %d tools?", len(r.tools)), "y", "n", "select")
	switch {
	case err != nil:
		return nil, err
	case word == "y":
		return &view.ToolChoice{All: true}, nil
	case word == "n":
		return nil, errNotSaved
	}
	return r.pick(ctx)
}

// offered refuses names that the server does not have: a slip would lock what
// was meant to be on.
func (r *adding) offered(choice *view.ToolChoice) error {
	for _, name := range choice.Names {
		if !slices.ContainsFunc(r.tools, func(t view.Tool) bool { return t.Name == name }) {
			return r.refuse("the server has no tool "+quote(name), "give the names as listed above")
		}
	}
	return nil
}

func (r *adding) pick(ctx context.Context) (*view.ToolChoice, error) {
	picker := terminal.Picker{Title: "Select tools for '" + printable(r.flags.server.Name) + "'"}
	for _, tool := range r.tools {
		tool.Allowed = true
		picker.Rows = append(picker.Rows, toolRow(tool, false))
	}
	on, err := r.term.Pick(ctx, picker)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for i, tool := range r.tools {
		if on[i] {
			names = append(names, tool.Name)
		}
	}
	if len(names) == 0 {
		yes, err := r.term.Confirm(ctx, "Save locked (nothing enabled)?", false)
		if err == nil && !yes {
			err = errNotSaved
		}
		if err != nil {
			return nil, err
		}
	}
	return &view.ToolChoice{Names: names}, nil
}

// report says what the file says now.
func (r *adding) report(saved view.Saved) error {
	a, name := r.app, printable(saved.Server)
	if a.out.json {
		return a.out.value(saved)
	}
	tools := saved.Rules.Text
	if saved.Live.Known {
		tools = count(saved.Live) + " tools enabled"
	}
	a.out.line("Saved '%s' to %s (%s)", name, saved.Path, printable(tools))
	for _, variable := range saved.Variables {
		a.out.line("  %s is kept in .env", printable(variable))
	}
	if len(saved.Kept) > 0 {
		a.out.line("  kept as before: %s", printable(strings.Join(saved.Kept, ", ")))
	}
	if !saved.Enabled {
		a.out.line("  It is disabled. When it answers (hermes mcp test %s): hermes config set mcp_servers.%s.enabled true", name, name)
	}
	if saved.Live.Known && saved.Live.Allowed == 0 || !saved.Live.Known && r.flags.tools == "" && !r.draft.Keeps() {
		a.out.line("  No tool is on. Choose with: hermes mcp configure %s", name)
	}
	if saved.Untrusted {
		a.out.line("  It is not trusted, so you are asked about its tools; where nobody can be asked, its calls are refused. If you trust it: hermes config set mcp_servers.%s.trust full", name)
	}
	a.out.problems(saved.Problems)
	return nil
}
