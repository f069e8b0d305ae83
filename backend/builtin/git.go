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
// diffs, text conversions and the file-system monitor are off, and nothing of
// the user's or the system's configuration is read.
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
			args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"}
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
			return answer(git.run(ctx, "show", "--no-ext-diff", "--no-textconv", "--no-color", in.Commit, "--"))
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
	hard := []string{"--no-pager", "--literal-pathspecs",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.pager=cat", "-c", "diff.external=",
		"-c", "core.untrackedCache=false", "-c", "log.showSignature=false", "-c", "protocol.allow=never"}
	cmd := exec.CommandContext(ctx, program, append(hard, args...)...)
	cmd.Dir = g.root
	cmd.WaitDelay = time.Second
	// The ceiling keeps git from finding a repository above the folder.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_CEILING_DIRECTORIES=" + g.ceiling(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	var out, problems bounded
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", fmt.Errorf("git %s was stopped: %w", args[0], ctx.Err())
		}
		if said := strings.TrimSpace(problems.String()); said != "" {
			return "", errors.New(said)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	if out.full {
		out.buf.WriteString("\n(the output is longer; it is cut here)\n")
	}
	if out.buf.Len() == 0 {
		return "(nothing)", nil
	}
	return out.String(), nil
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
