//go:build linux

package hook_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/hook"
)

// exchanging is a starter in front of which somebody exchanges files: they were
// checked, and nothing runs yet.
type exchanging struct {
	hook.Starter
	exchange func()
}

func (s exchanging) Run(ctx context.Context, p hook.Program) (hook.Ended, error) {
	s.exchange()
	return s.Starter.Run(ctx, p)
}

// TestExchangedBeforeItStarts: whatever is put in the place of a file between its
// check and its start, what runs is what was checked. What is put there says yes
// and puts the old one back, so that nobody would see it afterwards.
func TestExchangedBeforeItStarts(t *testing.T) {
	const strict = "#!/bin/sh\nexit 2\n"
	link := func(h *home) {
		h.must(os.Symlink("v2", h.path("g.new")))
		h.must(os.Rename(h.path("g.new"), h.path("g")))
	}
	folder := func(h *home) {
		h.must(os.Rename(h.path("v1"), h.path("away")))
		h.must(os.Rename(h.path("v2"), h.path("v1")))
	}
	for name, c := range map[string]struct {
		command, file string
		good, bad     string
		exchange      func(h *home)
	}{
		"a script by a link to its folder": {"~/g/x", "x", strict, "#!/bin/sh\n", link},
		"a script by its folder":           {"~/v1/x", "x", strict, "#!/bin/sh\n", folder},
		"a script over it":                 {"~/v1/x", "x", strict, "#!/bin/sh\n", func(h *home) { h.must(os.Rename(h.path("v2/x"), h.path("v1/x"))) }},
		"a script in its place":            {"~/v1/x", "x", strict, "#!/bin/sh\n", func(h *home) { h.must(os.WriteFile(h.path("v1/x"), []byte("#!/bin/sh\ntouch ~/ran\n"), 0o700)) }},
		"an interpreter":                   {"~/byinterpreter", "x", strict, "#!/bin/sh\n", link},
		"an interpreter by env":            {"~/byenv", "x", strict, "#!/bin/sh\n", link},
		"an interpreter by env -S":         {"~/bysplit", "x", strict, "#!/bin/sh\n", link},
		"an argument":                      {"/bin/sh ~/g/x", "x", "exit 2\n", "", link},
		"an argument of an option":         {"~/reads --file=g/x", "x", "2", "0", link},
		"an argument on an option":         {"~/reads -fg/x", "x", "2", "0", folder},
		"a program":                        {"~/g/x -c 'exit 2'", "x", "", "#!/bin/sh\n", link},
		"an argument that is a program":    {"/usr/bin/env ~/g/x -c 'exit 2'", "x", "", "#!/bin/sh\n", link},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.options.Environment.Path = h.path("g") + ":" + h.options.Environment.Path
			h.must(os.Mkdir(h.path("v1"), 0o700))
			h.must(os.Mkdir(h.path("v2"), 0o700))
			h.must(os.Symlink("v1", h.path("g")))
			if c.good == "" {
				shell, err := os.ReadFile("/bin/sh")
				h.must(err)
				c.good = string(shell)
			}
			back := "cd " + h.dir + "; touch ran; ln -s v1 g.old; mv -T g.old g; [ ! -d away ] || { mv v1 v2; mv away v1; }\nexit 0\n"
			if c.bad == "0" {
				back = "" // the bad one is data
			}
			h.file("v1/"+c.file, c.good)
			h.file("v2/"+c.file, c.bad+back)
			h.file("byinterpreter", "#!"+h.path("g/x")+"\n")
			h.file("byenv", "#!/usr/bin/env x\n")
			h.file("bysplit", "#!/usr/bin/env -S A=1 x\n")
			h.script("reads", `f=${1#-f}; f=${f#--file=}; read -r code < "$f"; exit "$code"`)
			rule := hook.Rule{Event: hook.EventPreToolCall, Command: c.command, FailOpen: true}
			runner := h.trusted(rule)
			// As it is, it blocks.
			if got := runner.Before(t.Context(), aCall()); got.Decision != hook.Block || strings.Contains(got.Reason, "failed") || strings.Contains(got.Reason, "consent") {
				t.Fatalf("%+v", got)
			}
			h.options.Starter = exchanging{h.options.Starter, func() { c.exchange(h) }}
			if got := h.runner(rule).Before(t.Context(), aCall()); got.Decision != hook.Block || h.there("ran") {
				t.Errorf("%+v, the other one ran: %v", got, h.there("ran"))
			}
			h.nothingIsLeft()
		})
	}
}

// TestTouchedAndNotStarted: whoever touches a hook so that it does not start opens
// nothing, whatever the rule says of failures.
func TestTouchedAndNotStarted(t *testing.T) {
	h := newHome(t)
	rule := h.pre("guard.sh", "exit 2")
	rule.FailOpen = true
	h.trusted(rule)
	h.options.Starter = exchanging{h.options.Starter, func() {
		h.file("guard.sh", "exit 0")
		h.must(os.RemoveAll(h.path("native/hookrun")))
	}}
	h.options.Environment.Dir = h.path("gone")
	if got := h.runner(rule).Before(t.Context(), aCall()); got.Decision != hook.Block {
		t.Errorf("%+v", got)
	}
}

func (h *home) nothingIsLeft() {
	h.t.Helper()
	if left, _ := filepath.Glob(h.path("native/hookrun/*")); len(left) > 0 {
		h.t.Errorf("left: %v", left)
	}
}

// TestLinkThatFlips: a link that leads to the trusted folder and to another one
// in turn lets no call through and runs nothing of the other.
func TestLinkThatFlips(t *testing.T) {
	h := newHome(t)
	for _, name := range []string{"v1", "v2"} {
		h.must(os.Mkdir(h.path(name), 0o700))
	}
	h.file("v1/guard.sh", "#!/bin/sh\nexit 2\n")
	h.file("v2/guard.sh", "#!/bin/sh\ncd "+h.dir+"; touch ran; ln -s v1 g.old; mv -T g.old g\n")
	h.must(os.Symlink("v1", h.path("g")))
	rule := hook.Rule{Event: hook.EventPreToolCall, Command: "~/g/guard.sh", FailOpen: true}
	runner := h.trusted(rule)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ctx.Err() == nil; i++ {
			_ = os.Symlink([]string{"v2", "v1"}[i%2], h.path("g.new"))
			_ = os.Rename(h.path("g.new"), h.path("g"))
		}
	}()
	for range 60 {
		if got := runner.Before(t.Context(), aCall()); got.Decision != hook.Block {
			t.Errorf("%+v", got)
		}
	}
	stop()
	<-ended
	if h.there("ran") {
		t.Error("what nobody trusted ran")
	}
}

// TestScriptFindsItsParts: a script runs as a copy, and finds its name, its
// arguments and what stands beside it.
func TestScriptFindsItsParts(t *testing.T) {
	h := newHome(t)
	h.must(os.Mkdir(h.path("my hooks"), 0o700))
	h.file("my hooks/lib.sh", "say() { echo \"{\\\"action\\\":\\\"block\\\",\\\"message\\\":\\\"$1\\\"}\"; }\n")
	h.file("my hooks/guard.sh", "#!/bin/sh -e\n. \"$(dirname \"$0\")/lib.sh\"\nfalse && echo no\ncase $- in *e*) say \"$(basename \"$0\") $# $1 $(pwd) $(cat \"$2\")\";; esac\n")
	h.file("rules.txt", "strict")
	rule := hook.Rule{Event: hook.EventPreToolCall, Command: "'" + h.path("my hooks/guard.sh") + "' 'a b' rules.txt"}
	got := h.trusted(rule).Before(t.Context(), aCall())
	has(t, got.Reason, "guard.sh 2 a b "+h.dir+" strict")
	h.nothingIsLeft()
	// A program of the machine keeps its name and its place.
	sh, err := exec.LookPath("sh")
	h.must(err)
	rule = hook.Rule{Event: hook.EventPreToolCall, Command: sh + ` -c 'echo "$0 $(readlink /proc/$$/exe)" >&2; exit 2'`}
	real, err := filepath.EvalSymlinks(sh)
	h.must(err)
	has(t, h.trusted(rule).Before(t.Context(), aCall()).Reason, sh+" "+real)
}
