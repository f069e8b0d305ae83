package mcp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/native"
)

// A server with the key `folders` reaches no files but those the key names and
// what programs need to run. The kernel holds the limit (Landlock): a launcher,
// this program once more, takes it upon itself and becomes the server, so that
// everything the server starts is under it and we are not.
//
// Decided, and told in docs/SECURITY.md:
//   - Deny by default: without a kernel that can hold the limit, the server does
//     not start.
//   - The home folder is shut, also the caches in it. A cache that several
//     servers may write (~/.npm, ~/.cache) would let a confined one change the
//     code that an unconfined one runs next, so a confined server has caches of
//     its own: below Options.Private, else in the folder that goes with it.
//   - Of /proc only the process' own folder and what tells of the machine: the
//     command lines of others may hold secrets.
//   - An entry without `cwd` begins in its own temporary folder: ours may be any.

// confineRule is one folder or file of a limit. Need makes its absence an error.
type confineRule struct {
	Path  string `json:"path"`
	Write bool   `json:"write,omitempty"`
	Need  bool   `json:"need,omitempty"`
}

// confinement is a limit as the launcher takes it.
type confinement struct {
	Rules []confineRule `json:"rules"`
}

// RunConfined is the body of the launcher process (Options.Confine): args are a
// limit, as the Manager wrote it, and a command line. It does not return when it
// became the program; the result is an exit code, with the reason on stderr.
func RunConfined(args []string) int {
	err := errors.New("started without a limit and a program")
	if len(args) >= 2 {
		var limit confinement
		decoder := json.NewDecoder(strings.NewReader(args[0]))
		decoder.DisallowUnknownFields()
		if err = decoder.Decode(&limit); err == nil {
			err = become(limit, args[1:])
		}
	}
	fmt.Fprintln(os.Stderr, "hermes: the program was not started, as its `folders` could not be kept: "+err.Error())
	return 126
}

// confine turns a program into the launcher that limits itself and becomes it.
// The returned function removes what was made for it.
func (d *dialer) confine(name string, p program, conn config.Connection) (program, func(), error) {
	if err := confinable(); err != nil {
		return p, nil, err
	}
	if len(d.confineArgs) == 0 {
		return p, nil, errors.New("`folders` is set, and this program was built without the launcher that keeps to it")
	}
	home := realPath(homeOf(environMap(p.env)))
	limit, err := named(conn.Confinement)
	if err != nil {
		return p, nil, err
	}
	if limit, err = withCwd(limit, conn.Cwd, home); err != nil {
		return p, nil, err
	}
	limit = append(limit, systemRules()...)
	limit = append(limit, programRules(p.path, environMap(p.env)["PATH"], home)...)
	temporary, err := os.MkdirTemp("", "hermes-"+fileName(name)+"-")
	if err != nil {
		return p, nil, fmt.Errorf("making the temporary folder of the server: %w", err)
	}
	remove := func() { _ = os.RemoveAll(temporary) }
	private := temporary
	if d.private != "" {
		private = filepath.Join(d.private, fileName(name))
		if err := errors.Join(native.Folder(d.private), native.Folder(private)); err != nil {
			remove()
			return p, nil, fmt.Errorf("making the folder of the server: %w", err)
		}
	}
	limit = append(limit, confineRule{Path: temporary, Write: true, Need: true}, confineRule{Path: private, Write: true, Need: true})
	text, err := json.Marshal(confinement{Rules: limit})
	if err != nil {
		remove()
		return p, nil, fmt.Errorf("writing down the folders: %w", err)
	}
	p.args = slices.Concat(d.confineArgs[1:], []string{string(text), p.path}, p.args)
	p.path = d.confineArgs[0]
	p.env = confinedEnviron(environMap(p.env), conn.Env, temporary, private)
	if p.dir == "" {
		p.dir = temporary
	}
	return p, remove, nil
}

// named are the folders that the entry names.
func named(c config.Confinement) ([]confineRule, error) {
	rules := make([]confineRule, 0, len(c.Folders))
	for i, folder := range c.Folders {
		place := fmt.Sprintf("folders[%d]: %q", i, folder.Path)
		if !filepath.IsAbs(folder.Path) {
			return nil, fmt.Errorf("%s is not a full path; begin it with / or ~/", place)
		}
		info, err := os.Stat(folder.Path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s is not there; create it or correct the path in \"folders\"", place)
		case !info.IsDir():
			return nil, fmt.Errorf("%s is a file; name the folder it is in", place)
		}
		rules = append(rules, confineRule{Path: folder.Path, Write: folder.Write, Need: true})
	}
	return rules, nil
}

// withCwd lets the server read the folder it is started in. The home folder is
// not opened by the way.
func withCwd(rules []confineRule, cwd, home string) ([]confineRule, error) {
	if cwd == "" {
		return rules, nil
	}
	real := realPath(cwd)
	for _, rule := range rules {
		if within(realPath(rule.Path), real) {
			return rules, nil
		}
	}
	if within(real, home) {
		return nil, fmt.Errorf("\"cwd\" is %s, which holds the whole home folder, and \"folders\" keeps that shut; name another folder, or write this one into \"folders\"", cwd)
	}
	return append(rules, confineRule{Path: cwd, Need: true}), nil
}

// within tells whether path is outer or lies below it.
func within(outer, path string) bool {
	return path == outer || strings.HasPrefix(path, strings.TrimRight(outer, "/")+"/")
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// systemRules are what programs need of a system to run at all.
func systemRules() []confineRule {
	var rules []confineRule
	for _, path := range []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt",
		"/nix/store", "/gnu/store", "/run/current-system", "/home/linuxbrew/.linuxbrew", "/snap",
		"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime",
		"/proc/version", "/proc/filesystems", "/proc/sys",
		"/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage",
		"/run/systemd/resolve", "/run/resolvconf", "/run/nscd",
	} {
		rules = append(rules, confineRule{Path: path})
	}
	// These lead out of /etc on many systems.
	for _, link := range []string{"/etc/resolv.conf", "/etc/hosts", "/etc/localtime", "/etc/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt"} {
		rules = append(rules, confineRule{Path: realPath(link)})
	}
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"} {
		rules = append(rules, confineRule{Path: device, Write: true})
	}
	return rules
}

// programRules are the program itself, its interpreter, and what was installed
// with them.
func programRules(path, search, home string) []confineRule {
	var rules []confineRule
	for range 4 {
		rules = append(rules, installation(path, home)...)
		next := interpreterOf(path, search)
		if next == "" {
			break
		}
		path = next
	}
	return rules
}

// interpreterOf is the program that runs a script, "" for anything else.
func interpreterOf(path, search string) string {
	if name := envInterpreter(path); name != "" {
		for _, folder := range filepath.SplitList(search) {
			if candidate := filepath.Join(folder, name); filepath.IsAbs(folder) && executable(candidate) {
				return candidate
			}
		}
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	line, _ := bufio.NewReaderSize(file, 512).ReadSlice('\n')
	words := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	if !strings.HasPrefix(string(line), "#!") || len(words) == 0 || !filepath.IsAbs(words[0]) {
		return ""
	}
	return words[0]
}

// installation are the folders of one program: the one it stands in, the one it
// is linked from, and the root of what put it there, where that is known. A
// program that stands in the home folder itself is opened alone.
func installation(path, home string) []confineRule {
	real := realPath(path)
	rules := []confineRule{{Path: path}, {Path: real}}
	for _, place := range []string{path, real} {
		folder := filepath.Dir(place)
		if within(folder, home) || within(realPath(folder), home) {
			continue
		}
		rules = append(rules, confineRule{Path: folder})
		prefix := filepath.Dir(folder)
		if filepath.Base(folder) != "bin" || within(prefix, home) {
			continue
		}
		if _, err := os.Stat(filepath.Join(prefix, "pyvenv.cfg")); err == nil {
			rules = append(rules, confineRule{Path: prefix})
		}
		// Node's own modules, and not all of a prefix such as ~/.local.
		rules = append(rules, confineRule{Path: filepath.Join(prefix, "lib", "node_modules")})
	}
	for _, root := range installRoots() {
		root = filepath.Join(home, filepath.FromSlash(root))
		if within(root, filepath.Clean(path)) || within(root, real) {
			rules = append(rules, confineRule{Path: root})
		}
	}
	if launcher := launcherName(path); launcher == "uv" || launcher == "uvx" {
		rules = append(rules, confineRule{Path: filepath.Join(home, ".local/share/uv")})
	}
	return rules
}

// installRoots are the folders of version managers, below the home folder.
func installRoots() []string {
	return []string{
		".nvm/versions", ".volta", ".asdf", ".fnm", ".local/share/fnm", ".local/share/mise", ".bun", ".deno",
		".local/share/pnpm", ".local/share/uv", ".local/share/pipx", ".pyenv", ".rbenv", ".sdkman/candidates",
	}
}

// confinedEnviron names the server's own folders for what programs like to keep.
// What the entry sets stays.
func confinedEnviron(env, entry map[string]string, temporary, private string) []string {
	for name, value := range map[string]string{
		"TMPDIR": temporary, "XDG_CACHE_HOME": filepath.Join(private, "cache"),
		"npm_config_cache": filepath.Join(private, "npm"), "UV_CACHE_DIR": filepath.Join(private, "uv"),
	} {
		if _, set := entry[name]; !set {
			env[name] = value
		}
	}
	return pairs(env)
}

func environMap(env []string) map[string]string {
	out := map[string]string{}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		out[name] = value
	}
	return out
}
