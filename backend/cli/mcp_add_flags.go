package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes/backend/view"
)

// presets are servers that are known by a word.
func presets() map[string][]string {
	return map[string][]string{"codex": {"codex", "mcp-server"}}
}

func presetNames() []string {
	names := []string{}
	for name := range presets() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// parse reads the command line by hand up to --args, whose words may look like
// flags of ours.
func (f *addFlags) parse(cmd *cobra.Command, args []string) (help bool, err error) {
	rest := []string{}
	if i := slices.Index(args, "--args"); i >= 0 {
		args, rest = args[:i], args[i+1:]
		if len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
	}
	cmd.DisableFlagParsing = false
	if err := cmd.ParseFlags(args); err != nil {
		return false, err
	}
	if help, _ := cmd.Flags().GetBool("help"); help {
		return true, nil
	}
	names := cmd.Flags().Args()
	if at := cmd.Flags().ArgsLenAtDash(); at >= 0 && len(names) > at {
		if f.server.Command != "" {
			return false, errors.New("the command is given twice")
		}
		f.server.Command, rest = names[at], append(slices.Clone(names[at+1:]), rest...)
		names = names[:at]
	}
	// `--env A=1 B=2` is one flag with two values.
	for len(names) > 1 && len(f.env) > 0 && strings.Contains(names[len(names)-1], "=") {
		f.env = append(f.env, names[len(names)-1])
		names = names[:len(names)-1]
	}
	if len(names) != 1 {
		return false, errors.New("give the name of one server")
	}
	f.server.Name, f.server.Args = names[0], append(f.args, rest...)
	return false, f.complete()
}

// complete checks what was typed and fills in a preset.
func (f *addFlags) complete() error {
	f.server.Env = map[string]string{}
	for _, pair := range f.env {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return errors.New("Invalid --env value " + quote(key) + ": write KEY=VALUE")
		}
		f.server.Env[key] = value
	}
	if f.preset != "" {
		line, ok := presets()[f.preset]
		if !ok {
			return fmt.Errorf("there is no preset %q; there is: %s", f.preset, strings.Join(presetNames(), ", "))
		}
		if f.server.URL == "" && f.server.Command == "" {
			f.server.Command, f.server.Args = line[0], append(slices.Clone(line[1:]), f.server.Args...)
		}
	}
	switch {
	case f.server.URL == "" && f.server.Command == "":
		return errors.New("Must specify --url <endpoint>, --command <cmd>, or --preset <name>\n" + addExample)
	case f.server.URL != "" && len(f.server.Args) > 0:
		return errors.New("--args is for --command")
	case !slices.Contains([]string{"", "header", "oauth"}, f.server.Auth):
		return errors.New("--auth is header or oauth")
	case f.server.Auth != "" && f.server.URL == "":
		return errors.New("--auth is for --url")
	case !slices.Contains([]string{"", "full", "untrusted"}, f.server.Trust):
		return errors.New("--trust is full or untrusted")
	}
	return nil
}

// choice is what --tools says, nil where it was not given.
func (f *addFlags) choice() *view.ToolChoice {
	switch f.tools {
	case "":
		return nil
	case "all":
		return &view.ToolChoice{All: true}
	case "none":
		return &view.ToolChoice{Names: []string{}}
	}
	names := []string{}
	for _, name := range strings.Split(f.tools, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return &view.ToolChoice{Names: names}
}
