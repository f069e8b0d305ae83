package main

import (
	"hermes/backend/policy"
)

// The bounds of what the page can make the module hold.
const (
	maxInput   = 8 << 20
	maxHandles = 4096
	maxTools   = 1 << 16
)

// server is what a handle stands for: the rules of one server, its entry for
// previews, and the names the page asks about by index.
type server struct {
	rules policy.Rules
	entry *policy.Node
	tools []string
	known bool
}

// module is the state behind the exports: the page's input, the last record,
// and the servers by handle. Handle 0 is never given out.
type module struct {
	input   []byte
	output  []byte
	servers []*server
	free    []uint32
}

// buffer makes room for the page's input and returns it, nil where too much is
// asked for.
func (m *module) buffer(size uint32) []byte {
	if size > maxInput {
		return nil
	}
	if uint32(len(m.input)) < size || m.input == nil {
		m.input = make([]byte, max(size, 4096))
	}
	return m.input
}

// taken returns the first bytes of the input.
func (m *module) taken(size uint32) ([]byte, bool) {
	if size > uint32(len(m.input)) {
		return nil, false
	}
	return m.input[:size], true
}

// read parses a tree and returns its handle, 0 for bytes that are no tree and
// when all handles are in use.
func (m *module) read(size uint32) uint32 {
	data, ok := m.taken(size)
	if !ok {
		return 0
	}
	rules, entry, err := policy.DecodeServer(data)
	if err != nil {
		return 0
	}
	s := &server{rules: rules, entry: entry}
	if n := len(m.free); n > 0 {
		h := m.free[n-1]
		m.free = m.free[:n-1]
		m.servers[h-1] = s
		return h
	}
	if len(m.servers) >= maxHandles {
		return 0
	}
	m.servers = append(m.servers, s)
	return uint32(len(m.servers))
}

// drop frees a handle; an unknown one is ignored.
func (m *module) drop(h uint32) {
	if m.server(h) != nil {
		m.servers[h-1] = nil
		m.free = append(m.free, h)
	}
}

func (m *module) server(h uint32) *server {
	if h == 0 || h > uint32(len(m.servers)) {
		return nil
	}
	return m.servers[h-1]
}

// setTools takes the names to ask about, each as a length in four bytes, the
// lowest first, and its text. It returns false for input that is not so, and
// keeps the names from before.
func (m *module) setTools(h, size uint32) bool {
	s := m.server(h)
	data, ok := m.taken(size)
	if s == nil || !ok {
		return false
	}
	names, ok := readNames(data)
	if ok {
		s.tools, s.known = names, true
	}
	return ok
}

func readNames(data []byte) (names []string, ok bool) {
	for len(data) > 0 {
		if len(data) < 4 || len(names) == maxTools {
			return nil, false
		}
		n := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		data = data[4:]
		if n > uint32(len(data)) {
			return nil, false
		}
		names = append(names, string(data[:n]))
		data = data[n:]
	}
	return names, true
}

// name returns a tool by its index among the names that were set, "" for none.
func (s *server) name(index uint32) string {
	if index >= uint32(len(s.tools)) {
		return ""
	}
	return s.tools[index]
}

// allowed answers for a tool by index; whatever is unknown is denied.
func (m *module) allowed(h, index uint32) bool {
	s := m.server(h)
	return s != nil && s.rules.Allows(s.name(index))
}

// allows answers for the tool named in the input.
func (m *module) allows(h, size uint32) bool {
	s := m.server(h)
	name, ok := m.taken(size)
	return s != nil && ok && s.rules.Allows(string(name))
}

// special returns the verdict about what is not a tool: 0 to 3 are the helpers
// in the order of policy.Helpers, 4 is sampling, 5 elicitation.
func (s *server) special(which uint32) policy.Verdict {
	helpers := policy.Helpers()
	switch {
	case which < uint32(len(helpers)):
		return s.rules.Helper(helpers[which])
	case which == 4:
		return s.rules.Sampling()
	case which == 5:
		return s.rules.Elicitation()
	}
	return policy.Verdict{}
}

func (m *module) specialAllowed(h, which uint32) bool {
	s := m.server(h)
	return s != nil && s.special(which).Allowed
}
