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
const gitCommits = 1000

// gitFile is the file as one commit has it; name is its path from the top of the
// work tree, which changes when it is moved.
type gitFile struct {
	hash, name string
	when       time.Time
}

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
	prefix, err := g.run(ctx, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	base := filepath.Base(path)
	// Twice: the whole history of the name, with what merges brought, and the
	// line of the file itself, through its renames.
	whole, err := g.log(ctx, "--full-history", "--", base)
	if err != nil {
		return nil, err
	}
	moved, err := g.log(ctx, "--follow", "--", base)
	if err != nil {
		return nil, err
	}
	files := []gitFile{}
	seen := map[gitFile]bool{}
	for _, f := range append(whole, moved...) {
		if f.name == "" {
			f.name = strings.TrimSuffix(string(prefix), "\n") + base
		}
		if key := (gitFile{hash: f.hash, name: f.name}); !seen[key] {
			seen[key] = true
			files = append(files, f)
		}
	}
	versions, missing, err := g.contents(ctx, files)
	switch {
	case err != nil:
		return nil, err
	case missing > 0 && g.isPartial(ctx):
		return versions, fmt.Errorf("%d of its versions are not in this clone", missing)
	case g.isShallow(ctx):
		return versions, errors.New("the clone is shallow: what came before is not in it")
	case len(whole) == gitCommits || len(moved) == gitCommits:
		return versions, fmt.Errorf("only its latest %d commits were looked at", gitCommits)
	}
	return versions, nil
}

// isPartial tells whether the clone may leave out contents; else a version that
// is missing is one in which the file did not exist.
func (g gitReader) isPartial(ctx context.Context) bool {
	out, err := g.run(ctx, nil, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	return err == nil && len(out) > 0
}

func (g gitReader) isShallow(ctx context.Context) bool {
	out, err := g.run(ctx, nil, "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// log lists commits of a file, newest first.
func (g gitReader) log(ctx context.Context, how ...string) ([]gitFile, error) {
	args := append([]string{"log", "-n", strconv.Itoa(gitCommits), "--no-show-signature", "--no-mailmap", "--no-color", "--no-decorate", "--no-ext-diff", "--no-textconv",
		"--name-only", "-z", "--format=%x01%H %ct"}, how...)
	out, err := g.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var files []gitFile
	for _, record := range strings.Split(string(out), "\x01") {
		// The commit, then the names it changed; a merge has none.
		head, names, _ := strings.Cut(record, "\x00")
		hash, seconds, _ := strings.Cut(strings.TrimSpace(head), " ")
		when, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil || len(hash) < 7 {
			continue
		}
		name, _, _ := strings.Cut(strings.Trim(names, "\x00\n"), "\x00")
		if strings.ContainsAny(name, "\n\r") {
			name = ""
		}
		files = append(files, gitFile{hash: hash, name: name, when: time.Unix(when, 0)})
	}
	return files, nil
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

// contents reads the file at every commit through one process, and counts the
// versions that are not there: a partial clone leaves them out.
func (g gitReader) contents(ctx context.Context, files []gitFile) (out []version, missing int, err error) {
	var ask bytes.Buffer
	for _, f := range files {
		if strings.ContainsAny(f.name, "\n\r") {
			return nil, 0, nil
		}
		out = append(out, version{where: "commit " + f.hash[:7], when: f.when})
		fmt.Fprintf(&ask, "%s:%s\n", f.hash, f.name)
	}
	if len(out) == 0 {
		return nil, 0, nil
	}
	cmd := g.command(ctx, "cat-file", "--batch")
	cmd.Stdin = &ask
	var problem bytes.Buffer
	cmd.Stderr = &problem
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	read := bufio.NewReader(pipe)
	for i := range out {
		if out[i].data, err = batchObject(read); errors.Is(err, errNotInClone) {
			missing++
			err = nil
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, 0, errors.Join(gitError(ctx, err, problem.String()), ignoreExit(cmd.Wait()))
	}
	if err := cmd.Wait(); err != nil {
		return nil, 0, gitError(ctx, err, problem.String())
	}
	return out, missing, nil
}

// ignoreExit drops the exit of a process that was killed on purpose.
func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// errNotInClone is the answer about a version that is not there.
var errNotInClone = errors.New("not in this clone")

// batchObject reads one answer of `cat-file --batch`. A version that is
// no file or too long is empty.
func batchObject(read *bufio.Reader) ([]byte, error) {
	header, err := read.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(header)
	if strings.HasSuffix(strings.TrimSpace(header), " missing") {
		return nil, errNotInClone
	}
	if len(fields) < 3 {
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
