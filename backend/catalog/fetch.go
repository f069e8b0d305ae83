package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Fetch clones the repository of a manifest at its commit into dir and runs the
// commands that build it there, each through the system's shell, with what they
// print going to log. Whoever calls it has shown these commands to a person. An
// earlier folder of the same install is put back when anything fails, so that
// what runs today still runs.
func Fetch(ctx context.Context, g Git, dir string, log io.Writer) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("make the folder for installs: %w", err)
	}
	old := dir + ".old"
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("remove what an earlier install left: %w", err)
	}
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("set the earlier install aside: %w", err)
	}
	defer func() {
		if err == nil {
			_ = os.RemoveAll(old)
			return
		}
		if removed := os.RemoveAll(dir); removed != nil {
			err = errors.Join(err, removed)
		} else if back := os.Rename(old, dir); back != nil && !errors.Is(back, os.ErrNotExist) {
			err = errors.Join(err, back)
		}
	}()
	if err := clone(ctx, g, dir, log); err != nil {
		return err
	}
	for _, line := range g.Bootstrap {
		fmt.Fprintf(log, "$ %s\n", line)
		cmd := shellCommand(ctx, line)
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, log, log, time.Second
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("the command `%s` failed: %w", line, err)
		}
	}
	return nil
}

func shellCommand(ctx context.Context, line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/d", "/c", line)
	}
	return exec.CommandContext(ctx, "sh", "-c", line)
}

// clone fetches everything and checks out the commit: servers need not hand out
// a single commit by its hash.
func clone(ctx context.Context, g Git, dir string, log io.Writer) error {
	program, err := exec.LookPath("git")
	if err != nil {
		return errors.New("git is not on PATH; install it and try again")
	}
	run := func(in string, args ...string) (string, error) {
		// Nothing of the repository may run while it is fetched.
		fixed := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.ext.allow=never", "-c", "core.fsmonitor=false"}
		cmd := exec.CommandContext(ctx, program, append(fixed, args...)...)
		cmd.Dir, cmd.WaitDelay = in, time.Second
		cmd.Env = append(withoutGit(os.Environ()), "GIT_TERMINAL_PROMPT=0")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, log
		err := cmd.Run()
		return strings.TrimSpace(out.String()), err
	}
	if _, err := run(filepath.Dir(dir), "clone", "--quiet", "--no-checkout", "--", g.URL, dir); err != nil {
		return fmt.Errorf("git could not fetch %s: %w", g.URL, err)
	}
	if _, err := run(dir, "checkout", "--quiet", "--detach", g.Ref); err != nil {
		return fmt.Errorf("the commit %s is not in %s: %w", g.Ref, g.URL, err)
	}
	if head, err := run(dir, "rev-parse", "HEAD"); err != nil || head != g.Ref {
		return fmt.Errorf("git checked out %q and not the commit %s", head, g.Ref)
	}
	return nil
}

// withoutGit drops what tells git to work somewhere else than where it is
// started, as inside a hook of another repository.
func withoutGit(environ []string) []string {
	return slices.DeleteFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, "GIT_") })
}
