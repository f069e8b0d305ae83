//go:build unix

package mcp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// put writes a file below folder, with the folders it needs.
func put(t *testing.T, folder, path, text string, mode os.FileMode) string {
	t.Helper()
	path = filepath.Join(folder, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// desktop is a home whose profile does what the text says, with a launcher and
// its interpreter in a folder that only the profile may name.
func desktop(t *testing.T, profile string) (home string, environ []string) {
	t.Helper()
	home = t.TempDir()
	put(t, home, "nvm/bin/zzz-npx", "#!/usr/bin/env zzz-node\n", 0o700)
	put(t, home, "nvm/bin/zzz-node", "#!/bin/sh\nshift\nexec '"+os.Args[0]+"' \"$@\"\n", 0o700)
	put(t, home, ".profile", profile, 0o600)
	return home, []string{"PATH=/usr/bin:/bin", "HOME=" + home, "SHELL=/bin/sh", "SECRET_TOKEN=profile-must-not-see"}
}

const nvmProfile = "export PATH=\"$HOME/nvm/bin:$PATH\"\n"

// TestPathOfTheLoginShell is field case C3: started from a desktop, a program
// that only the profile's PATH knows is found, with the interpreter beside it.
func TestPathOfTheLoginShell(t *testing.T) {
	for name, test := range map[string]struct{ profile, shell string }{
		"plain":        {nvmProfile, "SHELL=/bin/sh"},
		"noise":        {"echo Welcome; printf 'no newline'; echo shouting >&2\n" + nvmProfile + "printf 'PATH=/wrong'\n", "SHELL=/bin/sh"},
		"much noise":   {"i=0; while [ $i -lt 4000 ]; do echo 'a line of a hundred characters, which somebody thought to be of use to everyone who logs in here'; i=$((i+1)); done\n" + nvmProfile, "SHELL=/bin/sh"},
		"no shell":     {nvmProfile, ""},
		"wrong shell":  {nvmProfile, "SHELL=/not/there"},
		"asks a thing": {"read answer\n" + nvmProfile, "SHELL=/bin/sh"},
		"leaves one":   {"(trap '' TERM HUP; exec sleep 1000) &\n" + nvmProfile, "SHELL=/bin/sh"},
		"exports more": {"test -z \"$SECRET_TOKEN\" || exit 1\n" + nvmProfile, "SHELL=/bin/sh"},
	} {
		t.Run(name, func(t *testing.T) {
			home, environ := desktop(t, test.profile)
			// Whoever runs this may have a shell with a profile of another name.
			put(t, home, ".bash_profile", test.profile, 0o600)
			put(t, home, ".zprofile", test.profile, 0o600)
			environ[2] = test.shell
			m := testManager(t, Options{Guard: guardArgs()}, quickTiming())
			m.dialer.environ = func() []string { return environ }
			w := stdioWant("s", "__server", "env")
			w.conn.Command = "zzz-npx"
			connect(t, m, w)
			eventually(t, "the environment is logged", func() bool { return strings.Contains(strings.Join(m.Log("s"), "\n"), "environment:") })
			log := strings.Join(m.Log("s"), "\n")
			if !strings.Contains(log, "PATH="+home+"/nvm/bin:") || strings.Contains(log, "profile-must-not-see") {
				t.Errorf("log %s", log)
			}
		})
	}
}

// TestHangingProfile costs the limit and no more, only those who need it, and
// leaves nothing: testManager looks for processes.
func TestHangingProfile(t *testing.T) {
	_, environ := desktop(t, "trap '' TERM HUP INT\nsleep 1000 &\nsleep 1000\n")
	tm := quickTiming()
	tm.login = 500 * time.Millisecond
	m := testManager(t, Options{Guard: guardArgs()}, tm)
	m.dialer.environ = func() []string { return environ }
	lost := stdioWant("lost", "__server", "tools")
	lost.conn.Command = "zzz-npx"
	m.apply(wants(lost, stdioWant("fine", "__server", "tools")))
	waitUntil(t, m, "fine", isState(StateConnected))
	status := waitUntil(t, m, "lost", func(s Status) bool { return s.State != StateStarting })
	for _, part := range []string{`"zzz-npx" was not found`, "/usr/bin, /bin", "/.bun/bin", "the login shell /bin/sh was asked for its PATH and did not answer within 500ms"} {
		if !strings.Contains(status.Reason, part) {
			t.Errorf("%q is not in %q", part, status.Reason)
		}
	}
	if defaultTiming().login != 3*time.Second {
		t.Error("a profile may cost three seconds")
	}
}

// TestLoginShellIsAskedOnce: its answer serves all servers, and nobody who does
// not need it asks.
func TestLoginShellIsAskedOnce(t *testing.T) {
	home, environ := desktop(t, "echo asked >> \"$HOME/asked\"\n"+nvmProfile)
	m := testManager(t, Options{}, quickTiming())
	m.dialer.environ = func() []string { return environ }
	connect(t, m, stdioWant("fine", "__server", "tools"))
	if n := len(linesOf(filepath.Join(home, "asked"))); n != 0 {
		t.Fatalf("asked %d times for nothing", n)
	}
	all := []want{}
	for _, name := range []string{"a", "b", "c"} {
		w := stdioWant(name, "__server", "tools")
		w.conn.Command = "zzz-npx"
		all = append(all, w)
	}
	m.apply(wants(all...))
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatal(missing, m.Status("a").Reason)
	}
	if n := len(linesOf(filepath.Join(home, "asked"))); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// TestDesktopPathIsCompleted: a found program started without a terminal gets
// the person's folders too, behind its own; an entry's PATH stays as written.
func TestDesktopPathIsCompleted(t *testing.T) {
	home, environ := desktop(t, "export PATH=\"$HOME/nvm/bin:/bin\"\n")
	for name, test := range map[string]struct {
		attended bool
		path     string
		entry    map[string]string
		want     string
	}{
		"desktop":   {false, "/usr/bin:/bin", nil, "/usr/bin:/bin:" + home + "/nvm/bin"},
		"terminal":  {true, "/usr/bin:/bin", nil, "/usr/bin:/bin"},
		"long":      {false, "/usr/bin:/bin:/mine", nil, "/usr/bin:/bin:/mine"},
		"own":       {false, "/usr/bin:/bin", map[string]string{"PATH": "/bin"}, "/bin"},
		"own empty": {false, "/usr/bin:/bin", map[string]string{"PATH": ""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := testManager(t, Options{}, quickTiming())
			m.launcher.login.attended = func() bool { return test.attended }
			environ[0] = "PATH=" + test.path
			m.dialer.environ = func() []string { return environ }
			w := stdioWant("s", "__server", "env")
			w.conn.Env = test.entry
			connect(t, m, w)
			eventually(t, "the environment is logged", func() bool { return strings.Contains(strings.Join(m.Log("s"), "\n"), "environment:") })
			if log := strings.Join(m.Log("s"), "\n") + " "; !strings.Contains(log, " PATH="+test.want+" ") {
				t.Errorf("PATH is not %q: %s", test.want, log)
			}
		})
	}
}

func TestFinderExtendsPath(t *testing.T) {
	answer := loginAnswer{folders: []string{"/login/a", "/login/b", "/bin"}, words: "the shell was asked"}
	for name, test := range map[string]struct {
		files []string
		entry map[string]string
		path  string
		found string
		want  string
	}{
		"in PATH":      {[]string{"/bin/zzz-npx", "/login/b/zzz-npx"}, nil, "/usr/bin:/bin", "/bin/zzz-npx", "/usr/bin:/bin"},
		"login":        {[]string{"/login/b/zzz-npx", "/usual/zzz-npx"}, nil, "/usr/bin:/bin", "/login/b/zzz-npx", "/login/b:/login/a:/bin:/usr/bin"},
		"usual":        {[]string{"/usual/zzz-npx"}, nil, "/usr/bin", "/usual/zzz-npx", "/usual:/login/a:/login/b:/bin:/usr/bin"},
		"entry's PATH": {[]string{"/usual/zzz-npx"}, map[string]string{"PATH": "/usr/bin"}, "/usr/bin", "/usual/zzz-npx", "/usr/bin:/usual:/login/a:/login/b:/bin"},
		"nowhere":      {nil, nil, "relative:/usr/bin", "", "relative:/usr/bin"},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"PATH": test.path}
			f := newFinder(env, test.entry, func() loginAnswer { return answer })
			f.usual = []string{"/usual"}
			f.exists = func(path string) bool { return slices.Contains(test.files, path) }
			got, err := f.find("zzz-npx", "")
			if got != test.found || env["PATH"] != test.want {
				t.Errorf("found %q, PATH %q", got, env["PATH"])
			}
			var missing *notFoundError
			if (err != nil) != (test.found == "") || err != nil && (!errors.As(err, &missing) ||
				!slices.Equal(missing.looked, []string{"/usr/bin", "/login/a", "/login/b", "/bin", "/usual"}) || !strings.Contains(err.Error(), "the shell was asked")) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestInterpreterOfAScript: a script whose env(1) would find nothing is told of
// before it is started.
func TestInterpreterOfAScript(t *testing.T) {
	folder := t.TempDir()
	beside := put(t, folder, "a/tool", "#!/usr/bin/env -S zzz-run --flag\n", 0o700)
	put(t, folder, "a/zzz-run", "", 0o700)
	alone := put(t, folder, "b/tool", "#!/usr/bin/env zzz-none\n", 0o700)
	env := map[string]string{"PATH": "/usr/bin", "HOME": folder}
	if _, err := newFinder(env, nil, nil).find(beside, ""); err != nil || env["PATH"] != filepath.Dir(beside)+":/usr/bin" {
		t.Errorf("%v, PATH %q", err, env["PATH"])
	}
	_, err := newFinder(map[string]string{"PATH": "/usr/bin", "HOME": folder}, nil, nil).find(alone, "")
	if err == nil || !strings.Contains(err.Error(), alone+` is run by "zzz-none", which was not found`) {
		t.Errorf("error %v", err)
	}
	for text, want := range map[string]string{
		"#!/usr/bin/env node\n": "node", "#! /usr/bin/env  A=b node x\n": "node", "#!/bin/sh\n": "", "": "",
		"\x7fELF": "", "#!/usr/bin/env /opt/x\n": "", "#!/usr/bin/env\n": "", "#!/usr/bin/env node": "node",
	} {
		if got := envInterpreter(put(t, folder, "x", text, 0o600)); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestLoginShellAfterClose(t *testing.T) {
	_, environ := desktop(t, nvmProfile)
	m := newManager(Options{}, quickTiming())
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if answer := m.launcher.login.ask(context.Background(), environ); answer.words != "" || answer.folders != nil {
		t.Errorf("answer %+v", answer)
	}
}

func TestLoginParts(t *testing.T) {
	for shell, want := range map[string]string{
		"/bin/bash": `-l -i -c printf '%s%s%s\n' B "$PATH" E`, "/bin/zsh": `-l -i -c printf '%s%s%s\n' B "$PATH" E`,
		"/usr/bin/fish": `-l -i -c printf '%s%s%s\n' B (string join : -- $PATH) E`, "/bin/tcsh": `-i -c echo "B${PATH}E"`,
	} {
		if got := strings.Join(loginArgs(shell, "B", "E"), " "); got != want {
			t.Errorf("%s: %s", shell, got)
		}
	}
	for in, want := range map[string]string{"": "", "xB/a:/bE": "/a:/b", "B/a": "", "E B E": " ", "noise\nB/aE more": "/a"} {
		if got := between(strings.NewReader(in), "B", "E"); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := between(strings.NewReader(strings.Repeat("n", 1<<20)+"B/aE"), "B", "E"); got != "/a" {
		t.Errorf("after much noise: %q", got)
	}
	if got := loginFolders("/a::b:/a:/c\n:/d"); !slices.Equal(got, []string{"/a", "/d"}) {
		t.Errorf("folders %q", got)
	}
	users := "root:x:0:0:root:/root:/bin/sh\nbroken\nme:x:1234:1:Me:/home/me:/bin/cat\nyou:x:9:1::/:/not/there\n"
	for uid, want := range map[int]string{0: "/bin/sh", 1234: "/bin/cat", 9: "/bin/sh", 77: "/bin/sh"} {
		if got := passwdShell(strings.NewReader(users), uid); got != want {
			t.Errorf("%d: %q", uid, got)
		}
	}
	env := loginEnviron([]string{"HOME=/h", "PATH=/p", "OPENAI_API_KEY=sk", "ZDOTDIR=/z"})
	if env["OPENAI_API_KEY"] != "" || env["HOME"] != "/h" || env["PATH"] != "/p" || env["ZDOTDIR"] != "/z" {
		t.Errorf("environment %v", env)
	}
}
