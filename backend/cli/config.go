package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"hermes/backend/view"
)

func (a *app) config() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Find, check and change the configuration file",
		Args:  noCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.configPath(), a.configCheck(), a.configGet(), a.configSet(), a.configUnset(), a.configEdit())
	return cmd
}

func (a *app) configPath() *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print where the configuration file is",
		Args:  exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			paths := d.Paths()
			if a.out.json {
				return a.out.value(paths)
			}
			a.out.line("%s", paths.Config)
			return nil
		},
	}
}

func (a *app) configCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Read the file and print every problem with its line",
		Args:  exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			check, err := d.Check()
			if err != nil {
				return err
			}
			code := ExitOK
			if !check.OK {
				code = ExitFailed
			}
			if a.out.json {
				if err := a.out.value(check); err != nil {
					return err
				}
				return exitCode(code)
			}
			a.out.problems(check.Problems)
			switch {
			case check.OK && check.Config.Revision == "":
				a.out.line("%s does not exist: no servers are configured", check.Config.Path)
			case check.OK:
				a.out.line("%s: ok", check.Config.Path)
			}
			return exitCode(code)
		},
	}
}

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what works here, what does not, and what to do",
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.open()
			if err != nil {
				return err
			}
			report, err := d.Doctor(cmd.Context())
			if err != nil {
				return err
			}
			code := ExitOK
			if !report.OK {
				code = ExitFailed
			}
			if a.out.json {
				if err := a.out.value(report); err != nil {
					return err
				}
				return exitCode(code)
			}
			for _, finding := range report.Findings {
				mark := map[string]string{"ok": "✓", "warning": "⚠", "error": "✗"}[finding.State]
				a.out.line("%s %s: %s", mark, finding.Title, printable(finding.Message))
				if finding.Hint != "" {
					a.out.line("    %s", printable(finding.Hint))
				}
			}
			a.printArrival(report.Arrival)
			return exitCode(code)
		},
	}
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			v := view.Version{Version: a.env.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Window: a.env.WindowBuild}
			if a.out.json {
				return a.out.value(v)
			}
			a.out.line("hermes %s (%s, %s/%s)", v.Version, v.Go, v.OS, v.Arch)
			return nil
		},
	}
}
