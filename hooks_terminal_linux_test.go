package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hookStage is a stage with two hooks before calls and one after, which nobody trusts.
func hookStage(t *testing.T) *turnStage {
	t.Helper()
	s := newTurnStage(t, "hooks:\n  pre_tool_call:\n    - {matcher: mcp__desk__add, command: \"~/first.sh\"}\n    - {matcher: mcp__desk__add, command: \"~/second.sh\"}\n  post_tool_call:\n    - {command: \"~/gone.sh\"}\n")
	for _, name := range []string{"first.sh", "second.sh"} {
		path := filepath.Join(s.dir, name)
		writeFile(t, path, "#!/bin/sh\necho "+name+" >> \"$HOME/ran\"\n")
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// states are those of the three hooks.
func (s *turnStage) states(ctx context.Context) string {
	s.t.Helper()
	said, _ := s.hermes(ctx, "hooks", "list", "--json")
	var out []string
	for line := range strings.Lines(said) {
		if word, ok := strings.CutPrefix(strings.TrimSpace(line), `"state": "`); ok {
			out = append(out, strings.TrimRight(word, "\","))
		}
	}
	return strings.Join(out, " ")
}

// TestTrustInATerminal asks about each hook that is not trusted: Enter is no, ESC or
// an interrupt ends it and keeps what was said before, a hook that cannot run is not
// asked about. Without a terminal nothing is asked and nothing is trusted.
func TestTrustInATerminal(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	s := hookStage(t)
	if said, code := s.hermes(ctx, "hooks", "trust"); code != 1 || !strings.Contains(said, "name the hook") || s.states(ctx) != "untrusted untrusted unusable" {
		t.Fatalf("exit code %d, %s: %s", code, s.states(ctx), said)
	}
	p := sit(t, s.home, "hooks", "trust")
	p.reads("first.sh").reads("sha256 ").reads("Let this hook run?").types("\r").reads("second.sh").reads("Let this hook run?").types("y\r").reads("Trusted.")
	if text := p.leaves(0); strings.Contains(text, "gone.sh") {
		t.Errorf("asked about what cannot run: %s", text)
	}
	if got := s.states(ctx); got != "untrusted trusted unusable" {
		t.Errorf("the hooks are %s", got)
	}
	p = sit(t, s.home, "hooks", "trust")
	p.reads("Let this hook run?").types("\x03")
	p.leaves(130)
	p = sitAt(t, s.home, "dumb", "hooks", "trust")
	p.reads("Let this hook run?").types("yes\n").reads("Trusted.")
	p.leaves(0)
	if got := s.states(ctx); got != "trusted trusted unusable" {
		t.Errorf("the hooks are %s", got)
	}
	p = sit(t, s.home, "hooks", "trust")
	p.reads("There is no hook to trust.")
	p.leaves(0)
	if _, err := os.Stat(filepath.Join(s.dir, "ran")); err == nil {
		t.Error("trusting ran a hook")
	}
}

// TestRevokeWhileAChatRuns takes the trust in a hook back in another program: the
// next call of the chat that runs is blocked.
func TestRevokeWhileAChatRuns(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	s := hookStage(t)
	for _, name := range []string{"1", "2"} {
		if said, code := s.hermes(ctx, "hooks", "trust", name); code != 0 {
			t.Fatal(said)
		}
	}
	p := sit(t, s.home, "chat")
	p.reads("Ctrl-D leaves.").types("four\r").reads("All of it is over.")
	if got := s.did("add"); len(got) != 4 {
		t.Errorf("it did %q", got)
	}
	if said, code := s.hermes(ctx, "hooks", "revoke", "second.sh"); code != 0 {
		t.Fatal(said)
	}
	p.types("four again\r").reads("blocked").reads("All of it is over.").types("\x04")
	p.leaves(0)
	if got := s.did("add"); len(got) != 4 {
		t.Errorf("after the revocation it did %q", got)
	}
	if results := s.results(); len(results) != 8 || !strings.Contains(results[7], "hermes hooks trust") {
		t.Errorf("the model read %q", results)
	}
	s.unjudged()
}
