package transfer

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Host is a program that keeps MCP servers in a file of its own.
type Host struct {
	// Name is the word of the command line, Title the program's name.
	Name, Title string

	parse  func([]byte) (*policy.Node, error)
	read   func(root *policy.Node, beside []*policy.Node) Reading
	write  func(out *outgoing)
	encode func(root *policy.Node) []byte
	// exact tells whether a tree is certainly this host's.
	exact func(root *policy.Node) bool
	can   ability
	// guessed tells that nobody named the host: its file only looks like it.
	guessed bool
}

// Reading is what one file holds. Problems are about the file, the servers'
// own stand on them.
type Reading struct {
	Host     string
	Servers  []Server
	Problems []Problem
}

// Hosts lists every host in the order of the help.
func Hosts() []Host {
	return []Host{
		claudeDesktop(), claudeCode(), codex(), gemini(), goose(), cursor(), vscode(), opencode(), docker(), plainJSON(),
	}
}

// Find gives a host by its name.
func Find(name string) (Host, bool) {
	for _, h := range Hosts() {
		if h.Name == name {
			return h, true
		}
	}
	return Host{}, false
}

// Names lists the hosts' names.
func Names() []string {
	var list []string
	for _, h := range Hosts() {
		list = append(list, h.Name)
	}
	return list
}

// Source is the bytes of a host's file and of the files that hold rules for it.
// File is only looked at for telling hosts apart.
type Source struct {
	File   string
	Data   []byte
	Beside [][]byte
}

// Read reads a file of this host. The error is about the whole file; a bad
// entry is a refusal of that server alone.
func (h Host) Read(src Source) (Reading, error) {
	root, err := h.parse(src.Data)
	if err != nil {
		return Reading{Host: h.Name}, fault(err)
	}
	if !isMap(root) {
		return Reading{Host: h.Name}, errors.New("it holds no settings")
	}
	var beside []*policy.Node
	var problems []Problem
	for _, data := range src.Beside {
		tree, err := h.parse(data)
		if err != nil && !errors.Is(err, errEmpty) {
			problems = append(problems, Problem{Message: "the file with the rules cannot be read, so every server is locked: " + err.Error()})
			beside = append(beside, nil)
			continue
		}
		if name, lines := doubledKey(tree); name != "" && h.Name != "docker" {
			problems = append(problems, Problem{Line: lines[1],
				Message: fmt.Sprintf("`%s` stands twice in the file with the rules, so every server is locked", name)})
			beside = append(beside, nil)
			continue
		}
		if tree != nil {
			beside = append(beside, tree)
		}
	}
	broken := slices.Contains(beside, nil)
	beside = slices.DeleteFunc(beside, func(n *policy.Node) bool { return n == nil })
	r := h.read(root, beside)
	r.Host = h.Name
	if err := r.doubled(root); err != nil {
		return Reading{Host: h.Name}, err
	}
	r.Problems = append(problems, r.Problems...)
	seen := map[string]int{}
	for i := range r.Servers {
		s := &r.Servers[i]
		if broken {
			s.Filter = Only()
		}
		if first, twice := seen[s.Name]; twice {
			reason := fmt.Sprintf("its name stands twice in the file, at line %d and line %d", r.Servers[first].Line, s.Line)
			s.refuse(reason)
			r.Servers[first].refuse(reason)
			continue
		}
		seen[s.Name] = i
		s.strangeRules(h)
		s.check()
	}
	return r, nil
}

// Fault is why a file cannot be read, with the line where that is known.
type Fault struct {
	Message string
	Line    int
}

func (f *Fault) Error() string { return f.Message }

func fault(err error) error {
	var at *placed
	if errors.As(err, &at) {
		return &Fault{Message: at.text, Line: at.line}
	}
	var yaml *config.ParseError
	if errors.As(err, &yaml) {
		return &Fault{Message: yaml.Message, Line: yaml.Line}
	}
	return &Fault{Message: err.Error()}
}

// check refuses what must not come in whatever the host allowed.
func (s *Server) check() {
	if s.Enabled && s.Refused == "" && s.Filter.State == "" {
		s.Filter = Only()
	}
	if strings.ContainsFunc(s.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		s.refuse("its name holds a character that is not shown")
	}
	if s.URL != "" && !strings.HasPrefix(s.URL, "https://") && !strings.HasPrefix(s.URL, "http://") && !strings.HasPrefix(s.URL, "${") {
		s.refuse("its url begins neither with https:// nor with http://")
	}
	for _, path := range []string{s.Command, s.Cwd} {
		if strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || path == s.Cwd && path != "" && !rooted(path) {
			s.note("its path " + path + " is relative, and Hermes takes it from the folder it is started in")
		}
	}
	for _, name := range sortedKeys(s.Env) {
		if config.DangerousVariable(name) {
			s.refuse(fmt.Sprintf("it sets %s, which makes programs load foreign code; remove it from the file if you need the server", name))
		}
		if config.RedirectingVariable(name) && !passedOn(name, s.Env[name]) {
			s.refuse(fmt.Sprintf("it sets %s, which decides where programs, packages and traffic come from and go to, or how Hermes itself works; "+
				"remove it from the file if you need the server", name))
		}
	}
	for _, name := range s.connection().DangerousAssignments() {
		s.refuse(fmt.Sprintf("its command sets %s, which makes programs load foreign code; remove it from the file if you need the server", name))
	}
	for _, p := range s.connection().Suspicious() {
		s.refuse(p.Message)
	}
}

// passedOn tells a variable that is handed on as it is, which sets nothing. What
// Hermes reads itself is none of a server's business.
func passedOn(name, value string) bool {
	own, ok := reference(value)
	return ok && own == name && !strings.HasPrefix(strings.ToUpper(name), "HERMES_")
}

func rooted(path string) bool {
	return filepath.IsAbs(path) || strings.HasPrefix(path, "~") || strings.HasPrefix(path, "${") || strings.Contains(path, ":")
}

// Detect finds out whose file it is: by its name first, then by what it holds.
func Detect(src Source) (Host, error) {
	h, err := detect(src)
	h.guessed = true
	return h, err
}

func detect(src Source) (Host, error) {
	if h, ok := byName(filepath.ToSlash(src.File)); ok {
		return h, nil
	}
	var first error
	for _, h := range []Host{codex(), plainJSON(), goose()} {
		root, err := h.parse(src.Data)
		if err != nil || !isMap(root) {
			if first == nil || h.Name == "json" {
				first = err
			}
			continue
		}
		if h.Name != "codex" {
			return byContent(root)
		}
		if !missing(field(root, "mcp_servers")) {
			return h, nil
		}
	}
	if first == nil {
		first = errors.New("it holds no settings")
	}
	return Host{}, fault(first)
}

func byName(file string) (Host, bool) {
	lower := strings.ToLower(file)
	base := lower[strings.LastIndexByte(lower, '/')+1:]
	in := func(folder string) bool { return strings.Contains("/"+lower, "/"+folder+"/") }
	switch {
	case base == "claude_desktop_config.json":
		return claudeDesktop(), true
	case base == ".claude.json", base == ".mcp.json", in(".claude"):
		return claudeCode(), true
	case strings.HasSuffix(base, ".toml"):
		return codex(), true
	case in(".gemini"):
		return gemini(), true
	case in(".cursor"):
		return cursor(), true
	case in(".vscode"):
		return vscode(), true
	case base == "opencode.json", base == "opencode.jsonc":
		return opencode(), true
	case base == "tools.yaml", base == "registry.yaml":
		return docker(), true
	}
	return Host{}, false
}

func byContent(root *policy.Node) (Host, error) {
	for _, h := range Hosts() {
		if h.exact(root) {
			return h, nil
		}
	}
	return Host{}, &Fault{Message: "no servers are found in it"}
}

func never(*policy.Node) bool { return false }

func readYAML(data []byte) (*policy.Node, error) {
	tree, err := config.Tree(data)
	if err == nil && tree == nil {
		return nil, errEmpty
	}
	return tree, err
}

// servers reads every entry of a mapping.
func servers(m *policy.Node, read func(e *entry)) []Server {
	var out []Server
	each(m, func(key, value *policy.Node) {
		e := newEntry(key, value)
		if e.Refused == "" {
			read(e)
			e.switchedOff()
		}
		out = append(out, e.Server)
	})
	return out
}

// shape tells of a map of servers that is none.
func shape(r *Reading, n *policy.Node, name string) {
	if !missing(n) && !isMap(n) {
		r.Problems = append(r.Problems, Problem{Message: fmt.Sprintf("`%s` is no mapping but %s", name, kindName(n)), Line: n.Line})
	}
}
