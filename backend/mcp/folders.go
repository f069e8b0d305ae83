package mcp

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// The functions here take the system as a parameter where they are about names
// alone, so that the ways of Windows are tested everywhere.

func separator(goos string, c byte) bool { return c == '/' || goos == "windows" && c == '\\' }

func listSeparator(goos string) string {
	if goos == "windows" {
		return ";"
	}
	return ":"
}

func join(goos, folder, name string) string {
	if goos == "windows" {
		return strings.TrimRight(folder, `\/`) + `\` + name
	}
	return filepath.Join(folder, name)
}

func parent(goos, path string) string {
	if goos == "windows" {
		return path[:max(0, strings.LastIndexAny(path, `\/`))]
	}
	return filepath.Dir(path)
}

// pathName is the name under which PATH stands in an environment, and whether
// it does: Windows writes "Path" and means the same.
func pathName(goos string, env map[string]string) (string, bool) {
	for name := range env {
		if name == "PATH" || goos == "windows" && strings.EqualFold(name, "PATH") {
			return name, true
		}
	}
	return "PATH", false
}

// filepathList splits a PATH as it is.
func filepathList(goos, path string) []string {
	if path == "" {
		return nil
	}
	list := strings.Split(path, listSeparator(goos))
	if goos != "windows" {
		return list
	}
	for i := range list {
		// A folder with a semicolon stands in quotes.
		list[i] = strings.Trim(list[i], `"`)
	}
	return list
}

// splitPath gives the folders of a PATH in which programs are looked for. A
// relative one would depend on where we were started.
func splitPath(goos, path string) []string {
	return slices.DeleteFunc(filepathList(goos, path), func(folder string) bool { return !absolute(goos, folder) })
}

func absolute(goos, folder string) bool {
	if goos != "windows" {
		return strings.HasPrefix(folder, "/")
	}
	drive := len(folder) > 2 && folder[1] == ':' && separator(goos, folder[2])
	return drive || strings.HasPrefix(folder, `\\`)
}

// candidates are the file names a command may have: itself, and on Windows with
// each ending of PATHEXT. A name without an ending is no program there: npx
// stands beside npx.cmd and is a script for other systems.
func candidates(goos, path, pathext string) []string {
	if goos != "windows" {
		return []string{path}
	}
	if pathext == "" {
		pathext = ".COM;.EXE;.BAT;.CMD"
	}
	var list []string
	if strings.Contains(path[strings.LastIndexAny(path, `\/`)+1:], ".") {
		list = append(list, path)
	}
	for ending := range strings.SplitSeq(pathext, ";") {
		if ending = strings.TrimSpace(ending); ending != "" {
			list = append(list, path+strings.ToLower(ending))
		}
	}
	return list
}

// shortPath tells whether a PATH holds only what the system brings, as that of
// a program started from a desktop does.
func shortPath(folders []string) bool {
	return !slices.ContainsFunc(folders, func(folder string) bool {
		switch filepath.Clean(folder) {
		case "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin",
			"/usr/games", "/usr/local/games", "/snap/bin":
			return false
		}
		return true
	})
}

// usualFolders are where installers put programs. The newest Node of nvm comes
// first among its versions.
func usualFolders(home string) []string {
	if runtime.GOOS == "windows" {
		return usualWindowsFolders(home, os.Getenv)
	}
	var folders []string
	if home != "" {
		folders = append(folders, filepath.Join(home, ".local", "bin"))
		versions, _ := filepath.Glob(filepath.Join(home, ".nvm", "versions", "node", "v*", "bin"))
		slices.SortFunc(versions, func(a, b string) int { return compareVersions(b, a) })
		folders = append(folders, versions...)
		for _, below := range []string{
			".volta/bin",
			".local/share/fnm/aliases/default/bin", ".fnm/aliases/default/bin", "Library/Application Support/fnm/aliases/default/bin",
			".local/share/mise/shims", ".asdf/shims",
			".bun/bin", ".cargo/bin", ".deno/bin",
			".local/share/pnpm", "Library/pnpm",
		} {
			folders = append(folders, filepath.Join(home, filepath.FromSlash(below)))
		}
	}
	return append(folders, "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/local/bin", "/snap/bin", "/usr/bin", "/bin")
}

func usualWindowsFolders(home string, getenv func(string) string) []string {
	var folders []string
	add := func(root, below string) {
		if root != "" {
			folders = append(folders, join("windows", root, below))
		}
	}
	add(getenv("ProgramFiles"), "nodejs")
	add(getenv("APPDATA"), "npm")
	add(getenv("LOCALAPPDATA"), `Volta\bin`)
	add(getenv("LOCALAPPDATA"), "pnpm")
	for _, below := range []string{`.local\bin`, `.bun\bin`, `.cargo\bin`, `.deno\bin`, `scoop\shims`} {
		add(home, below)
	}
	return folders
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
