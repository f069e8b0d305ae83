package hook_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes/backend/hook"
	"hermes/backend/mcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// starter starts hooks as the program does.
type starter struct{ *mcp.Manager }

func (s starter) Run(ctx context.Context, p hook.Program) (hook.Ended, error) {
	end, err := s.RunTask(ctx, mcp.Task{Path: p.Path, Name: p.Name, Args: p.Args, Dir: p.Dir, Input: p.Input, Limit: p.Limit, MaxOutput: p.MaxOutput, MaxErrors: p.MaxErrors})
	return hook.Ended(end), err
}

// home is a folder with hooks in it.
type home struct {
	t       *testing.T
	dir     string
	options hook.Options
}

func newHome(t *testing.T) *home {
	t.Helper()
	manager := mcp.New(mcp.Options{})
	t.Cleanup(func() {
		if err := manager.Close(); err != nil {
			t.Error(err)
		}
	})
	// Links in the way to the folder for tests are not what is tested.
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "native"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &home{t, dir, hook.Options{
		Consents:    hook.Consents{Folder: filepath.Join(dir, "native")},
		Starter:     starter{manager},
		Environment: hook.Environment{Home: dir, Path: os.Getenv("PATH"), Dir: dir},
	}}
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

// file writes a file by replacing it, as an editor does.
func (h *home) file(name, text string) string {
	h.t.Helper()
	path := h.path(name)
	if err := os.WriteFile(path+".new", []byte(text), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func (h *home) script(name, body string) string { return h.file(name, "#!/bin/sh\n"+body+"\n") }

// pre is a rule for every tool that runs a script of this body.
func (h *home) pre(name, body string) hook.Rule {
	return hook.Rule{Event: hook.EventPreToolCall, Command: h.script(name, body), Where: "config.yaml:7", Timeout: time.Minute}
}

func (h *home) runner(rules ...hook.Rule) *hook.Runner {
	h.options.Rules = rules
	return hook.New(h.options)
}

// trusted is the runner of rules that a person trusts as they are now.
func (h *home) trusted(rules ...hook.Rule) *hook.Runner {
	h.t.Helper()
	runner := h.runner(rules...)
	for _, rule := range rules {
		h.approve(runner, rule)
	}
	return runner
}

func (h *home) approve(runner *hook.Runner, rule hook.Rule) {
	h.t.Helper()
	if trust, err := runner.Approve(rule, runner.Examine(rule).Files, time.Now()); err != nil || trust.State != hook.Trusted {
		h.t.Fatalf("not trusted: %v %+v", err, trust)
	}
}

func (h *home) there(name string) bool {
	_, err := os.Stat(h.path(name))
	return err == nil
}

// eventually looks again until ok, as long as the test may take.
func eventually(t *testing.T, ok func() bool) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			return
		}
	}
}

func aCall() hook.Call {
	return hook.Call{Session: "s1", Turn: "t1", ID: "call_1", Public: "mcp__files__write_ab12", Plain: "mcp__files__write", Server: "files", Tool: "write",
		Arguments: json.RawMessage(`{"path":"a.txt","size":12345678901234567890,"deep":{"a":1,"b":2}}`)}
}

func has(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q lacks %q", text, word)
		}
	}
}
