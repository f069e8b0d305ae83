package catalog

import (
	"sort"
	"strings"

	"hermes/backend/config"
)

// The ways a server proves who its user is.
const (
	AuthNone   = "none"
	AuthAPIKey = "api_key"
	AuthOAuth  = "oauth"
)

// Manifest says how one server is installed (hermes-mcp reference 4.1). Version
// and Integrity are ours: the version that the arguments pin, and the hash of
// each npm package in them.
type Manifest struct {
	Name, Description, Source string

	Transport string
	Command   string
	Args      []string
	Env       map[string]string
	URL       string
	Version   string
	Integrity map[string]string

	Auth        Auth
	Tools       Tools
	Git         *Git
	Keywords    []string
	Hosts       []string
	PostInstall string
}

// Auth is what a person has to give. Kind is one of the Auth constants.
type Auth struct {
	Kind     string
	Env      []Variable
	Provider string
	Scopes   []string
}

// Variable is a value a person is asked for. It is kept in `.env`; the entry
// holds a reference only.
type Variable struct {
	Name, Prompt     string
	Required, Secret bool
	Default          string
}

// Tools are the rules a new entry begins with: Only is a whitelist, Except a
// blacklist that may hold globs, and Stated tells that the manifest has one of
// them. Without either a new entry is locked.
type Tools struct {
	Stated bool
	Only   []string
	Except []string
}

// Git is a repository that is fetched at one commit before the server can run,
// with the commands that build it.
type Git struct {
	URL, Ref  string
	Bootstrap []string
}

// Connection is the server as an entry of the file would say it, for the checks
// of package config.
func (m Manifest) Connection() config.Connection {
	return config.Connection{Transport: m.Transport, Command: m.Command, Args: m.Args, Env: m.Env, URL: m.URL}
}

// CommandLines are what installing and starting the server would run, or the
// address it would contact, for a person to read before it happens.
func (m Manifest) CommandLines() []string {
	var out []string
	if m.Git != nil {
		out = append(out, "git clone "+m.Git.URL+" at "+m.Git.Ref)
		out = append(out, m.Git.Bootstrap...)
	}
	line := m.Connection().Target()
	for _, name := range sortedKeys(m.Env) {
		line = name + "=" + m.Env[name] + " " + line
	}
	return append(out, line)
}

// Package is an npm package with the version that is installed.
type Package struct{ Name, Version string }

// String gives name@version, the name alone where there is no version.
func (p Package) String() string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + "@" + p.Version
}

// Packages are the npm packages that the command would fetch. Version is empty
// where none is pinned.
func (m Manifest) Packages() []Package {
	switch programName(m.Command) {
	case "npx", "bunx", "pnpx":
	default:
		return nil
	}
	var out []Package
	args := m.Args
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-p" || arg == "--package":
			if i+1 < len(args) {
				out = append(out, splitPackage(args[i+1]))
			}
			i++
		case strings.HasPrefix(arg, "--package="):
			out = append(out, splitPackage(strings.TrimPrefix(arg, "--package=")))
		case strings.HasPrefix(arg, "-"):
		default:
			if len(out) == 0 {
				out = append(out, splitPackage(arg))
			}
			return out
		}
	}
	return out
}

// splitPackage takes a version off a package's name, whose scope begins with @
// as well.
func splitPackage(s string) Package {
	if at := strings.LastIndexByte(s, '@'); at > 0 {
		return Package{Name: s[:at], Version: s[at+1:]}
	}
	return Package{Name: s}
}

// BearerVariable is the variable that keeps the bearer token of a server that is
// reached by HTTP.
func BearerVariable(server string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, server)
	return "MCP_" + strings.Trim(name, "_") + "_API_KEY"
}

func programName(command string) string {
	name := strings.ToLower(command)
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, ".cmd"), ".exe")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
