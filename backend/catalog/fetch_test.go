package catalog

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakeNpm puts a program that answers like npm first on PATH.
func fakeNpm(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestVerify(t *testing.T) {
	hash := "sha512-" + strings.Repeat("A", 86) + "=="
	m := manifest(t, "  env: {MODE: quiet}", "  integrity: {'@scope/demo': '"+hash+"'}")
	fakeNpm(t, `[ "$4" = @scope/demo@1.2.3 ] && echo '"`+hash+`"'`)
	if checked, unknown, err := Verify(t.Context(), m); err != nil || len(checked) != 1 || len(unknown) != 0 {
		t.Errorf("%v %v %v", checked, unknown, err)
	}
	fakeNpm(t, `echo '"sha512-other"'`)
	var mismatch *Mismatch
	if _, _, err := Verify(t.Context(), m); !errors.As(err, &mismatch) || mismatch.Have != "sha512-other" {
		t.Errorf("%v", err)
	}
	for script, want := range map[string]string{
		`echo '{"error":{"code":"ENOTFOUND","summary":"no network"}}'; exit 1`: "ENOTFOUND no network",
		`echo no idea >&2; exit 3`: "no idea",
		`echo '{}'`:                "no hash",
		`:`:                        "no hash",
	} {
		fakeNpm(t, script)
		var unchecked *Unchecked
		if _, _, err := Verify(t.Context(), m); !errors.As(err, &unchecked) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	var unchecked *Unchecked
	if _, _, err := Verify(t.Context(), m); !errors.As(err, &unchecked) || !strings.Contains(err.Error(), "not on PATH") {
		t.Errorf("%v", err)
	}
	if checked, unknown, err := Verify(t.Context(), manifest(t)); err != nil || len(checked) != 0 || len(unknown) != 1 {
		t.Errorf("without a hash: %v %v %v", checked, unknown, err)
	}
}

func TestPinned(t *testing.T) {
	hash := map[string]string{"@scope/demo": "sha512-x"}
	for args, want := range map[string]bool{
		"-y @scope/demo@1.2.3 --registry x":                   true,
		"--yes --package=@scope/demo@1.2.3 demo":              true,
		"-y -p @scope/demo@1.2.3 demo":                        true,
		"-y @scope/demo@1.2.3-beta.1":                         true,
		"-y @scope/demo":                                      false,
		"-y @scope/demo@latest":                               false,
		"-y @scope/demo@^1.2.3":                               false,
		"-y @scope/demo@1":                                    false,
		"--registry=https://example.com -y @scope/demo@1.2.3": false,
		"-y @scope/other@1.2.3":                               false,
	} {
		m := Manifest{Command: "npx", Args: strings.Fields(args), Integrity: hash}
		packages := m.Packages()
		if len(packages) != 1 || m.Pinned(packages[0]) != want {
			t.Errorf("%s: %v, pinned %v", args, packages, !want)
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=u", "-c", "user.email=u@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestFetchPinsTheCommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs git and a POSIX shell")
	}
	source := t.TempDir()
	git(t, source, "init", "-q")
	write(t, filepath.Join(source, "a"), "first")
	git(t, source, "add", ".")
	git(t, source, "commit", "-q", "-m", "one")
	first := git(t, source, "rev-parse", "HEAD")
	write(t, filepath.Join(source, "a"), "second")
	git(t, source, "commit", "-q", "-a", "-m", "two")

	dir := filepath.Join(t.TempDir(), "installs", "demo")
	var log bytes.Buffer
	g := Git{URL: "file://" + source, Ref: first, Bootstrap: []string{"echo built > built", "cat a"}}
	if err := Fetch(t.Context(), g, dir, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "a")); string(data) != "first" {
		t.Errorf("the commit is not the pinned one: %q", data)
	}
	if !strings.Contains(log.String(), "$ cat a\nfirst") {
		t.Errorf("log %q", log.String())
	}
	// A failed build leaves what was there.
	for _, bad := range []Git{
		{URL: g.URL, Ref: first, Bootstrap: []string{"rm a", "exit 3", "touch never"}},
		{URL: g.URL, Ref: strings.Repeat("0", 40)},
		{URL: g.URL + "-gone", Ref: first},
	} {
		if err := Fetch(t.Context(), bad, dir, &log); err == nil {
			t.Errorf("%+v: no error", bad)
		}
		if data, _ := os.ReadFile(filepath.Join(dir, "built")); string(data) != "built\n" {
			t.Errorf("%+v: the earlier install is gone", bad)
		}
		if _, err := os.Stat(dir + ".old"); err == nil {
			t.Errorf("%+v: an old folder is left", bad)
		}
	}
}
