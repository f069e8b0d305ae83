//go:build unix

package hook_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/backend/hook"
)

// TestConsentIsForTheContent: each row changes something after a person trusted
// the hook, and says whether it may still run.
func TestConsentIsForTheContent(t *testing.T) {
	for name, c := range map[string]struct {
		change func(h *home)
		may    bool
		words  string
	}{
		"nothing":        {func(*home) {}, true, ""},
		"same again":     {func(h *home) { h.script("guard.sh", "exec cat helper.txt") }, true, ""},
		"only touched":   {func(h *home) { h.must(os.Chtimes(h.path("guard.sh"), time.Time{}, time.Now().Add(time.Hour))) }, true, ""},
		"unnamed helper": {func(h *home) { h.file("helper.txt", "{ }") }, true, ""}, // docs/SECURITY.md says so
		"edited":         {func(h *home) { h.script("guard.sh", "true") }, false, "guard.sh"},
		"edited, old date": {func(h *home) {
			info, err := os.Stat(h.path("guard.sh"))
			h.must(err)
			h.script("guard.sh", "true")
			h.must(os.Chtimes(h.path("guard.sh"), info.ModTime(), info.ModTime()))
		}, false, "guard.sh"},
		"a link": {func(h *home) {
			h.script("other.sh", "true")
			h.must(os.Remove(h.path("guard.sh")))
			h.must(os.Symlink(h.path("other.sh"), h.path("guard.sh")))
		}, false, "other.sh"},
		"a link to the same": {func(h *home) {
			h.must(os.Rename(h.path("guard.sh"), h.path("moved.sh")))
			h.must(os.Symlink(h.path("moved.sh"), h.path("guard.sh")))
		}, false, "moved.sh"},
		"interpreter":  {func(h *home) { h.file("mysh", "#!/bin/sh\ntrue\n") }, false, "mysh"},
		"an argument":  {func(h *home) { h.file("rules.txt", "lax") }, false, "rules.txt"},
		"by an option": {func(h *home) { h.file("conf.txt", "lax") }, false, "conf.txt"},
		"no argument":  {func(h *home) { h.must(os.Remove(h.path("rules.txt"))) }, false, "rules.txt"},
		"gone":         {func(h *home) { h.must(os.Remove(h.path("guard.sh"))) }, false, "cannot be run"},
		"no program":   {func(h *home) { h.must(os.Chmod(h.path("guard.sh"), 0o600)) }, false, "cannot be run"},
		"a folder": {func(h *home) {
			h.must(os.Remove(h.path("guard.sh")))
			h.must(os.Mkdir(h.path("guard.sh"), 0o700))
		}, false, "cannot be run"},
		"no consents":     {func(h *home) { h.must(os.Remove(h.path("native/hooks.json"))) }, false, "nobody's consent"},
		"broken consents": {func(h *home) { h.file("native/hooks.json", "{") }, false, "hooks.json"},
		"later consents":  {func(h *home) { h.file("native/hooks.json", `{"version":2,"hooks":[]}`) }, false, "version 2"},
		"linked consents": {func(h *home) {
			h.must(os.Rename(h.path("native/hooks.json"), h.path("mine.json")))
			h.must(os.Symlink(h.path("mine.json"), h.path("native/hooks.json")))
		}, false, "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.file("mysh", "#!/bin/sh\nexec /bin/sh \"$@\"\n")
			h.file("helper.txt", "{}")
			h.file("rules.txt", "strict")
			h.file("conf.txt", "strict")
			h.script("guard.sh", "exec cat helper.txt")
			rule := hook.Rule{Event: hook.EventPreToolCall, Matcher: "mcp__files__.*", Command: "./mysh ~/guard.sh rules.txt --conf=conf.txt -v", FailOpen: true}
			runner := h.trusted(rule)
			if got := runner.Before(t.Context(), aCall()); got.Decision != hook.Allow {
				t.Fatalf("%+v", got)
			}
			c.change(h)
			// A shell reads a script that is no program; as a program it is none.
			if name == "no program" || name == "gone" || name == "a folder" {
				rule.Command = "~/guard.sh"
				h.script("second.sh", "true")
			}
			got := h.runner(rule).Before(t.Context(), aCall())
			if (got.Decision == hook.Allow) != c.may {
				t.Errorf("%+v", got)
			}
			if !c.may {
				has(t, got.Reason, c.words, "hermes hooks trust", "not sent")
			}
		})
	}
}

// TestTouchedWhileItRuns: the answer of a hook whose file was put back before it
// ended counts for nothing, whatever the rule says of failures.
func TestTouchedWhileItRuns(t *testing.T) {
	for name, body := range map[string]string{
		"edited": "echo '#' >> guard.sh",
		"swapped and put back": `mv guard.sh away
cp away guard.sh
rm guard.sh
mv away guard.sh`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			rule := h.pre("guard.sh", body+"\nexit 0")
			rule.FailOpen = true
			got := h.trusted(rule).Before(t.Context(), aCall())
			if got.Decision != hook.Block {
				t.Fatalf("%+v", got)
			}
			has(t, got.Reason, "changed while it ran")
		})
	}
}

func TestConsentFile(t *testing.T) {
	h := newHome(t)
	rule := h.pre("guard.sh", "true")
	runner := h.trusted(rule)
	path := h.path("native/hooks.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	shell, err := filepath.EvalSymlinks("/bin/sh")
	h.must(err)
	consents, err := h.options.Consents.List()
	if err != nil || len(consents) != 1 || len(consents[0].Files) != 2 || consents[0].Files[0].Path != h.path("guard.sh") || consents[0].Files[1].Path != shell || len(consents[0].Files[0].SHA256) != 64 || consents[0].ApprovedAt.IsZero() {
		t.Fatalf("%v %+v", err, consents)
	}
	// A person trusts what was shown.
	seen := runner.Examine(rule).Files
	h.script("guard.sh", "exit 0")
	if _, err := runner.Approve(rule, seen, time.Now()); err == nil || !strings.Contains(err.Error(), "look again") {
		t.Error(err)
	}
	h.approve(runner, rule)
	if consents, _ := h.options.Consents.List(); len(consents) != 1 {
		t.Errorf("%+v", consents)
	}
	other := rule
	other.Matcher = "x"
	if gone, err := h.options.Consents.Revoke(other); gone || err != nil {
		t.Errorf("%v %v", gone, err)
	}
	if gone, err := h.options.Consents.Revoke(rule); !gone || err != nil {
		t.Errorf("%v %v", gone, err)
	}
	if trust := runner.Examine(rule); trust.State != hook.Untrusted {
		t.Errorf("%+v", trust)
	}
	// A damaged file trusts nobody and is replaced.
	h.file("native/hooks.json", "garbage")
	h.approve(runner, rule)
	if !h.there("native/hooks.json.damaged") {
		t.Error("the damaged file is gone")
	}
	data, err := os.ReadFile(path)
	if err != nil || !json.Valid(data) {
		t.Errorf("%s %v", data, err)
	}
}

// TestFilesOfACommand: what is bound beside the words of a command.
func TestFilesOfACommand(t *testing.T) {
	h := newHome(t)
	h.options.Environment.Path = "relative:" + h.path("bin") + ":/bin:/usr/bin"
	h.must(os.Mkdir(h.path("bin"), 0o700))
	h.must(os.Mkdir(h.path("relative"), 0o700))
	h.file("relative/found", "")
	h.script("bin/found", "true")
	h.file("bin/loop", "#!"+h.path("bin/loop")+"\n")
	h.file("bin/byenv", "#!/usr/bin/env -S A=1 found -x\n")
	h.file("bin/orphan", "#!/nowhere/python\n")
	h.file("a file", "x")
	h.script("g.sh", "true")
	base := func(trust hook.Trust) string {
		var names []string
		for _, file := range trust.Files {
			names = append(names, filepath.Base(file.Path))
		}
		return strings.Join(names, " ")
	}
	sh, _ := filepath.EvalSymlinks("/bin/sh")
	env, _ := filepath.EvalSymlinks("/usr/bin/env")
	shell, byEnv := filepath.Base(sh), filepath.Base(env)
	for command, want := range map[string]string{
		"found":                          "found " + shell,
		"byenv":                          "byenv " + byEnv + " found " + shell,
		"found 'a file' nothing":         "found " + shell + " a file",
		`found "a file" a\ file`:         "found " + shell + " a file",
		"found --x='a file' y=bin":       "found " + shell + " a file",
		"found ~/bin ~/'a file' '~/'":    "found " + shell + " a file",
		"relative/found":                 "found",
		"sh -c 'a file'":                 shell + " a file",
		`sh -c "sh ~/g.sh"`:              shell + " g.sh",
		`sh -c "cd / && . $HOME/g.sh"`:   shell + " g.sh",
		`sh -c "cat '~/a file'"`:         shell,
		`sh -c 'cat "a file" x'`:         shell + " a file",
		`sh -c 'true > g.sh; true>g.sh'`: shell,
		`sh -c "true;(./g.sh)"`:          shell + " g.sh",
		`/usr/bin/env -S "sh g.sh"`:      byEnv + " g.sh",
		"sh -e" + h.path("g.sh"):         shell + " g.sh",
		"sh -lfg.sh":                     shell,
		"sh -fg.sh":                      shell + " g.sh",
		"found A=g.sh":                   "found " + shell + " g.sh",
		"loop":                           "",
		"orphan":                         "",
		"nowhere":                        "",
		"found 'x":                       "",
		"found \\":                       "",
		"''":                             "",
		"  ":                             "",
		"found x\x00y":                   "",
	} {
		trust := h.runner().Examine(hook.Rule{Event: hook.EventPreToolCall, Command: command})
		if got := base(trust); got != want || (trust.State == hook.Unusable) != (want == "") {
			t.Errorf("%q: %q %+v, want %q", command, got, trust, want)
		}
	}
}

func (h *home) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// TestTextsOfPrograms: a person who trusts a command with a program text in it is
// told that not every file can be known.
func TestTextsOfPrograms(t *testing.T) {
	h := newHome(t)
	h.script("g.sh", "true")
	h.file("a file", "")
	for command, want := range map[string]bool{
		"~/g.sh": false, "sh ~/g.sh --strict": false, "sh 'a file'": false, "~/g.sh a=b": false,
		`sh -c "sh ~/g.sh"`: true, "sh -c ./x": true, "sh -c ./g.sh": true, `/usr/bin/env -S "sh g.sh"`: true, `sh ~/g.sh "two words"`: true, "sh -lc guard": true,
	} {
		trust := h.runner().Examine(hook.Rule{Event: hook.EventPreToolCall, Command: command})
		if (trust.Note != "") != want {
			t.Errorf("%s: %q", command, trust.Note)
		}
	}
}
