package main

import (
	"context"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"
)

// branded runs a command of the real program the way a detached child of a server
// would: with a session of its own, without the mark in its environment or in that
// of a process above, and with nothing but the brand that a server's processes carry.
func branded(ctx context.Context, t *testing.T, home string, args ...string) (string, error) {
	t.Helper()
	program := hermes(ctx, home, args...)
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", `read -r go; exec "$0" "$@"`}, program.Args...)...)
	cmd.Env, cmd.SysProcAttr = program.Env, &syscall.SysProcAttr{Setsid: true}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	brand := unix.Rlimit{Cur: 1<<61 | 7<<24 | 1, Max: 1<<61 | 7<<24 | 1}
	if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_LOCKS, &brand, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "go\n"); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	err = cmd.Wait()
	return out.String(), err
}

// TestDetachedChildrenArePersonsNowhere: a program that a server started, and that
// dropped its environment and has no parent left, begins nothing while the agent is
// at work, and neither serves the page, nor lifts the asking, nor edits, at rest.
func TestDetachedChildrenArePersonsNowhere(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 120*time.Second)
	defer cancel()
	o := newOpener(t)
	refused := func(args ...string) {
		out, err := branded(ctx, t, o.home, args...)
		if err == nil || !strings.Contains(out, "that a server or a hook started") || strings.Contains(out, "did secret") || strings.Contains(out, "opened:") {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
	o.within = func() {
		refused("chat", "--yolo", "-q", "secret")
		refused("mcp", "gateway")
		refused("mcp", "reload")
		refused("mcp", "add", "more", "--command", "true")
	}
	if out, err := hermes(ctx, o.home, "chat", "-q", "edit").CombinedOutput(); err != nil || o.heard("edit") != 1 || o.heard("secret") != 0 {
		t.Errorf("%v, secret was called %d times: %s", err, o.heard("secret"), out)
	}
	refused("serve", "--json")
	refused("chat", "--yolo", "-q", "edit")
	refused("mcp", "open", "demo")
}

// TestAPersonsYesReachesOthers: a yes for good on a card of one program counts for the
// client that is at work at the gateway of another, because a person's program tells
// it; taken back, it counts no more.
func TestAPersonsYesReachesOthers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 120*time.Second)
	defer cancel()
	g := newGated(t, "", "a")
	client := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: hermes(ctx, g.home, "mcp", "gateway")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	sends := func(want bool) {
		t.Helper()
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "mcp__web__send", Arguments: map[string]any{"text": "g"}})
		if err != nil || result.IsError == want {
			t.Errorf("%+v, %v", result, err)
		}
	}
	p := sit(t, g.home, "chat", "-q", "go")
	p.reads("Allow web/send?")
	sends(false)
	p.types("a\n").reads("allowed (always)").reads("It is done.")
	p.leaves(0)
	sends(true)
	if out, err := hermes(ctx, g.home, "mcp", "grants", "revoke", "1").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sends(false)
}
