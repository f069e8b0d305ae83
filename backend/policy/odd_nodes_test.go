package policy

import (
	"fmt"
	"testing"
)

// named is a collection that carries a name, which no YAML file can say: it is
// never taken for the key or the word of that name.
func named(kind Kind, value string) *Node {
	n := listNode()
	if kind == KindMapping {
		n = pairsNode()
	}
	n.Value = value
	return n
}

// TestChild: only a scalar key with a value is a key of a mapping.
func TestChild(t *testing.T) {
	value := textNode("v")
	for name, c := range map[string]struct {
		tree  *Node
		found bool
	}{
		"there":               {pairsNode(textNode("a"), textNode("b"), textNode("x"), value), true},
		"nothing":             {nil, false},
		"empty":               {pairsNode(), false},
		"list":                {listNode(textNode("x"), value), false},
		"text":                {textNode("x"), false},
		"another key":         {pairsNode(textNode("y"), value), false},
		"half a pair":         {pairsNode(textNode("x")), false},
		"half a pair behind":  {pairsNode(textNode("a"), value, textNode("x")), false},
		"no value":            {pairsNode(textNode("x"), nil), false},
		"no key":              {pairsNode(nil, value), false},
		"no pair":             {pairsNode(nil, nil), false},
		"behind no key":       {pairsNode(nil, value, textNode("x"), value), true},
		"behind no value":     {pairsNode(textNode("x"), nil, textNode("x"), value), true},
		"the key is a list":   {pairsNode(named(KindSequence, "x"), value), false},
		"key without a shape": {pairsNode(&Node{Value: "x"}, value), false},
	} {
		p, ok := child(c.tree, "x")
		if ok != c.found || ok && (p.value != value || p.key.Value != "x") || !ok && p != (pair{}) {
			t.Errorf("%s: %v, %+v", name, ok, p)
		}
		if v := lastValue(orEmpty(c.tree), "x"); name != "list" && (v == value) != c.found {
			t.Errorf("%s: the last value is %+v", name, v)
		}
	}
}

func orEmpty(n *Node) *Node {
	if n == nil {
		return &Node{}
	}
	return n
}

// TestOddNodesDecideNothing: nodes that no YAML file can say are not read as
// keys or words, never panic and never widen.
func TestOddNodesDecideNothing(t *testing.T) {
	tools := func(pairs ...*Node) *Node { return pairsNode(textNode(keyTools), pairsNode(pairs...)) }
	off := func(r Rules) bool { return !r.Resources() && !r.Sampling().Allowed }
	for name, c := range map[string]struct {
		entry *Node
		holds func(Rules) bool
	}{
		"a list called tools":          {pairsNode(named(KindSequence, keyTools), textNode("x")), func(r Rules) bool { return r.State() == StateOpen && len(r.Problems()) == 0 }},
		"a list called sampling":       {pairsNode(named(KindSequence, keySampling), textNode("false")), func(r Rules) bool { return r.Sampling().Allowed }},
		"a list called include":        {tools(named(KindSequence, keyInclude), listNode()), func(r Rules) bool { return r.State() == StateOpen }},
		"a list called trust":          {pairsNode(named(KindSequence, keyTrust), textNode("untrusted")), func(r Rules) bool { return !r.Untrusted() }},
		"the word on is a list":        {tools(textNode(keyInclude), listNode(), textNode(keyResources), named(KindSequence, "true")), off},
		"the word on is a mapping":     {tools(textNode(keyResources), named(KindMapping, "on")), func(r Rules) bool { return !r.Resources() }},
		"the word on has no value":     {tools(textNode(keyInclude), listNode(), textNode(keyResources), &Node{Kind: KindScalar, Tag: tagNull, Value: "true"}), off},
		"the word full is a list":      {pairsNode(textNode(keyTrust), named(KindSequence, "full")), Rules.Untrusted},
		"the word full has no value":   {pairsNode(textNode(keyTrust), &Node{Kind: KindScalar, Tag: tagNull, Value: "full"}), Rules.Untrusted},
		"an element is a list":         {tools(textNode(keyInclude), listNode(named(KindSequence, "a"))), func(r Rules) bool { return r.State() == StateOnly && !r.Allows("a") }},
		"sampling without a key":       {pairsNode(textNode(keySampling), pairsNode(nil, textNode("x"))), func(r Rules) bool { return r.State() == StateOpen }},
		"sampling enabled by nothing":  {pairsNode(textNode(keySampling), pairsNode(textNode(keyEnabled), nil)), func(r Rules) bool { return r.State() == StateOpen }},
		"sampling with half a pair":    {pairsNode(textNode(keySampling), pairsNode(textNode(keyEnabled))), func(r Rules) bool { return r.State() == StateOpen }},
		"sampling, a list is enabled":  {pairsNode(textNode(keySampling), pairsNode(named(KindSequence, keyEnabled), textNode("false"))), func(r Rules) bool { return r.Sampling().Allowed }},
		"half a set":                   {tools(textNode(keyInclude), &Node{Kind: KindMapping, Tag: tagSet, Children: []*Node{textNode("a")}}), func(r Rules) bool { return r.State() == StateInvalid }},
		"a set without a second value": {tools(textNode(keyInclude), &Node{Kind: KindMapping, Tag: tagSet, Children: []*Node{textNode("a"), {Kind: KindScalar, Tag: tagNull}, textNode("b"), textNode("c")}}), func(r Rules) bool { return r.State() == StateInvalid }},
	} {
		if r := ReadServer(c.entry); !c.holds(r) {
			t.Errorf("%s: %s, %+v", name, r.Row().Text, r.Problems())
		}
		if r, _, err := DecodeServer(EncodeTree(c.entry)); err == nil && r.State() != StateInvalid && !c.holds(r) {
			t.Errorf("%s, handed over: %s", name, r.Row().Text)
		}
		for _, action := range []Action{ActionOn, ActionOff, ActionLock, ActionOpen, ActionOnly, ActionRestore} {
			if ops, err := Edit(c.entry, Intent{Action: action, Tool: "a", On: []string{"a"}}); err == nil {
				if _, err := Apply(c.entry, ops); err != nil {
					t.Errorf("%s, %s: %v", name, action, err)
				}
			}
		}
	}
}

// TestBroken: only an entry that is no mapping is broken, as opposed to one
// whose rules cannot be read.
func TestBroken(t *testing.T) {
	for name, c := range map[string]struct {
		entry  *Node
		broken bool
	}{
		"nothing": {nil, true}, "no shape": {&Node{}, true}, "text": {textNode("x"), true}, "list": {listNode(), true},
		"another tag": {&Node{Kind: KindMapping, Tag: "!x"}, true}, "mapping": {pairsNode(), false},
		"half a pair": {pairsNode(textNode("x")), false}, "tools is text": {pairsNode(textNode(keyTools), textNode("x")), false},
	} {
		if r := ReadServer(c.entry); r.Broken() != c.broken {
			t.Errorf("%s: %v", name, r.Broken())
		}
	}
	var zero Rules
	if zero.Broken() {
		t.Error("the zero value is broken")
	}
}

// TestOddFiles: a file that is no mapping of whole pairs has no servers, and
// what is no name of a server is told and passed over.
func TestOddFiles(t *testing.T) {
	demo := func() *Node { return pairsNode(textNode("demo"), pairsNode()) }
	servers := func(list *Node) *Node { return pairsNode(textNode(keyServers), list) }
	nameless := func(key *Node) *Node {
		list := demo()
		list.Children = append([]*Node{key, pairsNode()}, list.Children...)
		return servers(list)
	}
	half := demo()
	half.Children = append(half.Children, textNode("other"))
	for name, c := range map[string]struct {
		root            *Node
		names, problems string
	}{
		"good":                           {servers(demo()), "[demo]", "[]"},
		"the file is a list":             {listNode(textNode(keyServers), demo()), "[]", "[file.shape]"},
		"half a pair":                    {pairsNode(textNode(keyServers), demo(), textNode("x")), "[]", "[file.shape]"},
		"half a pair alone":              {pairsNode(textNode(keyServers)), "[]", "[file.shape]"},
		"no key":                         {pairsNode(nil, demo()), "[]", "[]"},
		"no value":                       {pairsNode(textNode(keyServers), nil), "[]", "[]"},
		"a list called mcp_servers":      {pairsNode(named(KindSequence, keyServers), demo()), "[]", "[]"},
		"the servers are a list":         {servers(listNode(textNode("demo"), pairsNode())), "[]", "[servers.shape]"},
		"the servers have half a pair":   {servers(half), "[]", "[servers.shape]"},
		"the servers have another tag":   {servers(&Node{Kind: KindMapping, Tag: "!x", Children: demo().Children}), "[]", "[servers.shape]"},
		"a server without a name":        {nameless(nil), "[demo]", "[servers.name]"},
		"the name of a server is a list": {nameless(listNode(textNode("x"))), "[demo]", "[servers.name]"},
		"the name is a list with a name": {nameless(named(KindSequence, "x")), "[demo]", "[servers.name]"},
		"no servers":                     {servers(&Node{Kind: KindScalar, Tag: tagNull}), "[]", "[]"},
	} {
		set := ReadFile(c.root)
		codes := []string{}
		for _, p := range set.Problems() {
			codes = append(codes, p.Code)
		}
		if have := fmt.Sprint(set.Names()); have != c.names || fmt.Sprint(codes) != c.problems {
			t.Errorf("%s: names %s, problems %v", name, have, codes)
		}
	}
	set := ReadFile(servers(pairsNode(textNode("demo"), nil)))
	if r, ok := set.Rules("demo"); !ok || r.Allows("a") || r.State() != StateInvalid {
		t.Errorf("a server without an entry: %s", r.Row().Text)
	}
}

// TestApplyOnOddTrees: operations on half a pair or a missing node are refused
// and do not panic.
func TestApplyOnOddTrees(t *testing.T) {
	value := textNode("v")
	for name, c := range map[string]struct {
		tree *Node
		fits bool
	}{
		"there":             {pairsNode(textNode("a"), value, textNode("x"), value), true},
		"behind no key":     {pairsNode(nil, value, textNode("x"), value), true},
		"half a pair":       {pairsNode(textNode("x")), false},
		"half a pair after": {pairsNode(textNode("a"), value, textNode("x")), false},
		"no key":            {pairsNode(nil, value), false},
		"the key is a list": {pairsNode(named(KindSequence, "x"), value), false},
		"a list":            {listNode(textNode("x"), value), false},
	} {
		for _, op := range []Op{{Kind: OpDeleteKey, Key: "x"}, {Kind: OpSetValue, Path: []string{"x"}, Value: value}} {
			after, err := Apply(c.tree, []Op{op})
			if (err == nil) != c.fits || err != nil && err.Error() == "" {
				t.Errorf("%s, %d: %+v, %v", name, op.Kind, after, err)
			}
			if _, there := child(after, "x"); err == nil && there != (op.Kind == OpSetValue) {
				t.Errorf("%s, %d: x is there: %v", name, op.Kind, there)
			}
		}
	}
	if _, err := Apply(pairsNode(textNode("x"), nil), []Op{{Kind: OpSetValue, Path: []string{"x"}, Value: value}}); err == nil {
		t.Error("a missing value is set")
	}
	for name, tree := range map[string]*Node{"nothing": nil, "too deep": nested(maxDepth + 1)} {
		if _, err := Apply(tree, nil); err == nil || err.Error() == "" {
			t.Errorf("%s is copied: %v", name, err)
		}
	}
}

// TestApplySharesNothing: two results of one entry do not change each other.
func TestApplySharesNothing(t *testing.T) {
	list := listNode()
	list.Children = make([]*Node, 0, 8)
	entry := pairsNode(textNode("x"), list)
	add := func(name string) *Node {
		after, err := Apply(entry, []Op{{Kind: OpInsertItem, Path: []string{"x"}, Value: textNode(name)}})
		if err != nil {
			t.Fatal(err)
		}
		return after.Children[1]
	}
	a, b := add("a"), add("b")
	if len(list.Children) != 0 || len(a.Children) != 1 || a.Children[0].Value != "a" || b.Children[0].Value != "b" {
		t.Errorf("%+v, %+v, %+v", list, a, b)
	}
}

// TestRememberDamaged: of an entry that cannot be read, a filter is remembered
// where there is one.
func TestRememberDamaged(t *testing.T) {
	open := Restriction{State: StateOpen}
	for name, c := range map[string]struct {
		entry *Node
		want  State
	}{
		"tools in front":    {pairsNode(textNode(keyTools), pairsNode(), nil, textNode("x")), StateInvalid},
		"tools behind":      {pairsNode(nil, textNode("x"), textNode(keyTools), pairsNode()), StateInvalid},
		"half a pair":       {pairsNode(textNode("a"), textNode("x"), textNode(keyTools)), StateOpen},
		"tools is missing":  {pairsNode(textNode(keyTools), nil), StateOpen},
		"no tools":          {pairsNode(nil, textNode("x")), StateOpen},
		"tools is no value": {pairsNode(textNode(keyTools), textNode("x")), StateInvalid},
	} {
		r := ReadServer(c.entry)
		if have := Remember(open, r); r.State() != StateInvalid || have.State != c.want {
			t.Errorf("%s: %s is remembered as %s", name, r.State(), have.State)
		}
	}
}

// TestRememberTrust: distrust is remembered also of an entry that cannot be read,
// and is not forgotten because of it.
func TestRememberTrust(t *testing.T) {
	read := func(trust string) Rules {
		entry := pairsNode(textNode(keyTools), textNode("x"))
		if trust != "" {
			entry.Children = append(entry.Children, textNode(keyTrust), textNode(trust))
		}
		return ReadServer(entry)
	}
	for _, c := range []struct {
		before bool
		trust  string
		want   bool
	}{{false, "", false}, {false, "full", false}, {false, "untrusted", true}, {true, "", true}, {true, "full", true}, {true, "untrusted", true}} {
		if have := Remember(Restriction{State: StateOpen, Untrusted: c.before}, read(c.trust)); have.Untrusted != c.want {
			t.Errorf("%+v: %+v", c, have)
		}
	}
}

// TestPlacesOfFaults: where what is wrong has no place of its own the rules
// point to the key around it.
func TestPlacesOfFaults(t *testing.T) {
	at := func(n *Node, line int) *Node {
		n.Line, n.Column = line, 3
		return n
	}
	for name, c := range map[string]struct {
		tools *Node
		state State
		line  int
	}{
		"an element is missing":   {pairsNode(at(textNode(keyExclude), 7), listNode(nil)), StateInvalid, 7},
		"an element has a place":  {pairsNode(at(textNode(keyExclude), 7), listNode(at(listNode(), 8))), StateInvalid, 8},
		"tools is text":           {at(textNode("x"), 6), StateInvalid, 6},
		"tools is empty":          {pairsNode(), StateOpen, 5},
		"tools has no value":      {&Node{Kind: KindScalar, Tag: tagNull}, StateOpen, 5},
		"tools holds a switch":    {pairsNode(textNode(keyResources), textNode("true")), StateOpen, 5},
		"include decides":         {pairsNode(at(textNode(keyInclude), 7), listNode()), StateOnly, 7},
		"an exclude that is void": {pairsNode(at(textNode(keyExclude), 7), listNode()), StateOpen, 5},
	} {
		r := ReadServer(at(pairsNode(at(textNode(keyTools), 5), c.tools), 4))
		if r.State() != c.state || r.Line() != c.line || c.line == r.Column() {
			t.Errorf("%s: %s at %d:%d", name, r.State(), r.Line(), r.Column())
		}
	}
}
