package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// demoNotes are the files of the demo project, short and worth skimming.
func demoNotes() []struct{ name, text string } {
	return []struct{ name, text string }{
		{"README.md", "# Lighthouse\n\nA small web shop for lamps. This folder is a demo: nothing in it is real.\n"},
		{"notes.md", "# Notes of the meeting\n\n- Mend the shipping date before the release: it is a day early for orders after 22:00.\n- Nobody has filed it yet.\n"},
		{"notes/release.md", "# Release notes, draft\n\n- The basket keeps its items after signing in.\n- Invoices are sent as PDF.\n- Known fault: the shipping date is a day early for orders after 22:00.\n"},
		{"src/shipping.txt", "date = order day + 2\n(the order day is taken in UTC: wrong after 22:00 in summer)\n"},
	}
}

const configName = "config.yaml"

// DemoHome writes the home of the embedded default: three built-in servers, the
// offline demo model, a small project with a git history where git is there.
// A home that is there already is left alone.
func DemoHome(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, configName)); err == nil {
		return fmt.Errorf("%s is there already", filepath.Join(dir, configName))
	}
	project := filepath.Join(dir, "project")
	tracker := filepath.Join(dir, "tracker")
	for _, folder := range []string{project, tracker} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	for _, note := range demoNotes() {
		path := filepath.Join(project, filepath.FromSlash(note.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(note.text), 0o600); err != nil {
			return err
		}
	}
	if err := demoHistory(project); err != nil {
		return err
	}
	config := fmt.Sprintf(`# The embedded default of Hermes: built-in servers and the offline demo model.
model:
  provider: demo
mcp_servers:
  files:
    builtin: files
    root: %[1]s
  git:
    builtin: git
    root: %[1]s
  tickets:
    builtin: tickets
    root: %[2]s
`, strconv.Quote(project), strconv.Quote(tracker))
	file, err := os.OpenFile(filepath.Join(dir, configName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(config)
	return errors.Join(err, file.Close())
}

// demoHistory makes a repository of the project. Without git the git server
// itself says that git is missing.
func demoHistory(project string) error {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitLimit)
	defer cancel()
	const day = "2026-01-05T09:00:00Z"
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "README.md"}, {"commit", "-q", "-m", "Start the shop"},
		{"add", "src"}, {"commit", "-q", "-m", "Compute the shipping date"},
		{"add", "notes", "notes.md"}, {"commit", "-q", "-m", "Add release notes and the meeting"},
	} {
		cmd := exec.CommandContext(ctx, git, append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = project
		cmd.WaitDelay = time.Second
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
			"GIT_AUTHOR_NAME=Hermes demo", "GIT_AUTHOR_EMAIL=demo@hermes.invalid", "GIT_COMMITTER_NAME=Hermes demo", "GIT_COMMITTER_EMAIL=demo@hermes.invalid",
			"GIT_AUTHOR_DATE=" + day, "GIT_COMMITTER_DATE=" + day}
		if out, err := cmd.CombinedOutput(); err != nil {
			return errors.Join(fmt.Errorf("git %s: %s", args[0], out), err)
		}
	}
	return nil
}

// parentOf is the folder above, in its real spelling, as git compares it.
func parentOf(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return filepath.Dir(dir)
}
