package config

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"hermes/backend/policy"
)

// Snapshot is what the file said at one moment. It is never changed after it
// was published; whoever holds one may read it without a lock.
//
// Broken tells that the file as it stands now is not in force: it cannot be
// read, or it vanished or became empty while Hermes runs. Problems says why,
// and everything else is the last good state, or nothing at all where there was
// none. Revision is the SHA-256 of the bytes in force in hexadecimal, empty
// where there is no file. Exists tells whether the file was there. Opened is set
// on the first state that was read well: what the file allows that was not in force when the ledger last saw it.
// Waiting are the changes that are not in force yet, because they would open
// something and an agent is at work; they stand among the problems, too.
// WaitingSeen is when the latest of them was seen first.
type Snapshot struct {
	Path         string
	Revision     string
	Exists       bool
	Broken       bool
	Problems     []Problem
	Opened       []Problem
	Waiting      []Problem
	WaitingSeen  time.Time
	Servers      []Server
	Policy       policy.Set
	Settings     Settings
	Restrictions Restrictions

	scope  *scope
	tree   *policy.Node
	index  map[string]int
	env    string    // digest of the `.env` that was read with the file
	empty  bool      // the file is missing or holds nothing
	bare   *Snapshot // the same without what is held; nil for a file that stands alone
	ledger string    // names the state of the ledger it is in force with
}

// Server is one entry of the file. Line and Column are where its name stands.
// Problems are those of the entry apart from its tool rules, whose problems are
// in Rules. EnabledNote says how an unreadable `enabled` was understood, empty
// otherwise. Untrusted is what Rules say of `trust`. Rules are what is in force;
// Hold is set where that is less than the file says. Opened is when a person last
// opened it by our own command, zero for never. Waits says why a server that is new,
// or enabled only now, does not run yet.
type Server struct {
	Name         string
	Line, Column int
	Entry        *policy.Node
	Rules        policy.Rules
	Enabled      bool
	EnabledNote  string
	Conn         Connection
	Problems     []Problem
	Parallel     bool
	Lazy         bool
	Untrusted    bool
	Builtin      string
	Sampling     Sampling
	Elicitation  Elicitation
	Hold         *Hold
	Opened       time.Time
	Waits        *Problem

	identity string      // names what it starts or contacts, see Connection.identity
	previous LedgerEntry // what the ledger remembers of it
	twin     string      // the locked or held server that starts the same program
	pending  bool        // it starts such a program and its rules cannot be read
	fresh    bool        // it is new and waits
	waiting  bool        // something of its entry is not in force yet
	adopted  string      // the name under which the ledger has that, where it is another
}

// Server gives the entry of that name.
func (s *Snapshot) Server(name string) (*Server, bool) {
	i, ok := s.index[name]
	if !ok {
		return nil, false
	}
	return &s.Servers[i], true
}

// EnvRevision names the state of the `.env` that was read with the file. It is
// for comparing and is not to be shown: `.env` holds secrets.
func (s *Snapshot) EnvRevision() string { return s.env }

// Tree gives the whole file as it was parsed, nil for a file that holds nothing.
// Nobody may change it.
func (s *Snapshot) Tree() *policy.Node { return s.tree }

// Names gives the servers' names in the file's order.
func (s *Snapshot) Names() []string {
	names := make([]string, len(s.Servers))
	for i := range s.Servers {
		names[i] = s.Servers[i].Name
	}
	return names
}

// build makes the snapshot of a document that was read well. Nothing in it can
// fail: what is wrong is a problem of its place.
func build(home Home, doc *document, revision string, scope *scope, env string) *Snapshot {
	s := &Snapshot{
		Path: home.Config(), Revision: revision, Exists: revision != "",
		Policy: policy.ReadFile(doc.tree), scope: scope, env: env, tree: doc.tree,
	}
	for _, p := range s.Policy.Problems() {
		s.Problems = append(s.Problems, Located(s.Path, p))
	}
	s.Problems = append(s.Problems, nearTop(s.Path, doc.tree)...)
	names := s.Policy.Names()
	keys := nameKeys(doc.tree)
	timeout := defaultTimeout
	if d, ok := seconds(at(doc.tree, "timeouts.mcp.tool_call")); ok {
		timeout = d
	}
	s.Servers = make([]Server, len(names))
	s.index = make(map[string]int, len(names))
	for i, name := range names {
		s.index[name] = i
		sv := &s.Servers[i]
		sv.Name, sv.Entry = name, s.Policy.Entry(name)
		sv.Rules, _ = s.Policy.Rules(name)
		if key := keys[name]; key != nil {
			sv.Line, sv.Column = key.Line, key.Column
		}
		sv.read(s.Path, scope, timeout)
	}
	var problems []Problem
	s.Restrictions, problems = readRestrictions(s.Path, doc.tree, names, scope)
	s.Problems = append(s.Problems, problems...)
	s.Settings, problems = readSettings(s.Path, doc.tree)
	s.Problems = append(s.Problems, problems...)
	return s
}

// nameKeys gives the node where each server's name is written, the last one
// where it stands twice.
func nameKeys(root *policy.Node) map[string]*policy.Node {
	keys := map[string]*policy.Node{}
	if root == nil || root.Kind != policy.KindMapping {
		return keys
	}
	for i := 0; i+1 < len(root.Children); i += 2 {
		servers := root.Children[i+1]
		if root.Children[i].Value != keyServers || servers.Kind != policy.KindMapping {
			continue
		}
		for j := 0; j+1 < len(servers.Children); j += 2 {
			keys[servers.Children[j].Value] = servers.Children[j]
		}
	}
	return keys
}

// keyServers is the mapping that holds all servers.
const keyServers = "mcp_servers"

// read fills in everything but the tool rules.
func (sv *Server) read(file string, scope *scope, toolTimeout time.Duration) {
	sv.Enabled = true
	sv.Untrusted = sv.Rules.Untrusted()
	if sv.Rules.Broken() {
		sv.Conn = Connection{Timeout: toolTimeout, ConnectTimeout: defaultConnectTimeout}
		sv.identity = sv.Conn.identity(scope)
		return
	}
	r := &entryReader{file: file, scope: scope, entry: sv.Entry}
	sv.Conn = r.connection(toolTimeout)
	sv.identity = sv.Conn.identity(scope)
	r.nearKeys()
	r.suspicions(sv.Conn)
	sv.Builtin = sv.Conn.Builtin
	sv.Enabled, sv.EnabledNote = r.flag("enabled", true)
	sv.Parallel, _ = r.flag("supports_parallel_tool_calls", false)
	sv.Lazy, _ = r.flag("lazy", false)
	sv.Sampling, sv.Elicitation = r.requests()
	sv.Problems = r.problems
}

// broken makes the snapshot of a file that could not be read at the start:
// nothing is known, so everything is locked (FILTER section 2 row 20).
func broken(home Home, revision string, exists bool, p Problem, scope *scope, env string) *Snapshot {
	s := build(home, &document{}, revision, scope, env)
	s.Exists, s.Broken = exists, true
	s.Problems = append(s.Problems, p)
	return s
}

// with gives the same state under a file that is not in force now.
func (s *Snapshot) with(p Problem, exists bool) *Snapshot {
	out := *s
	out.Exists, out.Broken = exists, true
	out.Problems = append(s.Problems[:len(s.Problems):len(s.Problems)], p)
	return &out
}

// mayLoosen tells whether a new state could allow or start anything that the
// old one does not. It errs on the side of yes: only servers that are the same,
// or can do nothing now, and equal restrictions are certain.
func mayLoosen(old, now *Snapshot) bool {
	if !reflect.DeepEqual(old.Restrictions.compared(), now.Restrictions.compared()) {
		return true
	}
	return mayLoosenServers(old, now)
}

// mayLoosenServers is mayLoosen for the servers' own entries.
func mayLoosenServers(old, now *Snapshot) bool {
	for i := range now.Servers {
		sv := &now.Servers[i]
		if sv.idle() {
			continue
		}
		was, ok := old.Server(sv.Name)
		if !ok || !was.Enabled || !was.Rules.Equal(sv.Rules) || !reflect.DeepEqual(was.Conn, sv.Conn) {
			return true
		}
	}
	return false
}

// compared are the restrictions without what only serves messages.
func (r Restrictions) compared() Restrictions {
	r.places, r.gates = nil, nil
	r.Hooks, r.Observers, r.OtherHooks = lineless(r.Hooks), lineless(r.Observers), lineless(r.OtherHooks)
	return r
}

// templates are the texts of the model settings that hold keys.
func (m ModelSettings) templates() []string {
	out := []string{m.APIKey}
	if m.KeyEnv != "" {
		out = append(out, "${"+m.KeyEnv+"}")
	}
	for _, e := range m.Endpoints {
		out = append(out, e.APIKey)
		if e.KeyEnv != "" {
			out = append(out, "${"+e.KeyEnv+"}")
		}
	}
	return out
}

// minSecret is the length from which a value is redacted wherever it appears:
// shorter ones would hit ordinary words.
const minSecret = 8

// isOpen tells whether a variable's value is no secret: by its name, or because
// it is a path and nothing in the name says otherwise. A folder that became
// "[redacted]" in results would keep the model from naming files in it.
func isOpen(name, value string) bool {
	return isOpenVariable(name) || filepath.IsAbs(strings.TrimSpace(value)) && !HidesValue(name, value)
}

// isOpenVariable names variables whose values are no secrets and would only
// make messages unreadable if they were redacted.
func isOpenVariable(name string) bool {
	switch name {
	case "HOME", "USER", "LOGNAME", "PATH", "PWD", "SHELL", "LANG", "TERM", "TMPDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "HERMES_HOME":
		return true
	}
	return strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "LC_") || strings.HasSuffix(name, "_MODEL")
}

// LogValue keeps a snapshot out of logs: what it holds may be secret.
func (s *Snapshot) LogValue() slog.Value {
	return slog.StringValue(fmt.Sprintf("%s at %.12s, %d servers", s.Path, s.Revision, len(s.Servers)))
}
