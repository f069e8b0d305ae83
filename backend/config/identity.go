package config

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"strings"
)

// identity is a digest of what a connection starts or contacts, in a normal
// form: the ledger knows by it that two entries start the same program (FILTER
// section 6). Scope says what a ${VAR} stands for; one that is not set stays as
// it is written. Values that are secrets by their name are left out, so that a
// new token is no new program.
//
// It is a hurdle against another spelling of the same program, not a proof: a
// link, a copy, a script around it or a proxy in front of it is another program
// here. It errs on the side of the same, which holds.
func (c Connection) identity(scope *scope) string {
	parts := []string{c.Transport}
	switch c.Transport {
	case TransportHTTP, TransportSSE:
		// A server may offer both at one address.
		parts = []string{TransportHTTP, normalURL(known(scope, c.URL))}
	case TransportBuiltin:
		parts = append(parts, c.Builtin, normalPath(expandUser(known(scope, c.Root), scope.user)))
	case TransportStdio:
		words := []string{expandUser(known(scope, c.Command), scope.user)}
		for _, arg := range c.Args {
			words = append(words, known(scope, arg))
		}
		parts = append(parts, normalProgram(words)...)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// Identity names what the server starts or contacts, without a secret; the same
// for two entries that start the same program as far as can be told.
func (sv *Server) Identity() string { return sv.identity }

// known replaces the references of a template where all of them are set.
func known(scope *scope, template string) string {
	text, unset := scope.expand(template)
	if len(unset) > 0 {
		text = template
	}
	return strings.TrimSpace(text)
}

// normalURL gives the one spelling of an address. What cannot be read as one
// stays as it is.
func normalURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if port != "" && !(scheme == "http" && port == "80") && !(scheme == "https" && port == "443") {
		host += ":" + port
	}
	query := u.Query()
	for name := range query {
		if namesSecret(name) {
			query.Del(name)
		}
	}
	out := scheme + "://" + host + path.Clean("/"+u.Path)
	if len(query) > 0 {
		out += "?" + query.Encode()
	}
	return out
}

// normalPath gives the one spelling of a path, and leaves what is none alone.
func normalPath(text string) string {
	text = strings.ReplaceAll(text, `\`, "/")
	if text == "" || !strings.Contains(text, "/") && text != "." && text != ".." {
		return text
	}
	return path.Clean(text)
}

// normalProgram gives the program that runs, and its arguments without flags.
func normalProgram(words []string) []string {
	for range maxWrappers {
		inner := unwrapped(words)
		if inner == nil {
			break
		}
		words = inner
	}
	if len(words) == 0 {
		return nil
	}
	name, args := baseProgram(words[0]), words[1:]
	if launcher, rest, ok := packageLauncher(name, args); ok {
		return append([]string{launcher}, packageWords(rest)...)
	}
	return append([]string{name}, normalArgs(args)...)
}

// maxWrappers bounds how many programs that only start another one are taken off.
const maxWrappers = 16

// baseProgram is the name of a program without its folder and ending.
func baseProgram(command string) string {
	name := strings.ToLower(strings.TrimSpace(command))
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	for _, ending := range []string{".exe", ".com", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ending)
	}
	switch bare := strings.TrimRight(name, "0123456789."); bare {
	case "python", "node", "ruby", "php", "perl":
		return bare
	case "nodejs":
		return "node"
	}
	return name
}

// normalArgs are the arguments that are no flags, paths and addresses in one
// spelling, without the secrets that flags name.
func normalArgs(args []string) []string {
	var out []string
	for i, arg := range args {
		if arg == "" || strings.HasPrefix(arg, "-") || i > 0 && namesNext(args[i-1]) {
			continue
		}
		name, value, found := strings.Cut(arg, "=")
		switch {
		case found && namesSecret(name):
			out = append(out, name)
		case strings.Contains(arg, "://"):
			out = append(out, normalURL(arg))
		case found:
			out = append(out, name+"="+normalPath(value))
		default:
			out = append(out, normalPath(arg))
		}
	}
	return out
}

// packageLauncher tells the programs that fetch a package and run it, each by
// the first of its kind, with the arguments behind the word that does so.
func packageLauncher(name string, args []string) (string, []string, bool) {
	behind := func(launcher string, words ...string) (string, []string, bool) {
		if len(args) > 0 {
			for _, word := range words {
				if args[0] == word {
					return launcher, args[1:], true
				}
			}
		}
		return "", nil, false
	}
	switch name {
	case "npx", "pnpx", "bunx":
		return "npx", args, true
	case "npm":
		return behind("npx", "exec", "x")
	case "pnpm", "yarn":
		return behind("npx", "dlx", "exec")
	case "bun":
		return behind("npx", "x")
	case "uvx":
		return "uvx", args, true
	case "pipx":
		return behind("uvx", "run")
	case "uv":
		if len(args) > 1 && args[0] == "tool" && args[1] == "run" {
			return "uvx", args[2:], true
		}
	}
	return "", nil, false
}

// packageWords are the package without its version and what follows its program.
func packageWords(args []string) []string {
	name, rest := "", []string(nil)
	for i := 0; i < len(args); i++ {
		flag, value, joined := strings.Cut(args[i], "=")
		switch flag {
		case "-p", "--package", "--from", "--spec":
			if !joined && i+1 < len(args) {
				i++
				value = args[i]
			}
			if name == "" {
				name = value
			}
			continue
		case "--registry", "--cache", "--python", "--with", "--index-url":
			if !joined {
				i++
			}
			continue
		}
		if strings.HasPrefix(args[i], "-") {
			continue
		}
		// The first word is the package, or its program where a flag names the
		// package.
		if name == "" {
			name = args[i]
		}
		rest = args[i+1:]
		break
	}
	return append([]string{withoutVersion(name)}, normalArgs(rest)...)
}

func withoutVersion(name string) string {
	name, _, _ = strings.Cut(name, "==")
	if i := strings.LastIndex(name, "@"); i > 0 {
		name = name[:i]
	}
	return normalPath(name)
}

// unwrapped takes off one program that only starts another one, nil where there
// is none.
func unwrapped(words []string) []string {
	if len(words) < 2 {
		return nil
	}
	args := words[1:]
	switch baseProgram(words[0]) {
	case "env":
		return envProgram(args)
	case "nohup", "setsid", "time", "command":
		return behindFlags(args)
	case "nice":
		return behindFlags(args, "-n", "--adjustment")
	case "exec":
		return behindFlags(args, "-a")
	case "stdbuf":
		return behindFlags(args, "-i", "-o", "-e")
	case "timeout":
		if inner := behindFlags(args, "-k", "-s"); len(inner) > 1 {
			return inner[1:]
		}
	case "cmd":
		if flag := strings.ToLower(args[0]); (flag == "/c" || flag == "/k") && len(args) > 1 {
			return args[1:]
		}
	case "sh", "bash", "dash", "zsh", "ash", "ksh":
		return shellProgram(args)
	}
	return nil
}

// behindFlags are the words behind the flags of a wrapper; valued are the flags
// whose value is a word of its own.
func behindFlags(args []string, valued ...string) []string {
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			return args[i:]
		}
		for _, flag := range valued {
			if args[i] == flag {
				i++
				break
			}
		}
	}
	return nil
}

// envProgram is what env starts, behind its flags and variables.
func envProgram(args []string) []string {
	for i, arg := range args {
		text, joined := strings.CutPrefix(arg, "--split-string=")
		if (arg == "-S" || arg == "--split-string") && i+1 < len(args) {
			text, joined = strings.Join(args[i+1:], " "), true
		}
		if joined {
			if words, ok := plainWords(text); ok {
				return append([]string{"env"}, words...)
			}
			return nil
		}
		if !strings.HasPrefix(arg, "-") {
			break
		}
	}
	words := behindFlags(args, "-u", "-C", "--unset", "--chdir")
	for len(words) > 0 && isAssignment(words[0]) {
		words = words[1:]
	}
	return words
}

func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && name != "" && !strings.ContainsAny(name, `/\`)
}

// shellProgram is what a shell starts that gets a line of plain words; of any
// other line the line is the program.
func shellProgram(args []string) []string {
	for i, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return nil
		}
		if strings.HasPrefix(arg, "--") || !strings.Contains(arg, "c") {
			continue
		}
		if i+1 >= len(args) {
			return nil
		}
		words, ok := plainWords(args[i+1])
		if !ok {
			return []string{"sh", strings.Join(strings.Fields(args[i+1]), " ")}
		}
		return append([]string{"env"}, words...)
	}
	return nil
}

// plainWords splits a line of a shell in which nothing but words and quotes
// stands.
func plainWords(line string) ([]string, bool) {
	if strings.ContainsAny(line, ";|&<>()$`*?[]{}#!~\n") {
		return nil, false
	}
	words, err := shellSplit(line)
	return words, err == nil && len(words) > 0
}
