package policy_test

import (
	"encoding/base64"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// editRow is one row of the shared edits: an intent, and what must come of it.
type editRow struct {
	Name      string          `json:"name"`
	YAML      string          `json:"yaml"`
	Server    string          `json:"server"`
	Action    policy.Action   `json:"action"`
	Tool      string          `json:"tool"`
	Expand    bool            `json:"expand"`
	Known     []string        `json:"known"`
	Refused   string          `json:"refused"`
	Line      int             `json:"line"`
	Column    int             `json:"column"`
	Unchanged bool            `json:"unchanged"`
	After     string          `json:"after"`
	Row       string          `json:"row"`
	Changes   map[string]bool `json:"changes"`
	Tree      string          `json:"tree"`
}

type editSource struct {
	Name               string
	YAML, Tools, Entry *string
	Action             policy.Action
	Tool               string
	Expand             bool
	Known              *[]string
	Refused            string
	Unchanged          bool
	After              string
	AfterEntry         string `yaml:"after_entry"`
	Row                string
	Changes            map[string]bool
}

func readEdits(t testing.TB) []editRow {
	t.Helper()
	var sources []editSource
	readYAML(t, filepath.Join(dataDir, "edits.yaml"), &sources)
	var rows []editRow
	for _, s := range sources {
		r := editRow{
			Name: s.Name, YAML: source{YAML: s.YAML, Tools: s.Tools, Entry: s.Entry}.text(), Server: "demo",
			Action: s.Action, Tool: s.Tool, Expand: s.Expand, Known: []string{"read_file", "write_file", "list_dir", "42"},
			Unchanged: s.Unchanged, After: s.AfterEntry, Row: s.Row, Changes: s.Changes,
		}
		if s.Known != nil {
			r.Known = *s.Known
		}
		if s.After != "" {
			r.After = "tools: " + s.After
		}
		if r.Changes == nil {
			r.Changes = map[string]bool{}
		}
		if s.Refused != "" {
			p := problems(t, []string{"error " + s.Refused})[0]
			r.Refused, r.Line, r.Column = p.Code, p.Line, p.Column
		}
		r.Tree = treeOf(t, row{Name: s.Name, YAML: r.YAML, Server: r.Server})
		rows = append(rows, r)
	}
	return rows
}

func TestDataOfEditsIsGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every row as YAML")
	}
	sameFile(t, "edits.json", readEdits(t))
}

// TestEdits runs every edit on the tree and decides again.
func TestEdits(t *testing.T) {
	var rows []editRow
	readJSON(t, "edits.json", &rows)
	for _, r := range rows {
		t.Run(r.Name, func(t *testing.T) { runEdit(t, r) })
	}
}

func (r editRow) intent() policy.Intent {
	return policy.Intent{Action: r.Action, Tool: r.Tool, Expand: r.Expand, Known: r.Known}
}

func runEdit(t *testing.T, r editRow) {
	set := setOf(t, r.YAML)
	rules, _ := set.Rules(r.Server)
	entry := set.Entry(r.Server)
	before := policy.EncodeTree(entry)
	ops, err := policy.EditServer(rules, entry, r.intent())
	if string(before) != string(policy.EncodeTree(entry)) {
		t.Error("planning changed the tree")
	}
	var refusal *policy.Refusal
	if errors.As(err, &refusal) || r.Refused != "" {
		if refusal == nil {
			t.Fatalf("not refused: %+v", ops)
		}
		if refusal.Words.Code != r.Refused || refusal.Line != r.Line || refusal.Column != r.Column {
			t.Errorf("refused by %s at %d:%d, want %s at %d:%d", refusal.Words.Code, refusal.Line, refusal.Column, r.Refused, r.Line, r.Column)
		}
		if refusal.Error() == "" || refusal.Hint == "" || strings.Contains(refusal.Hint+refusal.Error(), "{0}") {
			t.Errorf("the refusal lacks words: %q, %q", refusal.Error(), refusal.Hint)
		}
		return
	}
	if (len(ops) == 0) != r.Unchanged {
		t.Fatalf("operations %+v", ops)
	}
	after, err := policy.Apply(entry, ops)
	if err != nil {
		t.Fatal(err)
	}
	now := policy.ReadServer(after)
	if have := now.Row().Text; have != r.Row {
		t.Errorf("row: have %s, want %s", have, r.Row)
	}
	changes := map[string]bool{}
	for _, name := range append(slices.Clone(r.Known), r.Tool) {
		if name != "" && rules.Allows(name) != now.Allows(name) {
			changes[name] = now.Allows(name)
		}
	}
	if !maps.Equal(changes, r.Changes) {
		t.Errorf("changes: have %v, want %v", changes, r.Changes)
	}
	if !r.Unchanged {
		checkAfter(t, r, after)
	}
}

// checkAfter compares the entry with what the row says it should be.
func checkAfter(t *testing.T, r editRow, after *policy.Node) {
	t.Helper()
	text, ok := strings.CutPrefix(r.After, "tools: ")
	if !ok {
		want := setOf(t, "mcp_servers:\n  demo: "+r.After+"\n").Entry("demo")
		if !sameValue(after, want) {
			t.Errorf("the entry is not %s", r.After)
		}
		return
	}
	have := childOf(after, "tools")
	if text == "none" {
		if have != nil {
			t.Error("the tools block is still there")
		}
		return
	}
	want := childOf(setOf(t, "mcp_servers:\n  demo:\n    tools: "+text+"\n").Entry("demo"), "tools")
	if have == nil || !sameValue(have, want) {
		t.Errorf("tools is not %s", text)
	}
}

func setOf(t testing.TB, text string) policy.Set {
	t.Helper()
	root, err := config.Tree([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return policy.ReadFile(root)
}

func childOf(n *policy.Node, key string) *policy.Node {
	for i := 0; i+1 < len(n.Children); i += 2 {
		if n.Children[i].Kind == policy.KindScalar && n.Children[i].Value == key {
			return n.Children[i+1]
		}
	}
	return nil
}

// sameValue compares what two trees say, without style and place.
func sameValue(a, b *policy.Node) bool {
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || len(a.Children) != len(b.Children) {
		return false
	}
	for i := range a.Children {
		if !sameValue(a.Children[i], b.Children[i]) {
			return false
		}
	}
	return true
}

// TestEditsAreVerified feeds every edit that is done to Verify, which must
// accept it, and every other result of the data, which it must not.
func TestEditsAreVerified(t *testing.T) {
	var rows []editRow
	readJSON(t, "edits.json", &rows)
	for _, r := range rows {
		if r.Refused != "" {
			continue
		}
		before := setOf(t, r.YAML)
		rules, _ := before.Rules(r.Server)
		ops, err := policy.EditServer(rules, before.Entry(r.Server), r.intent())
		if err != nil {
			t.Fatal(err)
		}
		entry, err := policy.Apply(before.Entry(r.Server), ops)
		if err != nil {
			t.Fatal(err)
		}
		if err := policy.Verify(before, setWith(r.Server, entry), r.Server, r.intent()); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		if r.Unchanged {
			continue
		}
		if err := policy.Verify(before, before, r.Server, r.intent()); err == nil {
			t.Errorf("%s: accepted although nothing was done", r.Name)
		}
	}
}

// setWith is a file with one server.
func setWith(name string, entry *policy.Node) policy.Set {
	key := func(s string) *policy.Node {
		return &policy.Node{Kind: policy.KindScalar, Tag: "!!str", Value: s, Style: policy.StylePlain}
	}
	m := func(children ...*policy.Node) *policy.Node {
		return &policy.Node{Kind: policy.KindMapping, Tag: "!!map", Style: policy.StyleBlock, Children: children}
	}
	return policy.ReadFile(m(key("mcp_servers"), m(key(name), entry)))
}

func TestVerifyRefusesWhatWasNotAskedFor(t *testing.T) {
	const demo = "mcp_servers:\n  demo: {tools: {include: [read_file, \"l*\"], resources: true}, sampling: true}\n  other: {tools: {exclude: [x]}}\n"
	on := policy.Intent{Action: policy.ActionOn, Tool: "write_file", Known: []string{"read_file", "write_file", "list_dir"}}
	for name, c := range map[string]struct {
		after  string
		intent policy.Intent
		code   string
	}{
		"another tool off":      {`[write_file, "l*"], resources: true}, sampling: true`, on, "verify.more"},
		"another tool on":       {`[read_file, "l*", write_file, 42], resources: true}, sampling: true`, on, "verify.more"},
		"a pattern more":        {`[read_file, "l*", write_file, "z*"], resources: true}, sampling: true`, on, "verify.more"},
		"a pattern less":        {`[read_file, list_dir, write_file], resources: true}, sampling: true`, on, "verify.more"},
		"a helper off":          {`[read_file, "l*", write_file]}, sampling: true`, on, "verify.more"},
		"a helper on":           {`[read_file, "l*", write_file], resources: true, prompts: true}, sampling: true`, on, "verify.more"},
		"sampling off":          {`[read_file, "l*", write_file], resources: true}`, on, "verify.more"},
		"trust gone":            {`[read_file, "l*", write_file], resources: true}, sampling: true, trust: untrusted`, on, "verify.more"},
		"not done":              {`[read_file, "l*"], resources: true}, sampling: true`, on, "verify.result"},
		"unreadable":            {`42}`, on, "verify.result"},
		"lock leaves a tool":    {`[read_file], resources: false}, sampling: true`, policy.Intent{Action: policy.ActionLock}, "verify.result"},
		"lock leaves a helper":  {`[], resources: true}, sampling: true`, policy.Intent{Action: policy.ActionLock}, "verify.result"},
		"lock changes sampling": {`[], resources: false}, sampling: false`, policy.Intent{Action: policy.ActionLock}, "verify.more"},
		"open leaves a list":    {`["*"], resources: true}, sampling: true`, policy.Intent{Action: policy.ActionOpen}, "verify.result"},
		"no such action":        {`[read_file, "l*"], resources: true}, sampling: true`, policy.Intent{Action: "toggle"}, "edit.action"},
	} {
		t.Run(name, func(t *testing.T) {
			after := "mcp_servers:\n  demo: {tools: {include: " + c.after + "}\n  other: {tools: {exclude: [x]}}\n"
			checkVerify(t, demo, after, "demo", c.intent, c.code)
		})
	}
	lock := policy.Intent{Action: policy.ActionLock}
	locked := "mcp_servers:\n  demo: {tools: {include: [], resources: false}, sampling: true}\n"
	t.Run("another server changes", func(t *testing.T) {
		checkVerify(t, demo, locked+"  other: {tools: {exclude: [x, y]}}\n", "demo", lock, "verify.others")
	})
	t.Run("another server opens", func(t *testing.T) {
		checkVerify(t, demo, locked+"  other: {}\n", "demo", lock, "verify.others")
	})
	t.Run("another server is gone", func(t *testing.T) { checkVerify(t, demo, locked, "demo", lock, "verify.server") })
	t.Run("another server is renamed", func(t *testing.T) {
		checkVerify(t, demo, locked+"  otter: {tools: {exclude: [x]}}\n", "demo", lock, "verify.others")
	})
	t.Run("unknown server", func(t *testing.T) { checkVerify(t, demo, demo, "ghost", lock, "verify.server") })
	t.Run("open changes a helper", func(t *testing.T) {
		checkVerify(t, demo, "mcp_servers:\n  demo: {sampling: true}\n  other: {tools: {exclude: [x]}}\n", "demo", policy.Intent{Action: policy.ActionOpen}, "verify.more")
	})
	t.Run("a whitelist opens", func(t *testing.T) {
		checkVerify(t, "mcp_servers:\n  demo: {tools: {include: []}}\n", "mcp_servers:\n  demo: {}\n", "demo", policy.Intent{Action: policy.ActionOn, Tool: "a"}, "verify.more")
	})
	t.Run("an open server becomes a whitelist", func(t *testing.T) {
		checkVerify(t, "mcp_servers:\n  demo: {}\n", "mcp_servers:\n  demo: {tools: {include: []}}\n", "demo", policy.Intent{Action: policy.ActionOff, Tool: "a"}, "verify.more")
	})
	t.Run("as intended", func(t *testing.T) {
		checkVerify(t, demo, locked+"  other: {tools: {exclude: [x]}}\n", "demo", lock, "")
	})
}

func checkVerify(t *testing.T, before, after, server string, intent policy.Intent, code string) {
	t.Helper()
	err := policy.Verify(setOf(t, before), setOf(t, after), server, intent)
	var refusal *policy.Refusal
	have := ""
	if errors.As(err, &refusal) {
		have = refusal.Words.Code
	}
	if have != code || (err != nil) != (code != "") {
		t.Errorf("have %q (%v), want %q", have, err, code)
	}
}

// TestTreeBytesAreBase64 pins the form in which a tree crosses to the page.
func TestTreeBytesAreBase64(t *testing.T) {
	for _, r := range sharedRows(t) {
		if _, err := base64.StdEncoding.DecodeString(r.Tree); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}

// TestWrittenNamesStayText: a name is written without quotes only where every
// reader of YAML takes it for text, and like its neighbours otherwise.
func TestWrittenNamesStayText(t *testing.T) {
	written := func(include, name string) policy.Style {
		entry := setOf(t, "mcp_servers:\n  demo: {tools: {include: "+include+"}}\n").Entry("demo")
		ops, err := policy.Edit(entry, policy.Intent{Action: policy.ActionOn, Tool: name})
		if err != nil || len(ops) != 1 || ops[0].Kind != policy.OpInsertItem || ops[0].Value.Value != name || ops[0].Value.Tag != "!!str" {
			t.Fatalf("%q: %+v, %v", name, ops, err)
		}
		return ops[0].Value.Style
	}
	for _, name := range []string{"read_file", "read-file", "a.b", "A/b", "_x", "truest", "e1"} {
		if style := written("[]", name); style != policy.StylePlain {
			t.Errorf("%q is written in style %d", name, style)
		}
	}
	for _, name := range []string{"true", "False", "yes", "NO", "on", "Off", "y", "N", "null", "NaN", "inf", "42", "1e3", "-x", ".inf", "~", "<<", "a b", "a:b", "ü", "a,b", "#a", "=", "2026-01-01"} {
		if style := written("[a, \"b\"]", name); style != policy.StyleDoubleQuoted {
			t.Errorf("%q is written in style %d", name, style)
		}
	}
	if written(`["a"]`, "b") != policy.StyleDoubleQuoted || written(`['a', 'c']`, "b") != policy.StyleSingleQuoted {
		t.Error("the neighbours' quotes are not taken")
	}
	if written(`['a']`, "tab\there") != policy.StyleDoubleQuoted {
		t.Error("single quotes cannot hold a control character")
	}
}
