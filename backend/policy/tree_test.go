package policy_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

func TestDecodeRefusesWhatIsNoTree(t *testing.T) {
	good := policy.EncodeTree(dict(policy.StyleFlow, key("tools"), dict(policy.StyleFlow, key("include"), list(key("a")))))
	if _, err := policy.DecodeTree(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if _, err := policy.DecodeTree(good[:i]); !errors.Is(err, policy.ErrTree) {
			t.Errorf("cut after %d bytes: %v", i, err)
		}
	}
	for name, data := range map[string][]byte{
		"more behind":     append(bytes.Clone(good), 0),
		"another version": append([]byte("HPT1"), good[4:]...),
		"another kind":    append([]byte("HPT2X"), good[5:]...),
		"kind 9":          {'H', 'P', 'T', '2', 'E', 9, 0},
		"style 99":        {'H', 'P', 'T', '2', 'E', 1, 99, 0, 0, 0, 0, 0, 0, 0},
		"endless number":  {'H', 'P', 'T', '2', 'E', 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"many children":   {'H', 'P', 'T', '2', 'E', 2, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f},
	} {
		if _, err := policy.DecodeTree(data); !errors.Is(err, policy.ErrTree) {
			t.Errorf("%s: %v", name, err)
		}
		rules, entry, err := policy.DecodeServer(data)
		if name != "another kind" && err == nil || rules.Allows("a") || err != nil && entry != nil {
			t.Errorf("%s: %s, %v", name, rules.State(), err)
		}
	}
	document := setOf(t, "mcp_servers:\n  demo: {}\n").Encode("demo")
	if _, err := policy.DecodeTree(document); !errors.Is(err, policy.ErrTree) {
		t.Error("a document is taken for an entry, which would read as open")
	}
}

// TestTooLargeDenies: beyond the bounds an entry denies natively and in the
// page, whatever it says.
func TestTooLargeDenies(t *testing.T) {
	if testing.Short() {
		t.Skip("makes large trees")
	}
	deep := key("x")
	for range 150 {
		deep = list(deep)
	}
	wide := list()
	for range 70_000 {
		wide.Children = append(wide.Children, key("x"))
	}
	shared := list(key("x"), key("x"))
	for range 40 {
		shared = list(shared, shared)
	}
	cycle := list()
	cycle.Children = append(cycle.Children, cycle)
	for name, args := range map[string]*policy.Node{
		"deep": deep, "wide": wide, "shared": shared, "cycle": cycle, "long": key(strings.Repeat("x", 5<<20)),
	} {
		entry := dict(policy.StyleFlow, key("args"), args)
		rules := policy.ReadServer(entry)
		if rules.State() != policy.StateInvalid || rules.Allows("a") {
			t.Errorf("%s: %s", name, rules.Row().Text)
		}
		if p := rules.Problems(); len(p) != 1 || p[0].Code != "entry.size" {
			t.Errorf("%s: %+v", name, p)
		}
		handed, _, err := policy.DecodeServer(policy.EncodeTree(entry))
		if err == nil && handed.State() != policy.StateInvalid || handed.Allows("a") {
			t.Errorf("%s, handed over: %s", name, handed.Row().Text)
		}
		if _, err := policy.Edit(entry, policy.Intent{Action: policy.ActionLock}); err == nil {
			t.Errorf("%s is edited", name)
		}
		if _, err := policy.Apply(entry, nil); err == nil {
			t.Errorf("%s is copied", name)
		}
	}
}

func TestApplyRefusesWhatDoesNotFit(t *testing.T) {
	entry := dict(policy.StyleFlow, key("tools"), dict(policy.StyleFlow, key("include"), list(key("a"))))
	include := []string{"tools", "include"}
	for name, op := range map[string]policy.Op{
		"no kind":              {},
		"no such path":         {Kind: policy.OpSetValue, Path: []string{"x"}, Value: key("a")},
		"no value":             {Kind: policy.OpSetValue, Path: include},
		"key is there":         {Kind: policy.OpInsertKey, Path: []string{"tools"}, Key: "include", Value: list()},
		"key in a list":        {Kind: policy.OpInsertKey, Path: include, Key: "x", Value: list()},
		"no such key":          {Kind: policy.OpDeleteKey, Path: []string{"tools"}, Key: "exclude"},
		"key of a list":        {Kind: policy.OpDeleteKey, Path: include, Key: "a"},
		"item in a mapping":    {Kind: policy.OpInsertItem, Path: []string{"tools"}, Value: key("a")},
		"item before the list": {Kind: policy.OpRemoveItem, Path: include, Index: -1},
		"item behind the list": {Kind: policy.OpRemoveItem, Path: include, Index: 1},
		"path through a list":  {Kind: policy.OpSetValue, Path: []string{"tools", "include", "a"}, Value: key("a")},
	} {
		if after, err := policy.Apply(entry, []policy.Op{op}); err == nil {
			t.Errorf("%s: %+v", name, after)
		}
	}
}

// FuzzTree: any bytes either are no tree or decide without a panic, and what is
// neither absent, null nor a mapping never lets a tool through.
func FuzzTree(f *testing.F) {
	var rows []row
	readJSON(f, "filter.json", &rows)
	for _, r := range rows {
		data, err := base64.StdEncoding.DecodeString(r.Tree)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "read_file")
	}
	f.Add(policy.EncodeTree(dict(policy.StyleFlow)), "a")
	odd := policy.EncodeTree(dict(policy.StyleFlow, key("tools"), key("x")))
	odd[bytes.Index(odd, []byte("!!str"))-3] = byte(policy.KindSequence) // a list called tools is not the key
	f.Add(odd, "a")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		rules, entry, err := policy.DecodeServer(data)
		if err != nil {
			if rules.Allows(name) {
				t.Fatal("bytes that are no tree allow a tool")
			}
			return
		}
		checkDenies(t, rules, entry, name)
		for _, action := range []policy.Action{policy.ActionOn, policy.ActionOff, policy.ActionLock, policy.ActionOpen} {
			intent := policy.Intent{Action: action, Tool: name, Known: []string{"a", name}, Expand: len(name)%2 == 0}
			ops, err := policy.EditServer(rules, entry, intent)
			if err != nil || len(ops) == 0 {
				continue
			}
			after, err := policy.Apply(entry, ops)
			if err != nil {
				t.Fatalf("%s: %v", action, err)
			}
			if now := policy.ReadServer(after); action == policy.ActionLock && !now.Locked() {
				t.Fatalf("locked is %s", now.Row().Text)
			}
		}
	})
}

// checkDenies knows three things without reading as policy does: a tools value
// of another shape denies, so does a written include that does not match, and
// an odd tree.
func checkDenies(t *testing.T, rules policy.Rules, entry *policy.Node, name string) {
	t.Helper()
	allowed := rules.Tool(name).Allowed
	for _, w := range []policy.Words{rules.List(), rules.Row(), rules.Panel([]string{name}, true), rules.Tool(name).Reason} {
		if w.Text == "" {
			t.Fatalf("%s has no text", w.Code)
		}
	}
	if !allowed {
		return
	}
	if entry == nil || entry.Kind != policy.KindMapping || len(entry.Children)%2 != 0 || name == "" {
		t.Fatalf("%q is allowed by %+v", name, entry)
	}
	tools := childOf(entry, "tools")
	if tools == nil || tools.Kind == policy.KindScalar && tools.Tag == "!!null" {
		return
	}
	if tools.Kind != policy.KindMapping {
		t.Fatalf("%q is allowed by tools %+v", name, tools)
	}
	if include := childOf(tools, "include"); include != nil && len(rules.Patterns()) == 0 {
		t.Fatalf("%q is allowed by an include without patterns", name)
	}
}

// FuzzYAML: any text as YAML never panics and never opens: a file that does not
// parse has no rules, and a written include never lets a name through that it
// does not hold.
func FuzzYAML(f *testing.F) {
	var rows []row
	readJSON(f, "filter.json", &rows)
	for _, r := range rows {
		f.Add([]byte(r.YAML))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := config.Tree(data)
		if err != nil {
			return
		}
		set := policy.ReadFile(root)
		for _, server := range set.Names() {
			rules, _ := set.Rules(server)
			checkDenies(t, rules, set.Entry(server), newTool)
			handed, _, err := policy.DecodeServer(set.Encode(server))
			if err != nil {
				t.Fatal(err)
			}
			if handed.Row().Text != rules.Row().Text || handed.Allows(newTool) != rules.Allows(newTool) {
				t.Fatalf("the page reads %s, the file says %s", handed.Row().Text, rules.Row().Text)
			}
		}
	})
}

// TestDamagedTreesDeny: what no YAML file can say, such as half a pair or a
// node that is not there, denies and is not edited.
func TestDamagedTreesDeny(t *testing.T) {
	set := &policy.Node{Kind: policy.KindMapping, Tag: "!!set", Children: []*policy.Node{key("a"), nil}}
	flow := func(pairs ...*policy.Node) *policy.Node { return dict(policy.StyleFlow, pairs...) }
	for name, entry := range map[string]*policy.Node{
		"nil":                 nil,
		"no shape":            {},
		"half a pair":         flow(key("tools")),
		"no value":            flow(key("tools"), nil),
		"no key":              flow(nil, key("x")),
		"value without shape": flow(key("tools"), &policy.Node{}),
		"half a pair below":   flow(key("tools"), flow(key("include"))),
		"no value below":      flow(key("tools"), flow(key("include"), nil)),
		"set without value":   flow(key("tools"), flow(key("include"), set)),
		"half a set":          flow(key("tools"), flow(key("include"), &policy.Node{Kind: policy.KindMapping, Tag: "!!set", Children: []*policy.Node{key("a")}})),
		"exclude without":     flow(key("tools"), flow(key("exclude"), list(nil))),
		"unknown kind":        {Kind: 9, Tag: "!!map"},
	} {
		rules := policy.ReadServer(entry)
		if rules.State() != policy.StateInvalid || rules.Allows("a") || len(rules.Problems()) == 0 {
			t.Errorf("%s: %s", name, rules.Row().Text)
		}
		for _, action := range []policy.Action{policy.ActionOn, policy.ActionOff, policy.ActionOpen} {
			if ops, err := policy.Edit(entry, policy.Intent{Action: action, Tool: "a"}); err == nil {
				t.Errorf("%s: %s gives %+v", name, action, ops)
			}
		}
	}
	if rules := policy.ReadServer(flow(key("tools"), flow(key("include"), list(nil, key("a"))))); rules.State() != policy.StateOnly || !rules.Allows("a") || rules.Allows("") {
		t.Errorf("an element that is not there: %s", rules.Row().Text)
	}
}
