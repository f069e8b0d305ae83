package hook_test

import (
	"strings"
	"testing"

	"hermes/backend/hook"
)

func TestBefore(t *testing.T) {
	rule := func(matcher string) hook.Rule {
		return hook.Rule{Event: "pre_tool_call", Matcher: matcher, Command: "~/bin/guard.sh", Where: "config.yaml:7"}
	}
	after := rule("")
	after.Event = "post_tool_call"
	write := "mcp__files__write_file"
	for _, test := range []struct {
		name    string
		set     hook.Set
		names   []string
		allowed bool
		words   []string
	}{
		{"the zero value", hook.Set{}, []string{write}, false, []string{"not read"}},
		{"no hooks", hook.Compile(nil), []string{write}, true, nil},
		{"full match", hook.Compile([]hook.Rule{rule("mcp__.*__(create|write)_.*")}), []string{write}, false, []string{"config.yaml:7: ", "~/bin/guard.sh", write, "not sent"}},
		{"part of a name is no match", hook.Compile([]hook.Rule{rule("write|files")}), []string{write}, true, nil},
		{"the end of a name is no match", hook.Compile([]hook.Rule{rule("write_file")}), []string{write}, true, nil},
		{"the start of a name is no match", hook.Compile([]hook.Rule{rule("mcp__files")}), []string{write}, true, nil},
		{"alternatives are anchored as a whole", hook.Compile([]hook.Rule{rule("mcp|x")}), []string{write}, true, nil},
		{"no matcher", hook.Compile([]hook.Rule{rule("")}), []string{write}, false, nil},
		{"the second of two hooks", hook.Compile([]hook.Rule{rule("x"), rule(".*write.*")}), []string{write}, false, nil},
		{"any of its names", hook.Compile([]hook.Rule{rule(write)}), []string{write + "_a1b2c3", write}, false, nil},
		{"a hook that only observes", hook.Compile([]hook.Rule{after}), []string{write}, true, nil},
		{"broken", hook.Compile([]hook.Rule{rule("(")}), []string{"other"}, false, []string{"config.yaml:7: ", "every tool"}},
		{"a look-ahead this engine cannot read", hook.Compile([]hook.Rule{rule("(?!mcp__safe)mcp.*")}), []string{"other"}, false, []string{"every tool"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.set.Before(test.names...)
			if got.Allowed != test.allowed || (got.Reason == "") != test.allowed {
				t.Errorf("got %+v, want allowed %v", got, test.allowed)
			}
			for _, word := range test.words {
				if !strings.Contains(got.Reason, word) {
					t.Errorf("the reason %q lacks %q", got.Reason, word)
				}
			}
		})
	}
	if (hook.Hold{}).Allowed {
		t.Error("a decision nobody made allows")
	}
}
