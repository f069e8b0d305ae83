package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Home is the folder that config.yaml and `.env` share with Python Hermes.
// Profile is the profile's name, empty for the home itself.
type Home struct {
	Dir     string
	Profile string

	file string // the configuration itself where it is read alone
}

// Config is the path of config.yaml.
func (h Home) Config() string {
	if h.file != "" {
		return h.file
	}
	return filepath.Join(h.Dir, "config.yaml")
}

// Env is the path of the file that holds keys, `.env`.
func (h Home) Env() string { return filepath.Join(h.Dir, ".env") }

// Native is the folder that is ours alone; Python Hermes never looks at it.
func (h Home) Native() string { return filepath.Join(h.Dir, "native") }

// Exists tells whether the folder is there.
func (h Home) Exists() bool {
	info, err := os.Stat(h.Dir)
	return err == nil && info.IsDir()
}

// FindHome finds the home (DESIGN section 4): a profile by name, else the
// variable HERMES_HOME, else ~/.hermes, on Windows %LOCALAPPDATA%\hermes where
// that exists. The folder need not exist, except a profile's, because a wrong
// name there would silently be an empty home. A relative HERMES_HOME is taken
// from the working directory.
func FindHome(profile string, getenv func(string) string) (Home, error) {
	root, err := findRoot(getenv)
	if err != nil {
		return Home{}, err
	}
	within := ""
	if filepath.Base(filepath.Dir(root)) == "profiles" {
		within = filepath.Base(root)
	}
	if profile == "" {
		return Home{Dir: root, Profile: within}, nil
	}
	// A profile is looked up beside the one that HERMES_HOME may point to.
	if within != "" {
		root = filepath.Dir(filepath.Dir(root))
	}
	if profile == "default" {
		return Home{Dir: root}, nil
	}
	if !isProfileName(profile) {
		return Home{}, &Refused{
			Message: fmt.Sprintf("%q is not a profile's name", profile),
			Hint:    "a name has letters, digits, - and _ only",
		}
	}
	home := Home{Dir: filepath.Join(root, "profiles", profile), Profile: profile}
	if !home.Exists() {
		return Home{}, &Refused{
			Message: fmt.Sprintf("the profile %q does not exist", profile),
			Hint:    "its folder would be " + home.Dir,
			File:    home.Dir,
		}
	}
	return home, nil
}

func findRoot(getenv func(string) string) (string, error) {
	user := getenv("HOME")
	if user == "" || runtime.GOOS == "windows" {
		user, _ = os.UserHomeDir()
	}
	if set := strings.TrimSpace(getenv("HERMES_HOME")); set != "" {
		abs, err := filepath.Abs(expandUser(set, user))
		if err != nil {
			return "", fmt.Errorf("HERMES_HOME: %w", err)
		}
		return abs, nil
	}
	if local := getenv("LOCALAPPDATA"); runtime.GOOS == "windows" && local != "" {
		if dir := filepath.Join(local, "hermes"); (Home{Dir: dir}).Exists() {
			return dir, nil
		}
	}
	if user == "" {
		return "", &Refused{
			Message: "the home folder of the user is not known",
			Hint:    "set HERMES_HOME to the folder that holds config.yaml",
		}
	}
	return filepath.Join(user, ".hermes"), nil
}

// expandUser replaces a leading ~ by the user's home folder.
func expandUser(path, user string) string {
	if path == "~" {
		return user
	}
	if len(path) > 1 && path[0] == '~' && os.IsPathSeparator(path[1]) && user != "" {
		return filepath.Join(user, path[2:])
	}
	return path
}

func isProfileName(name string) bool {
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		case (r == '-' || r == '_') && i > 0:
		default:
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// lockFile is the lock that all writers of this home share.
func (h Home) lockFile() string { return filepath.Join(h.Native(), "config.lock") }

// Ledger is where the restrictions last in force are kept.
func (h Home) Ledger() string { return h.ledgerFile() }

func (h Home) ledgerFile() string { return filepath.Join(h.Native(), "ledger.json") }
