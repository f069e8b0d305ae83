//go:build unix

package hook_test

import (
	"testing"

	"hermes/backend/hook"
)

// TestMatching: which names a hook has a word about, by what stands for them.
func TestMatching(t *testing.T) {
	h := newHome(t)
	command := h.script("guard.sh", "true")
	rule := func(matcher string) hook.Rule {
		return hook.Rule{Event: hook.EventPreToolCall, Matcher: matcher, Command: command, Where: "config.yaml:7"}
	}
	after := rule("")
	after.Event = hook.EventPostToolCall
	unasked := rule(".*__read_.*")
	write := "mcp__files__write_file"
	for _, test := range []struct {
		name    string
		rules   []hook.Rule
		names   []string
		decides int
		words   []string // of a refusal
	}{
		{"no hooks", nil, []string{write}, 0, nil},
		{"full match", []hook.Rule{rule("mcp__.*__(create|write)_.*")}, []string{write}, 1, nil},
		{"part of a name is no match", []hook.Rule{rule("write|files")}, []string{write}, 0, nil},
		{"the end of a name is no match", []hook.Rule{rule("write_file")}, []string{write}, 0, nil},
		{"the start of a name is no match", []hook.Rule{rule("mcp__files")}, []string{write}, 0, nil},
		{"alternatives are anchored as a whole", []hook.Rule{rule("mcp|x")}, []string{write}, 0, nil},
		{"no matcher", []hook.Rule{rule("")}, []string{write}, 1, nil},
		{"a star", []hook.Rule{rule("*")}, []string{write}, 1, nil},
		{"two of three", []hook.Rule{rule("x"), rule(".*write.*"), rule("")}, []string{write}, 2, nil},
		{"any of its names", []hook.Rule{rule(write)}, []string{write + "_a1b2c3", write}, 1, nil},
		{"one that only observes", []hook.Rule{after}, []string{write}, 0, nil},
		{"broken", []hook.Rule{rule("(")}, []string{"other"}, 0, []string{"config.yaml:7", "every tool"}},
		{"broken but for our brackets", []hook.Rule{rule("a)|(b")}, []string{"other"}, 0, []string{"every tool"}},
		{"a look-ahead this engine cannot read", []hook.Rule{rule("(?!mcp__safe)mcp.*")}, []string{"other"}, 0, []string{"every tool"}},
		{"nobody trusts it", []hook.Rule{rule(""), unasked}, []string{"mcp__files__read_file"}, 0, []string{"consent", "hermes hooks trust", "config.yaml:7"}},
		{"nobody trusts another", []hook.Rule{unasked}, []string{write}, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			runner := h.runner(test.rules...)
			for _, r := range test.rules {
				if r != unasked {
					h.approve(runner, r)
				}
			}
			refused, decides := runner.Standing(test.names...)
			if len(decides) != test.decides || (refused != "") != (test.words != nil) {
				t.Errorf("%q %+v", refused, decides)
			}
			has(t, refused, test.words...)
		})
	}
	if refused, _ := (&hook.Runner{}).Standing(write); refused == "" {
		t.Error("hooks that were not read refuse nothing")
	}
}
