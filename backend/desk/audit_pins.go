package desk

import (
	"path/filepath"
	"strings"

	"hermes/backend/config"
)

// unpinned names the package that a launcher such as npx would fetch in its
// newest version, empty where the version is written or nothing is fetched.
func unpinned(c config.Connection) string {
	name, args := launcher(c)
	if name == "" {
		return ""
	}
	pack := firstPackage(args)
	// A path, an address or a variable is no name in a registry.
	if pack == "" || strings.HasPrefix(pack, ".") || strings.HasPrefix(pack, "/") || strings.HasPrefix(pack, "~") || strings.Contains(pack, "${") || strings.Contains(pack, ":") {
		return ""
	}
	if isPinned(pack) {
		return ""
	}
	return pack
}

// launcher tells the programs that fetch a package and run it, with the
// arguments that follow the word which makes them do so.
func launcher(c config.Connection) (string, []string) {
	name := strings.ToLower(filepath.Base(strings.ReplaceAll(c.Command, `\`, "/")))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
	words := ""
	switch name {
	case "npx", "bunx", "pnpx", "uvx":
		return name, c.Args
	case "npm":
		words = "exec"
	case "pnpm", "yarn":
		words = "dlx"
	case "bun":
		words = "x"
	case "pipx":
		words = "run"
	case "uv":
		words = "tool run"
	default:
		return "", nil
	}
	n := strings.Count(words, " ") + 1
	if len(c.Args) < n || strings.Join(c.Args[:n], " ") != words {
		return "", nil
	}
	return name, c.Args[n:]
}

// firstPackage is the package that a launcher's arguments name.
func firstPackage(args []string) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-p" || arg == "--package" || arg == "--from" || arg == "--spec":
			if i+1 < len(args) {
				return args[i+1]
			}
		case strings.HasPrefix(arg, "--package=") || strings.HasPrefix(arg, "--from=") || strings.HasPrefix(arg, "--spec="):
			_, value, _ := strings.Cut(arg, "=")
			return value
		case arg == "--python" || arg == "--with" || arg == "--index-url" || arg == "--registry" || arg == "--cache":
			i++
		case arg == "-c" || arg == "--call":
			return ""
		case strings.HasPrefix(arg, "-"):
		default:
			return arg
		}
	}
	return ""
}

// isPinned tells a package that names one version.
func isPinned(pack string) bool {
	if strings.Contains(pack, "==") {
		return true
	}
	bare := strings.TrimPrefix(pack, "@")
	_, version, found := strings.Cut(bare, "@")
	if !found || version == "" {
		return false
	}
	// A tag such as latest, or a range, is no version.
	return version[0] >= '0' && version[0] <= '9' && strings.Count(version, ".") >= 1 && !strings.ContainsAny(version, "xX*<>| ")
}

func pinExample(c config.Connection, pack string) string {
	name, _ := launcher(c)
	bare := pack
	if at := strings.LastIndex(pack, "@"); at > 0 {
		bare = pack[:at]
	}
	if name == "pipx" {
		return bare + "==1.2.3"
	}
	return bare + "@1.2.3"
}
