package mcp

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// childEnviron is the environment of a server: a few harmless variables of ours
// and what the entry sets, which wins. Nothing else is inherited, so a token in
// the user's shell does not reach every server.
func childEnviron(parent []string, entry map[string]string) map[string]string {
	env := map[string]string{}
	for _, pair := range parent {
		name, value, ok := strings.Cut(pair, "=")
		if ok && inherited(name) {
			env[name] = value
		}
	}
	for name, value := range entry {
		if runtime.GOOS == "windows" {
			// Names are one whatever their case, and "Path" must not stand
			// beside "PATH".
			maps.DeleteFunc(env, func(other, _ string) bool { return strings.EqualFold(other, name) })
		}
		env[name] = value
	}
	return env
}

func inherited(name string) bool {
	if strings.HasPrefix(name, "XDG_") {
		return true
	}
	switch name {
	case "PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR":
		return true
	}
	return runtime.GOOS == "windows" && slices.Contains(windowsLocations(), strings.ToUpper(name))
}

// windowsLocations are the variables without which programs do not start or do
// not find their folders on Windows.
func windowsLocations() []string {
	return []string{
		"PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP",
		"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432",
		"COMMONPROGRAMFILES", "HOMEDRIVE", "HOMEPATH", "USERPROFILE", "USERNAME", "USERDOMAIN",
		"COMPUTERNAME", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS",
	}
}

// pairs is the environment as the system takes it, sorted so that two starts of
// one entry are alike.
func pairs(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

func homeOf(env map[string]string) string {
	if home := env["HOME"]; home != "" {
		return home
	}
	home, _ := os.UserHomeDir()
	return home
}
