package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes one with two commits and a change.
func repository(t *testing.T, root string) {
	t.Helper()
	put(t, root, "a.txt", "first\n")
	run(t, root, "init", "-q", "-b", "main")
	run(t, root, "add", ".")
	run(t, root, "commit", "-q", "-m", "Begin")
	put(t, root, "a.txt", "second\n")
	run(t, root, "commit", "-q", "-a", "-m", "Go on")
	put(t, root, "a.txt", "third\n")
}

func run(t *testing.T, root string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b.invalid", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b.invalid"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
}

func TestGit(t *testing.T) {
	root := t.TempDir()
	repository(t, root)
	p := connect(t, "git", root)
	for _, test := range []struct {
		tool string
		args anything
		want []string
	}{
		{"log", nil, []string{"Go on", "Begin"}},
		{"log", anything{"limit": 1}, []string{"Go on"}},
		{"log", anything{"path": "a.txt"}, []string{"Begin"}},
		{"status", nil, []string{"## main", " M a.txt"}},
		{"diff", nil, []string{"-second", "+third"}},
		{"diff", anything{"from": "HEAD~1", "to": "HEAD"}, []string{"-first", "+second"}},
		{"show", anything{"commit": "main"}, []string{"Go on", "-first"}},
	} {
		got := p.good(test.tool, test.args)
		for _, part := range test.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s %v lacks %q: %s", test.tool, test.args, part, got)
			}
		}
	}
	if got := p.good("log", anything{"limit": 1}); strings.Contains(got, "Begin") {
		t.Errorf("the limit does not hold: %s", got)
	}
}

func TestGitTakesNoOptions(t *testing.T) {
	root := t.TempDir()
	repository(t, root)
	p := connect(t, "git", root)
	proof := filepath.Join(t.TempDir(), "proof")
	for _, ref := range []string{"--output=" + proof, "-O" + proof, "", " ", "a b", "HEAD:../../etc/passwd", "--help"} {
		p.bad("show", anything{"commit": ref})
		if ref != "" {
			p.bad("diff", anything{"from": ref})
			p.bad("diff", anything{"from": "HEAD", "to": ref})
		}
	}
	p.call("log", anything{"path": "--output=" + proof})
	p.bad("log", anything{"path": "../../etc"})
	if _, err := os.Stat(proof); err == nil {
		t.Error("git wrote a file")
	}
}

func TestGitOutsideOfTheFolder(t *testing.T) {
	above := t.TempDir()
	repository(t, above)
	below := filepath.Join(above, "below")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := connect(t, "git", below).bad("log", nil); !strings.Contains(got, "not a git repository") {
		t.Errorf("got %s", got)
	}
}

// TestHostileRepositoryStartsNothing opens a repository whose configuration
// names a program for everything git would start one for.
func TestHostileRepositoryStartsNothing(t *testing.T) {
	root := t.TempDir()
	proof := filepath.Join(t.TempDir(), "proof")
	repository(t, root)
	script := put(t, t.TempDir(), "evil", "#!/bin/sh\necho \"$0 $*\" >>'"+proof+"'\ncat\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, root, ".gitattributes", "*.txt filter=evil diff=evil\n")
	put(t, root, ".git/info/attributes", "*.txt filter=evil.two diff=evil\n")
	for _, pair := range [][2]string{
		{"core.fsmonitor", script}, {"core.hooksPath", filepath.Dir(script)}, {"core.pager", script}, {"pager.log", script},
		{"core.sshCommand", script}, {"core.editor", script}, {"core.alternateRefsCommand", script},
		{"diff.external", script}, {"diff.evil.command", script}, {"diff.evil.textconv", script},
		{"filter.evil.clean", script}, {"filter.evil.smudge", script}, {"filter.evil.process", script}, {"filter.evil.required", "true"},
		{"filter.evil.two.clean", script}, {"filter.evil.two.process", script}, {"filter.evil.two.required", "true"},
		{"gpg.program", script}, {"log.showSignature", "true"}, {"alias.log", "!" + script}, {"alias.status", "!" + script},
		{"credential.helper", script},
	} {
		run(t, root, "config", pair[0], pair[1])
	}
	put(t, root, "a.txt", "fourth and longer\n")
	p := connect(t, "git", root)
	for tool, args := range map[string]anything{
		"log": {"path": "a.txt"}, "status": nil, "diff": nil, "show": {"commit": "HEAD"},
	} {
		if got, _ := p.call(tool, args); strings.Contains(got, "evil:") {
			t.Errorf("%s: %s", tool, got)
		}
		if data, err := os.ReadFile(proof); err == nil {
			t.Errorf("%s started a program: %s", tool, data)
			_ = os.Remove(proof)
		}
	}
	if got := p.good("diff", nil); !strings.Contains(got, "+fourth and longer") {
		t.Errorf("diff: %s", got)
	}
}

// TestHostileWorkTree points a repository's work tree elsewhere.
func TestHostileWorkTree(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	repository(t, root)
	put(t, elsewhere, "a.txt", "keep out\n")
	run(t, root, "config", "core.worktree", elsewhere)
	if got, _ := connect(t, "git", root).call("diff", nil); strings.Contains(got, "keep out") {
		t.Errorf("diff: %s", got)
	}
}

func TestGitOutputIsBounded(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a.txt", strings.Repeat("x\n", gitOutput))
	run(t, root, "init", "-q")
	run(t, root, "add", ".")
	run(t, root, "commit", "-q", "-m", "Big")
	got := connect(t, "git", root).good("show", anything{"commit": "HEAD"})
	if len(got) > gitOutput+100 || !strings.Contains(got, "it is cut here") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if got := connect(t, "git", t.TempDir()).bad("log", nil); !strings.Contains(got, "git is not installed") {
		t.Errorf("got %s", got)
	}
	if err := DemoHome(filepath.Join(t.TempDir(), "home")); err != nil {
		t.Errorf("the demo needs git: %v", err)
	}
}
