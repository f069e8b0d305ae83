package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// notFoundError says that a command is not there, and where it was looked for.
type notFoundError struct {
	command string
	looked  []string
	// bare is true for a name without a folder.
	bare bool
	// shell says what the login shell told, "" where it was not asked.
	shell string
	// script is the file that names the command as its interpreter, "" for none.
	script string
}

func (e *notFoundError) Error() string {
	where := strings.Join(e.looked, ", ")
	if where == "" {
		where = "no folder at all, as PATH is empty"
	}
	if !e.bare {
		return fmt.Sprintf("command %q is not a program: looked at %s; correct the path in \"command\"", e.command, where)
	}
	if e.shell != "" {
		where += "; " + e.shell
	}
	if e.script != "" {
		return fmt.Sprintf("%s is run by %q, which was not found; looked in %s; install it, or set PATH in \"env\"", e.script, e.command, where)
	}
	return fmt.Sprintf("command %q was not found; looked in %s; install it, or write its full path in \"command\"", e.command, where)
}

// finder finds the program of a command as the child would see it, and repairs
// the child's PATH on the way: a desktop session often starts us with a PATH
// that knows none of the folders a person's terminal has.
type finder struct {
	goos string
	home string
	// env is the child's environment; its PATH is changed.
	env map[string]string
	// own is set when the entry itself writes a PATH: its folders stay in front.
	own bool
	// exists tells whether a file is there and may be run.
	exists func(path string) bool
	// login is what the person's login shell says of PATH; it may wait. nil asks
	// nobody.
	login func() loginAnswer
	usual []string
}

func newFinder(env, entry map[string]string, login func() loginAnswer) *finder {
	_, own := pathName(runtime.GOOS, entry)
	home := homeOf(env)
	return &finder{
		goos: runtime.GOOS, home: home, env: env, own: own,
		exists: executable, login: login, usual: usualFolders(home),
	}
}

// find gives the program's path. "~" is the home folder, a path is taken as it
// is (relative to dir), and a bare name is searched in the child's PATH, then in
// the login shell's, then where installers put programs.
func (f *finder) find(command, dir string) (string, error) {
	if rest, ok := strings.CutPrefix(command, "~"); ok && f.home != "" && (rest == "" || separator(f.goos, rest[0])) {
		command = f.home + rest
	}
	path, err := "", error(nil)
	if strings.ContainsFunc(command, func(r rune) bool { return r < 0x80 && separator(f.goos, byte(r)) }) {
		path, err = f.exact(command, dir)
	} else {
		path, err = f.bare(command)
	}
	if err != nil {
		return "", err
	}
	return path, f.interpreter(path)
}

func (f *finder) exact(command, dir string) (string, error) {
	path := command
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding %q: %w", command, err)
	}
	for _, candidate := range candidates(f.goos, path, f.env["PATHEXT"]) {
		if f.exists(candidate) {
			return candidate, nil
		}
	}
	return "", &notFoundError{command: command, looked: []string{path}}
}

// bare searches a name without a folder. Where it stands outside the child's
// PATH, that folder and the login shell's are put into PATH: npx needs the node
// beside it, and not an older one of the system.
func (f *finder) bare(command string) (string, error) {
	path := f.path()
	looked := search{f: f, name: command}
	if found := looked.in(splitPath(f.goos, path)); found != "" {
		return found, nil
	}
	answer := loginAnswer{}
	if f.login != nil {
		answer = f.login()
	}
	found := looked.in(answer.folders)
	if found == "" {
		found = looked.in(f.usual)
	}
	if found == "" {
		return "", &notFoundError{command: command, looked: looked.folders, bare: true, shell: answer.words}
	}
	f.extend(parent(f.goos, found), answer.folders)
	return found, nil
}

// search looks for one name and remembers where.
type search struct {
	f       *finder
	name    string
	folders []string
}

func (s *search) in(folders []string) string {
	for _, folder := range folders {
		if slices.Contains(s.folders, folder) {
			continue
		}
		s.folders = append(s.folders, folder)
		for _, candidate := range candidates(s.f.goos, join(s.f.goos, folder, s.name), s.f.env["PATHEXT"]) {
			if s.f.exists(candidate) {
				return candidate
			}
		}
	}
	return ""
}

// interpreter looks for the program that a script asks env(1) for, such as node
// for npx, so that its absence is told here and not by a dead process.
func (f *finder) interpreter(path string) error {
	if f.goos == "windows" {
		return nil
	}
	name := envInterpreter(path)
	if name == "" {
		return nil
	}
	looked := search{f: f, name: name}
	if looked.in(splitPath(f.goos, f.path())) != "" {
		return nil
	}
	if beside := looked.in([]string{filepath.Dir(path)}); beside != "" {
		f.extend(filepath.Dir(beside), nil)
		return nil
	}
	_, err := f.bare(name)
	var missing *notFoundError
	if errors.As(err, &missing) {
		missing.script = path
	}
	return err
}

// envInterpreter reads the name after "#!/usr/bin/env" of a script, "" for any
// other file.
func envInterpreter(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	// The kernel reads no more than 256 bytes of this line itself.
	line, _ := bufio.NewReaderSize(file, 512).ReadSlice('\n')
	words := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	if !strings.HasPrefix(string(line), "#!") || len(words) < 2 || filepath.Base(words[0]) != "env" {
		return ""
	}
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			if strings.Contains(word, "/") {
				return ""
			}
			return word
		}
	}
	return ""
}

// complete adds the login shell's folders behind a PATH that holds nothing but
// the system's: the program may start others that stand elsewhere.
func (f *finder) complete() {
	if f.login == nil || f.own || !shortPath(splitPath(f.goos, f.path())) {
		return
	}
	f.setPath(slices.Concat(splitPath(f.goos, f.path()), f.login().folders))
}

// extend puts the folder of a found program, then the login shell's, before the
// child's PATH; behind it where the entry wrote that PATH itself.
func (f *finder) extend(folder string, login []string) {
	added := append([]string{folder}, login...)
	now := filepathList(f.goos, f.path())
	if f.own {
		f.setPath(slices.Concat(now, added))
		return
	}
	f.setPath(slices.Concat(added, now))
}

func (f *finder) path() string {
	name, _ := pathName(f.goos, f.env)
	return f.env[name]
}

func (f *finder) setPath(folders []string) {
	name, _ := pathName(f.goos, f.env)
	var list []string
	for _, folder := range folders {
		if !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	f.env[name] = strings.Join(list, listSeparator(f.goos))
}

// loginFor asks the launcher's login shell for one server, as long as its
// session wants to start.
func (d *dialer) loginFor(ctx context.Context) func() loginAnswer {
	return func() loginAnswer { return d.launcher.login.ask(ctx, d.environ()) }
}

func executable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false
	}
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
}

// launcherName is the name of a program that may first fetch what it starts,
// empty for any other: such a start is slow and is said so.
func launcherName(command string) string {
	name := strings.ToLower(filepath.Base(filepath.ToSlash(command)))
	for _, ending := range []string{".cmd", ".exe", ".bat"} {
		name = strings.TrimSuffix(name, ending)
	}
	switch name {
	case "npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "uvx", "uv", "pipx", "docker", "podman", "nix", "deno":
		return name
	}
	return ""
}
