package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// gitLimit bounds one run of git.
	gitLimit = 20 * time.Second
	// gitOutput bounds what one run may print, in bytes.
	gitOutput = 1 << 20
)

// gitRunner runs read-only git commands in one folder. A repository is foreign
// input: its configuration must not start programs, so hooks, pagers, external
// diffs, text conversions, filters and the file-system monitor are off, and
// nothing of the user's or the system's configuration is read.
type gitRunner struct{ root, program string }

type logInput struct {
	Limit int    `json:"limit,omitempty" jsonschema:"how many commits, newest first; 10 when not given, at most 200"`
	Path  string `json:"path,omitempty" jsonschema:"only commits that touch this path"`
}

type noInput struct{}

type diffInput struct {
	From string `json:"from,omitempty" jsonschema:"commit to compare from; empty compares the work tree with the last commit"`
	To   string `json:"to,omitempty" jsonschema:"commit to compare to"`
}

type showInput struct {
	Commit string `json:"commit" jsonschema:"commit, branch or tag to show"`
}

func addGit(server *mcp.Server, git gitRunner) {
	mcp.AddTool(server, &mcp.Tool{Name: "log", Description: "Lists commits, newest first: hash, date, author, subject.", Annotations: reading("List commits")},
		func(ctx context.Context, _ *mcp.CallToolRequest, in logInput) (*mcp.CallToolResult, any, error) {
			limit := in.Limit
			if limit <= 0 {
				limit = 10
			}
			args := []string{"log", "--max-count=" + strconv.Itoa(min(limit, 200)), "--date=short", "--format=%h %ad %an: %s"}
			if in.Path != "" {
				args = append(args, "--", in.Path)
			}
			return answer(git.run(ctx, args...))
		})
	mcp.AddTool(server, &mcp.Tool{Name: "status", Description: "Tells what is changed in the work tree.", Annotations: reading("Show the state of the work tree")},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ noInput) (*mcp.CallToolResult, any, error) {
			out, err := git.run(ctx, "status", "--short", "--branch", "--ignore-submodules=all")
			return answer(out, err)
		})
	mcp.AddTool(server, &mcp.Tool{Name: "diff", Description: "Shows differences between commits, or of the work tree.", Annotations: reading("Show differences")},
		func(ctx context.Context, _ *mcp.CallToolRequest, in diffInput) (*mcp.CallToolResult, any, error) {
			args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all", "--submodule=short"}
			if in.From == "" {
				in.From = "HEAD"
			}
			for _, ref := range []string{in.From, in.To} {
				if ref == "" {
					continue
				}
				if err := checkRef(ref); err != nil {
					return nil, nil, err
				}
				args = append(args, ref)
			}
			return answer(git.run(ctx, append(args, "--")...))
		})
	mcp.AddTool(server, &mcp.Tool{Name: "show", Description: "Shows one commit with its changes.", Annotations: reading("Show a commit")},
		func(ctx context.Context, _ *mcp.CallToolRequest, in showInput) (*mcp.CallToolResult, any, error) {
			if err := checkRef(in.Commit); err != nil {
				return nil, nil, err
			}
			return answer(git.run(ctx, "show", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", in.Commit, "--"))
		})
}

// checkRef refuses what git would take for an option or for a path outside.
func checkRef(ref string) error {
	if ref == "" || strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, " \t\n\x00:") {
		return fmt.Errorf("%q is not a commit, branch or tag", ref)
	}
	return nil
}

func (g gitRunner) run(ctx context.Context, args ...string) (string, error) {
	program := g.program
	if program == "" {
		found, err := exec.LookPath("git")
		if err != nil {
			return "", errors.New("git is not installed, or not on PATH")
		}
		program = found
	}
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	// Reading the configuration starts nothing, whatever stands in it.
	keys, err := g.start(ctx, program, nil, "config", "--list", "--name-only", "-z")
	if err != nil {
		return "", err
	}
	off, err := switchOff(keys.String())
	if err != nil {
		return "", err
	}
	out, err := g.start(ctx, program, off, args...)
	if err != nil {
		return "", err
	}
	if out.full {
		out.buf.WriteString("\n(the output is longer; it is cut here)\n")
	}
	if out.buf.Len() == 0 {
		return "(nothing)", nil
	}
	return out.String(), nil
}

// maxDrivers bounds the settings of one repository that are switched off.
const maxDrivers = 500

// switchOff returns the environment that takes the programs out of a
// repository's filters and diff drivers. They have names of the repository's
// choice, so each must be named; the environment carries any name, where an
// option -c would split it at an equals sign.
func switchOff(keys string) ([]string, error) {
	var env []string
	count := 0
	for key := range strings.SplitSeq(keys, "\x00") {
		section, _, _ := strings.Cut(key, ".")
		last := key[strings.LastIndexByte(key, '.')+1:]
		value := ""
		switch section + "." + last {
		case "filter.clean", "filter.smudge", "filter.process", "diff.command", "diff.textconv":
		case "filter.required":
			value = "false"
		default:
			continue
		}
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", count, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", count, value))
		if count++; count > maxDrivers {
			return nil, errors.New("the repository's configuration has too many filters")
		}
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(count)), nil
}

// start runs git once, with nothing of the user's environment.
func (g gitRunner) start(ctx context.Context, program string, env []string, args ...string) (*bounded, error) {
	hard := []string{"--no-pager", "--literal-pathspecs",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.pager=cat", "-c", "diff.external=",
		"-c", "core.untrackedCache=false", "-c", "log.showSignature=false", "-c", "protocol.allow=never"}
	cmd := exec.CommandContext(ctx, program, append(hard, args...)...)
	cmd.Dir = g.root
	cmd.WaitDelay = time.Second
	// The ceiling keeps git from finding a repository above the folder, the
	// work tree from one that the repository puts elsewhere.
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES=" + g.ceiling(), "GIT_WORK_TREE=" + g.root, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}, env...)
	var out, problems bounded
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("git %s was stopped: %w", args[0], ctx.Err())
		}
		if said := strings.TrimSpace(problems.String()); said != "" {
			return nil, errors.New(said)
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return &out, nil
}

// ceiling is the folder above the root, in its real spelling.
func (g gitRunner) ceiling() string {
	return parentOf(g.root)
}

// bounded keeps the first gitOutput bytes.
type bounded struct {
	buf  bytes.Buffer
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := gitOutput - b.buf.Len(); room < len(p) {
		b.full = true
		b.buf.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.buf.Write(p)
}

func (b *bounded) String() string { return b.buf.String() }
