package policy

import "strconv"

// Set is the rules of all servers of one file. It never changes; the zero value
// knows no server and denies everything.
type Set struct{ f *fileRules }

type fileRules struct {
	names    []string
	servers  map[string]*server
	problems []Problem
	keys     []*Node  // where mcp_servers is written
	double   *Problem // set when that is more than once
}

// server is one name with every entry that the file holds for it.
type server struct {
	name  string
	keys  []*Node
	entry []*Node
	lists []int // which mcp_servers mapping each entry stands in
	rules Rules
}

// ReadFile decides the rules of every server below the root node of a document.
// Nil is an empty file: no servers. Whether the file can be parsed at all is
// the caller's matter (FILTER section 2 row 20).
func ReadFile(root *Node) Set {
	f := &fileRules{servers: map[string]*server{}}
	s := Set{f}
	if root == nil || isNull(root) {
		return s
	}
	if !isMapping(root) || len(root.Children)%2 != 0 {
		f.fail("file.shape", root, kindWord(root))
		return s
	}
	for i := 0; i < len(root.Children); i += 2 {
		key, value := root.Children[i], root.Children[i+1]
		if isKey(key, keyServers) && value != nil {
			f.collect(value, len(f.keys))
			f.keys = append(f.keys, key)
		}
	}
	if len(f.keys) > 1 {
		p := newProblem(SeverityError, "duplicate.servers", f.keys[1], lineOf(f.keys[0]), lineOf(f.keys[1]))
		f.double = &p
		f.problems = append(f.problems, p)
	}
	for _, name := range f.names {
		f.decide(f.servers[name])
	}
	return s
}

func lineOf(n *Node) string { return strconv.Itoa(n.Line) }

func (f *fileRules) fail(code string, at *Node, params ...string) {
	f.problems = append(f.problems, newProblem(SeverityError, code, at, params...))
}

func (f *fileRules) collect(servers *Node, list int) {
	if isNull(servers) {
		return
	}
	if !isMapping(servers) || len(servers.Children)%2 != 0 {
		f.fail("servers.shape", servers, kindWord(servers))
		return
	}
	for i := 0; i < len(servers.Children); i += 2 {
		key, entry := servers.Children[i], servers.Children[i+1]
		if key == nil || key.Kind != KindScalar {
			f.fail("servers.name", key, kindWord(key))
			continue
		}
		sv := f.servers[key.Value]
		if sv == nil {
			sv = &server{name: key.Value}
			f.servers[key.Value] = sv
			f.names = append(f.names, key.Value)
		}
		sv.keys = append(sv.keys, key)
		sv.entry = append(sv.entry, entry)
		sv.lists = append(sv.lists, list)
	}
}

func (f *fileRules) decide(sv *server) {
	last := len(sv.keys) - 1
	fault := f.double
	if fault == nil && last > 0 {
		p := newProblem(SeverityError, "duplicate.server", sv.keys[1], lineOf(sv.keys[0]), lineOf(sv.keys[1]))
		fault = &p
	}
	sv.rules = readEntry(sv.keys[last], sv.entry[last], fault)
}

// Names returns the servers' names in the file's order, each once.
func (s Set) Names() []string {
	if s.f == nil {
		return nil
	}
	return cloneStrings(s.f.names)
}

// Rules returns a server's rules. An unknown server has the zero Rules, which
// deny, and false.
func (s Set) Rules(name string) (Rules, bool) {
	if sv := s.server(name); sv != nil {
		return sv.rules, true
	}
	return Rules{}, false
}

func (s Set) server(name string) *server {
	if s.f == nil {
		return nil
	}
	return s.f.servers[name]
}

// Entry returns the node of a server's entry, the last one where the name is
// written twice, nil for an unknown server.
func (s Set) Entry(name string) *Node {
	sv := s.server(name)
	if sv == nil {
		return nil
	}
	return sv.entry[len(sv.entry)-1]
}

// Problems returns what is wrong with the file around the servers; what
// concerns one server is in its Rules.
func (s Set) Problems() []Problem {
	if s.f == nil {
		return nil
	}
	return cloneProblems(s.f.problems)
}

// Document returns the smallest document that reads the same for one server as
// the file: its entries alone, duplicates included, without the values of the
// keys that this package does not read, which may be secret. It is what the page
// gets, because an entry alone does not tell that its name is written twice.
func (s Set) Document(name string) *Node {
	root := &Node{Kind: KindMapping, Tag: tagMapping, Style: StyleBlock, Line: 1, Column: 1}
	sv := s.server(name)
	if sv == nil {
		return root
	}
	for i, key := range s.f.keys {
		list := &Node{Kind: KindMapping, Tag: tagMapping, Style: StyleBlock}
		for j := range sv.keys {
			if sv.lists[j] == i {
				list.Children = append(list.Children, sv.keys[j], pruned(sv.entry[j]))
			}
		}
		root.Children = append(root.Children, key, list)
	}
	return root
}
