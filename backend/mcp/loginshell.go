package mcp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// loginShell asks the person's login shell for its PATH, once and only when a
// server needs it: a program started from a desktop has a PATH without the
// folders that profiles add (nvm, Homebrew). A profile is foreign code, so the
// shell runs like a server: in a group of its own, known to the guard, bounded
// in time and output, and nothing of it stays.
type loginShell struct {
	launcher *launcher
	limit    time.Duration
	// attended tells whether a terminal started us; then PATH is the person's.
	attended func() bool

	life   context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	once   sync.Once
	done   chan struct{}
	answer loginAnswer
}

// loginAnswer is what the shell said: the folders of its PATH in order, and in
// words what came of asking.
type loginAnswer struct {
	folders []string
	words   string
}

func newLoginShell(l *launcher, limit time.Duration) *loginShell {
	life, cancel := context.WithCancel(context.Background())
	// Asked now: later a face may have closed its streams.
	terminal := attended()
	return &loginShell{launcher: l, limit: limit, attended: func() bool { return terminal }, life: life, cancel: cancel, done: make(chan struct{})}
}

// ask waits for the answer, at most until ctx ends. The first to ask starts the
// shell; everybody gets the same answer for as long as the Manager lives.
func (s *loginShell) ask(ctx context.Context, environ []string) loginAnswer {
	s.once.Do(func() {
		s.work.Go(func() {
			defer close(s.done)
			s.answer = s.query(environ)
		})
	})
	select {
	case <-s.done:
		return s.answer
	case <-ctx.Done():
		return loginAnswer{words: "the login shell was asked for its PATH and has not answered yet"}
	}
}

// close ends a shell that still runs, and lets none begin.
func (s *loginShell) close() {
	s.cancel()
	s.once.Do(func() { close(s.done) })
	s.work.Wait()
}

func (s *loginShell) query(environ []string) loginAnswer {
	if runtime.GOOS == "windows" || s.life.Err() != nil {
		// Windows has no login shell: its PATH is one for all programs.
		return loginAnswer{}
	}
	env := loginEnviron(environ)
	shell := loginShellOf(env["SHELL"])
	begin, end := rand.Text(), rand.Text()
	log := newServerLog("login shell", "", nil)
	process, err := s.launcher.start(program{path: shell, args: loginArgs(shell, begin, end), env: pairs(env), dir: env["HOME"]}, log)
	if err != nil {
		return loginAnswer{words: fmt.Sprintf("the login shell %s could not be asked for its PATH", shell)}
	}
	_ = process.stdin.File.Close()
	life, stop := context.WithTimeout(s.life, s.limit)
	defer stop()
	found := make(chan string, 1)
	s.work.Go(func() { found <- between(process.stdout, begin, end) })
	text, late := "", false
	select {
	case text = <-found:
	case <-life.Done():
		late = true
	}
	// Whatever a profile left running is not ours to keep.
	process.group.destroy(s.launcher.timing)
	_ = process.stdout.Close()
	process.stop()
	switch {
	case late:
		return loginAnswer{words: fmt.Sprintf("the login shell %s was asked for its PATH and did not answer within %s", shell, roughly(s.limit))}
	case text == "":
		return loginAnswer{words: fmt.Sprintf("the login shell %s was asked for its PATH and ended without an answer", shell)}
	}
	return loginAnswer{folders: loginFolders(text), words: fmt.Sprintf("the login shell %s was asked for its PATH", shell)}
}

// loginShellOf is the person's shell: $SHELL, else what the system's list of
// users says, else the one every system has.
func loginShellOf(shell string) string {
	if filepath.IsAbs(shell) && executable(shell) {
		return shell
	}
	users, err := os.Open("/etc/passwd")
	if err != nil {
		return "/bin/sh"
	}
	defer func() { _ = users.Close() }()
	return passwdShell(users, os.Getuid())
}

func passwdShell(users io.Reader, uid int) string {
	lines := bufio.NewScanner(users)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) == 7 && fields[2] == strconv.Itoa(uid) && filepath.IsAbs(fields[6]) && executable(fields[6]) {
			return fields[6]
		}
	}
	return "/bin/sh"
}

// loginEnviron is what a profile may see of our environment: who and where the
// person is, no token. The last two keep a common zsh set-up from asking
// questions and from starting a terminal inside.
func loginEnviron(environ []string) map[string]string {
	env := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LC_ALL", "ZDOTDIR", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR":
			env[name] = value
		}
	}
	env["HOME"] = homeOf(env)
	env["TERM"], env["DISABLE_AUTO_UPDATE"], env["ZSH_TMUX_AUTOSTARTED"] = "dumb", "true", "true"
	return env
}

// loginArgs make a shell print its PATH between two marks. It is interactive as
// well, because nvm and others write themselves into the file of interactive
// shells.
func loginArgs(shell, begin, end string) []string {
	switch filepath.Base(shell) {
	case "fish":
		return []string{"-l", "-i", "-c", "printf '%s%s%s\\n' " + begin + " (string join : -- $PATH) " + end}
	case "tcsh", "csh":
		// These take -l only alone; their file of every shell holds PATH too.
		return []string{"-i", "-c", `echo "` + begin + `${PATH}` + end + `"`}
	}
	return []string{"-l", "-i", "-c", `printf '%s%s%s\n' ` + begin + ` "$PATH" ` + end}
}

// between reads until text stood between the two marks and gives it, "" for
// none. What a profile prints is dropped on the way, however much it is.
func between(in io.Reader, begin, end string) string {
	const limit = 256 << 10
	var seen []byte
	chunk := make([]byte, 16<<10)
	for {
		n, err := in.Read(chunk)
		seen = append(seen, chunk[:n]...)
		if _, after, ok := bytes.Cut(seen, []byte(begin)); ok {
			if text, _, ok := bytes.Cut(after, []byte(end)); ok {
				return string(text)
			}
		}
		if err != nil {
			return ""
		}
		if len(seen) > limit {
			seen = slices.Clone(seen[len(seen)-limit/2:])
		}
	}
}

// loginFolders are the usable folders of an answer.
func loginFolders(path string) []string {
	const limit = 200
	var folders []string
	for _, folder := range splitPath(runtime.GOOS, path) {
		if !strings.ContainsAny(folder, "\r\n\x00") && !slices.Contains(folders, folder) && len(folders) < limit {
			folders = append(folders, folder)
		}
	}
	return folders
}
