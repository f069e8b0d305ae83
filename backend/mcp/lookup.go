package mcp

import (
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
}

func (e *notFoundError) Error() string {
	if !e.bare {
		return fmt.Sprintf("command %q is not a program: looked at %s; correct the path in \"command\"",
			e.command, strings.Join(e.looked, ", "))
	}
	return fmt.Sprintf("command %q was not found; looked in %s; install it, or write its full path in \"command\"",
		e.command, strings.Join(e.looked, ", "))
}

// lookup finds the program of a command as the child would see it: "~" is the
// home folder, a path is taken as it is, a bare name is searched in the child's
// PATH and then where installers put programs that a desktop session's PATH
// does not list. The found folder of the second kind is put in front of PATH,
// because npx needs the node beside it.
func lookup(command, dir string, env map[string]string) (string, error) {
	home := homeOf(env)
	if rest, ok := strings.CutPrefix(command, "~"); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		command = home + rest
	}
	if strings.ContainsFunc(command, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }) {
		path := command
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		path, err := filepath.Abs(path)
		if err != nil {
			return "", fmt.Errorf("finding %q: %w", command, err)
		}
		for _, candidate := range candidates(path, env) {
			if executable(candidate) {
				return candidate, nil
			}
		}
		return "", &notFoundError{command: command, looked: []string{path}}
	}
	var looked []string
	for _, folder := range filepath.SplitList(pathOf(env)) {
		if !filepath.IsAbs(folder) || slices.Contains(looked, folder) {
			// A relative folder would depend on where we were started.
			continue
		}
		looked = append(looked, folder)
		if path, ok := findIn(folder, command, env); ok {
			return path, nil
		}
	}
	for _, folder := range usualFolders(home) {
		if slices.Contains(looked, folder) {
			continue
		}
		looked = append(looked, folder)
		if path, ok := findIn(folder, command, env); ok {
			setPath(env, folder+string(filepath.ListSeparator)+pathOf(env))
			return path, nil
		}
	}
	return "", &notFoundError{command: command, looked: looked, bare: true}
}

func findIn(folder, name string, env map[string]string) (string, bool) {
	for _, candidate := range candidates(filepath.Join(folder, name), env) {
		if executable(candidate) {
			return candidate, true
		}
	}
	return "", false
}

// candidates are the file names a command may have: itself, and on Windows with
// each ending of PATHEXT.
func candidates(path string, env map[string]string) []string {
	if runtime.GOOS != "windows" {
		return []string{path}
	}
	endings := env["PATHEXT"]
	if endings == "" {
		endings = ".COM;.EXE;.BAT;.CMD"
	}
	list := []string{}
	if filepath.Ext(path) != "" {
		list = append(list, path)
	}
	for _, ending := range strings.Split(endings, ";") {
		if ending != "" {
			list = append(list, path+strings.ToLower(ending))
		}
	}
	return list
}

func executable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false
	}
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
}

func pathOf(env map[string]string) string {
	for name, value := range env {
		if name == "PATH" || (runtime.GOOS == "windows" && strings.EqualFold(name, "PATH")) {
			return value
		}
	}
	return ""
}

func setPath(env map[string]string, value string) {
	for name := range env {
		if runtime.GOOS == "windows" && strings.EqualFold(name, "PATH") {
			env[name] = value
			return
		}
	}
	env["PATH"] = value
}

// usualFolders are where installers put programs. The newest Node of nvm comes
// first among its versions.
func usualFolders(home string) []string {
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(os.Getenv("ProgramFiles"), "nodejs"), filepath.Join(os.Getenv("APPDATA"), "npm")}
	}
	var folders []string
	if home != "" {
		folders = append(folders, filepath.Join(home, ".local", "bin"))
		versions, _ := filepath.Glob(filepath.Join(home, ".nvm", "versions", "node", "v*", "bin"))
		slices.SortFunc(versions, func(a, b string) int { return compareVersions(b, a) })
		folders = append(folders, versions...)
		folders = append(folders, filepath.Join(home, ".volta", "bin"), filepath.Join(home, ".bun", "bin"), filepath.Join(home, ".cargo", "bin"))
	}
	return append(folders, "/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin")
}

// compareVersions orders two paths by the numbers in them, so that v20 follows
// v9.
func compareVersions(a, b string) int {
	numbers := func(s string) []int {
		var list []int
		inside := false
		for _, r := range s {
			switch digit := r >= '0' && r <= '9'; {
			case digit && inside:
				list[len(list)-1] = list[len(list)-1]*10 + int(r-'0')
			case digit:
				list, inside = append(list, int(r-'0')), true
			default:
				inside = false
			}
		}
		return list
	}
	return slices.Compare(numbers(a), numbers(b))
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
