package desk

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// gitCommits bounds how many commits of the file's history are looked at.
const gitCommits = 200

// gitVersions gives the committed versions of a file, newest first; none where
// it lies in no repository or there is no git. The repository may be anybody's,
// so nothing that its configuration names is ever run: no hook, no monitor, no
// pager, no filter, no external or textual diff, no signature check, no fetch.
func gitVersions(ctx context.Context, path string) ([]version, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, nil // the file itself is the finding
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	program, err := exec.LookPath("git")
	if err != nil || !inWorkTree(filepath.Dir(path)) {
		return nil, nil
	}
	g := gitReader{program: program, dir: filepath.Dir(path)}
	log, err := g.run(ctx, nil, "log", "-n", strconv.Itoa(gitCommits), "--full-history", "--no-show-signature", "--no-mailmap", "--no-color", "--no-decorate",
		"--format=%H %ct", "--", filepath.Base(path))
	if err != nil {
		return nil, err
	}
	prefix, err := g.run(ctx, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(string(prefix), "\n") + filepath.Base(path)
	return g.contents(ctx, string(log), name)
}

// inWorkTree tells whether a folder or one above it holds a `.git`, so that git
// is not even started elsewhere.
func inWorkTree(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

type gitReader struct{ program, dir string }

func (g gitReader) command(ctx context.Context, args ...string) *exec.Cmd {
	safe := []string{"--no-pager", "--no-optional-locks", "--literal-pathspecs",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false", "-c", "core.attributesFile=/dev/null",
		"-c", "log.showSignature=false", "-c", "diff.external=", "-c", "protocol.allow=never", "-c", "core.pager=cat", "-c", "core.sshCommand=false"}
	cmd := exec.CommandContext(ctx, g.program, append(safe, args...)...)
	cmd.Dir = g.dir
	// Not our environment: variables of git would choose another repository or
	// programs to run, and a person's own settings do not matter here.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ATTR_NOSYSTEM=1"}
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		cmd.Env = append(cmd.Env, "SYSTEMROOT="+root)
	}
	cmd.WaitDelay = time.Second
	return cmd
}

func (g gitReader) run(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	cmd := g.command(ctx, args...)
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &problem
	if err := cmd.Run(); err != nil {
		return nil, gitError(ctx, err, problem.String())
	}
	return out.Bytes(), nil
}

func gitError(ctx context.Context, err error, problem string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("it took longer than %v", evidenceWait)
	}
	// The first line says it; the rest are hints about other commands.
	line, _, _ := strings.Cut(strings.TrimSpace(problem), "\n")
	if strings.Contains(line, "does not have any commits yet") {
		return nil
	}
	if line == "" {
		return fmt.Errorf("git: %w", err)
	}
	return fmt.Errorf("git: %s", strings.TrimPrefix(line, "fatal: "))
}

// contents reads the file at every commit through one process. Versions that
// are the same object as the one before are read once.
func (g gitReader) contents(ctx context.Context, log, name string) ([]version, error) {
	var ask bytes.Buffer
	var out []version
	for line := range strings.Lines(log) {
		hash, seconds, _ := strings.Cut(strings.TrimSpace(line), " ")
		when, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil || len(hash) < 7 {
			continue
		}
		out = append(out, version{where: "commit " + hash[:7], when: time.Unix(when, 0)})
		fmt.Fprintf(&ask, "%s:%s\n", hash, name)
	}
	if len(out) == 0 || strings.ContainsAny(name, "\n\r") {
		return nil, nil
	}
	cmd := g.command(ctx, "cat-file", "--batch")
	cmd.Stdin = &ask
	var problem bytes.Buffer
	cmd.Stderr = &problem
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	read := bufio.NewReader(pipe)
	for i := range out {
		if out[i].data, err = batchObject(read); err != nil {
			break
		}
	}
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, errors.Join(gitError(ctx, err, problem.String()), ignoreExit(cmd.Wait()))
	}
	if err := cmd.Wait(); err != nil {
		return nil, gitError(ctx, err, problem.String())
	}
	return out, nil
}

// ignoreExit drops the exit of a process that was killed on purpose.
func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// batchObject reads one answer of `cat-file --batch`. A version that is missing,
// no file or too long is empty.
func batchObject(read *bufio.Reader) ([]byte, error) {
	header, err := read.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(header)
	if strings.HasSuffix(strings.TrimSpace(header), " missing") || len(fields) < 3 {
		return nil, nil
	}
	size, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("git answered %q", strings.TrimSpace(header))
	}
	if size > evidenceBytes || fields[len(fields)-2] != "blob" {
		_, err := io.CopyN(io.Discard, read, size+1)
		return nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(read, data); err != nil {
		return nil, err
	}
	return data[:size], nil
}
