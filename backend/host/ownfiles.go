package host

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/backend/catalog"
	"hermes/backend/config"
	"hermes/backend/guard"
	"hermes/backend/hook"
)

// maxProfiles bounds the other homes whose files are looked after, maxBases the
// folders in which a relative path may begin. Those that servers work in come
// before those that their commands name.
const (
	maxProfiles = 100
	maxBases    = 256
)

// ownFiles knows the files of this home, and of the homes beside it, as they are
// called now: who may write them decides what tools may do. They are looked for in
// a call of a server, of a session; a session's own large results may be named.
func (h *Host) ownFiles(server, session string) *guard.OwnFiles {
	snap := h.file.Current()
	user := h.variable("HOME")
	if user == "" {
		user, _ = os.UserHomeDir() // without one, nothing begins with ~
	}
	home := h.options.Home
	o := guard.OwnOptions{User: user, Vars: map[string]string{}, Places: homePlaces(home), Results: h.resultsFolder(), Session: session}
	for _, name := range []string{"HOME", "USER", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HERMES_HOME", "HERMES_OPTIONAL_MCPS"} {
		o.Vars[name] = h.variable(name)
	}
	if o.Vars["HERMES_HOME"] == "" {
		o.Vars["HERMES_HOME"] = home.Dir // what our programs would call it
	}
	for _, folder := range catalog.Folders(home.Dir, h.variable) {
		if filepath.IsAbs(folder) {
			o.Places = append(o.Places, guard.OwnPlace{Path: folder, What: "a catalogue of servers (" + folder + ")", Below: true})
		}
	}
	dir, err := os.Getwd()
	if err == nil {
		o.Bases, o.At = append(o.Bases, dir), dir
	}
	for _, program := range h.hookFiles(snap, hook.Environment{Home: user, Path: os.Getenv("PATH"), Dir: cmp.Or(dir, home.Dir)}) {
		o.Places = append(o.Places, guard.OwnPlace{Path: program, What: "a hook (" + program + ")"})
	}
	var folders, named []string
	for i := range snap.Servers {
		conn := snap.Servers[i].Conn
		if full, err := snap.Expand(conn); err == nil { // else it cannot be started either
			conn = full
		}
		folders, named = append(folders, conn.Cwd, conn.Root), append(named, conn.Args...)
		o.Environs = append(o.Environs, conn.Env)
		if at := expandUser(cmp.Or(conn.Cwd, conn.Root), user); snap.Servers[i].Name == server && filepath.IsAbs(at) {
			o.At = at
		}
	}
	for _, folder := range append(folders, named...) {
		if folder = expandUser(folder, user); filepath.IsAbs(folder) && len(o.Bases) < maxBases && !slices.Contains(o.Bases, folder) {
			o.Bases = append(o.Bases, folder)
		}
	}
	return guard.NewOwnFiles(o)
}

// resultsFolder is where large results are kept.
func (h *Host) resultsFolder() string { return filepath.Join(h.options.Home.Native(), "spill") }

// variable reads a variable of the environment.
func (h *Host) variable(name string) string {
	if h.options.Getenv == nil {
		return ""
	}
	return h.options.Getenv(name)
}

// homePlaces are the files of a home, of the home its profile belongs to, and of
// the other profiles: each decides for a Hermes.
func homePlaces(home config.Home) []guard.OwnPlace {
	homes := []config.Home{home}
	root := home.Dir
	if parent := filepath.Dir(home.Dir); filepath.Base(parent) == "profiles" {
		root = filepath.Dir(parent)
		homes = append(homes, config.Home{Dir: root})
	}
	entries, err := os.ReadDir(filepath.Join(root, "profiles"))
	for i, entry := range entries {
		if err != nil || i >= maxProfiles {
			break
		}
		if dir := filepath.Join(root, "profiles", entry.Name()); entry.IsDir() && dir != home.Dir {
			homes = append(homes, config.Home{Dir: dir})
		}
	}
	var out []guard.OwnPlace
	for _, home := range homes {
		out = append(out,
			guard.OwnPlace{Path: home.Dir, What: "the home of Hermes (" + home.Dir + ")", Itself: true},
			guard.OwnPlace{Path: home.Config(), What: "the configuration (" + home.Config() + ")"},
			guard.OwnPlace{Path: home.Env(), What: "the file of keys (" + home.Env() + ")"},
			guard.OwnPlace{Path: home.Native(), What: "the folder of Hermes itself (" + home.Native() + ")", Below: true},
			guard.OwnPlace{Path: filepath.Join(home.Dir, "shell-hooks-allowlist.json"), What: "the consent to hooks"},
		)
	}
	return out
}

// hookFiles are the files of the person that the commands of hooks name, and those
// that a consent stands on: an interpreter is named by no command. What stands in
// the system's folders is everybody's program: nobody changes a hook by naming it.
func (h *Host) hookFiles(snap *config.Snapshot, e hook.Environment) []string {
	var named []string
	for _, rule := range hookRules(snap) {
		named = append(named, e.Files(rule.Command)...)
	}
	// Of consents that cannot be read no hook runs.
	consents, _ := h.HookConsents().List()
	for _, consent := range consents {
		for _, file := range consent.Files {
			named = append(named, file.Path)
		}
	}
	named = slices.DeleteFunc(named, func(path string) bool {
		return slices.ContainsFunc([]string{"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/dev/"}, func(folder string) bool { return strings.HasPrefix(path, folder) })
	})
	slices.Sort(named)
	return slices.Compact(named)
}

// expandUser fills in the person's home folder.
func expandUser(path, user string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && user != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(user, rest)
	}
	return path
}
