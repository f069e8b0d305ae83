package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/backend/catalog"
	"hermes/backend/config"
	"hermes/backend/guard"
)

// maxProfiles bounds the other homes whose files are looked after, maxBases the
// folders in which a relative path may begin. Those that servers work in come
// before those that their commands name.
const (
	maxProfiles = 100
	maxBases    = 256
)

// ownFiles knows the files of this home, and of the homes beside it, as they are
// called now: who may write them decides what tools may do.
func (h *Host) ownFiles() *guard.OwnFiles {
	snap := h.file.Current()
	user := h.variable("HOME")
	if user == "" {
		user, _ = os.UserHomeDir() // without one, nothing begins with ~
	}
	home := h.options.Home
	o := guard.OwnOptions{User: user, Vars: map[string]string{}, Places: homePlaces(home)}
	for _, name := range []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_CONFIG_HOME", "HERMES_HOME", "HERMES_OPTIONAL_MCPS", "PWD"} {
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
	for _, rule := range snap.Restrictions.Hooks {
		for _, program := range hookFiles(rule.Command, user) {
			o.Places = append(o.Places, guard.OwnPlace{Path: program, What: "a hook (" + program + ")"})
		}
	}
	if dir, err := os.Getwd(); err == nil {
		o.Bases = append(o.Bases, dir)
	}
	var folders, named []string
	for i := range snap.Servers {
		conn := &snap.Servers[i].Conn
		folders, named = append(folders, conn.Cwd, conn.Root), append(named, conn.Args...)
	}
	for _, folder := range append(folders, named...) {
		if folder = expandUser(folder, user); filepath.IsAbs(folder) && len(o.Bases) < maxBases && !slices.Contains(o.Bases, folder) {
			o.Bases = append(o.Bases, folder)
		}
	}
	return guard.NewOwnFiles(o)
}

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

// hookFiles are the words of a hook's command that are files of the person.
// What stands in the system's folders is everybody's program: nobody changes a
// hook by naming it.
func hookFiles(command, user string) []string {
	var out []string
	for word := range strings.FieldsSeq(command) {
		word = expandUser(strings.Trim(word, `'"`), user)
		if !filepath.IsAbs(word) || strings.HasPrefix(word, "/bin/") || strings.HasPrefix(word, "/sbin/") ||
			strings.HasPrefix(word, "/usr/bin/") || strings.HasPrefix(word, "/usr/sbin/") || strings.HasPrefix(word, "/dev/") {
			continue
		}
		if info, err := os.Stat(word); err != nil || info.Mode().IsRegular() {
			out = append(out, filepath.Clean(word))
		}
	}
	return out
}

// expandUser fills in the person's home folder.
func expandUser(path, user string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && user != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(user, rest)
	}
	return path
}
