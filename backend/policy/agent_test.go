package policy_test

import (
	"slices"
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// agentRow is one row of the case table of Hermes Agent: what stands under
// `tools:` of a server that offers read_file, write_file, list_dir and 42, and
// what its runtime registers.
type agentRow struct {
	tools, registers string
	// differs are the kinds of Difference from our rules.
	differs string
}

const agentAll = "read_file write_file list_dir 42"

func agentRows() []agentRow {
	const helpers = "helpers"
	return []agentRow{
		{"", agentAll, ""},
		{"null", agentAll, ""},
		{"{}", agentAll, ""},
		{"{include: []}", "", helpers},
		{"{include: [], resources: false, prompts: false}", "", ""},
		{"{include: [read_file]}", "read_file", helpers},
		{`{include: ["read_*"]}`, "read_file", helpers},
		{`{include: ["[rw]*"]}`, "read_file write_file", helpers},
		{`{include: ["*"]}`, agentAll, helpers},
		{"{include: read_file}", "read_file", helpers},
		{`{include: "read_*"}`, "read_file", helpers},
		{`{include: ""}`, "", helpers},
		{`{include: "read_file,write_file"}`, "", helpers},
		{"{include: null}", agentAll, "tools helpers"},
		{"{include: 42}", agentAll, "tools"},
		{"{include: false}", agentAll, "tools"},
		{"{include: {a: b}}", agentAll, "tools"},
		{"{include: [42]}", "42", helpers},
		{"{include: [42, read_file]}", "42 read_file", helpers},
		{"{include: [null]}", "", helpers},
		{`{include: [" read_file "]}`, "", helpers},
		{"{include: [READ_FILE]}", "", helpers},
		{`{include: [""]}`, "", helpers},
		{"{include: [read_file, read_file]}", "read_file", helpers},
		{"{include: !!set {read_file}}", "read_file", helpers},
		{"{include: [read_file], resources: true, prompts: true}", "read_file", ""},
		{"{include: [read_file], resources: true}", "read_file", helpers},
		{"{include: [read_file, {a: b}]}", "read_file", helpers},
		{"{include: [read_file, list_dir, read_file]}", "read_file list_dir", helpers},
		{"{exclude: [true]}", agentAll, "tools"},
		{"{include: [true, 0x1F, 010, 1.10, on]}", "", "tools helpers"},
		{"{exclude: [write_file]}", "read_file list_dir 42", ""},
		{`{exclude: ["write_*"]}`, "read_file list_dir 42", ""},
		{`{exclude: ["*"]}`, "", ""},
		{"{exclude: write_file}", "read_file list_dir 42", ""},
		{"{exclude: []}", agentAll, ""},
		{`{exclude: ""}`, agentAll, ""},
		{"{exclude: [42]}", "read_file write_file list_dir", ""},
		{"{exclude: 42}", agentAll, "tools"},
		{"{exclude: {write_file: true}}", agentAll, "tools"},
		{"{include: [read_file], exclude: [read_file]}", "read_file", helpers},
		{"{include: [], exclude: [x]}", "", helpers},
		{"{include: null, exclude: [write_file]}", "read_file list_dir 42", "tools helpers"},
		{`{include: "read_*", exclude: [read_file]}`, "read_file", helpers},
		{"read_file", "", "tools"},
		{"[read_file]", "", "tools"},
		{"true", "", "tools"},
		{"42", "", "tools"},
		{"false", agentAll, "tools"},
		{`""`, agentAll, "tools"},
		{"[]", agentAll, "tools"},
		{"0", agentAll, "tools"},
		{"{include: [read_file], include: []}", "", "duplicate"},
	}
}

func TestAgentMeaning(t *testing.T) {
	for _, r := range agentRows() {
		text := "mcp_servers:\n  srv:\n    command: x\n"
		if r.tools != "" {
			text += "    tools: " + r.tools + "\n"
		}
		set := setOf(t, text)
		rules, _ := set.Rules("srv")
		agent := policy.AgentMeaning(set.Entry("srv"))
		var have []string
		for _, name := range strings.Fields(agentAll) {
			if agent.Allows(name) {
				have = append(have, name)
			}
		}
		want := strings.Fields(r.registers)
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("%s registers %q there, want %q", r.tools, have, want)
		}
		var kinds []string
		for _, d := range policy.Differences(set.Entry("srv"), rules) {
			kinds = append(kinds, d.Code)
			for _, w := range []policy.Words{d.Before, d.Now} {
				if w.Text == "" || w.Code == "" {
					t.Errorf("%s: %s has no words: %+v", r.tools, d.Code, d)
				}
			}
			if d.Fix.Text == "" {
				t.Errorf("%s: %s does not say what to write", r.tools, d.Code)
			}
			if d.Line == 0 {
				t.Errorf("%s: %s has no line", r.tools, d.Code)
			}
		}
		if have := strings.Join(kinds, " "); have != r.differs {
			t.Errorf("%s: differences %q, want %q", r.tools, have, r.differs)
		}
		// Where both mean the same, both answer the same.
		if !strings.Contains(r.differs, "tools") && r.differs != "duplicate" {
			for _, name := range strings.Fields(agentAll) {
				if agent.Allows(name) != rules.Allows(name) {
					t.Errorf("%s: %s is %v there and %v here, and no difference is told", r.tools, name, agent.Allows(name), rules.Allows(name))
				}
			}
		}
	}
}

func TestAgentHelpersTrustAndBadEntries(t *testing.T) {
	set := setOf(t, `mcp_servers:
  locked: {command: x, tools: {include: []}}
  quoted: {command: x, tools: {resources: "off"}}
  written: {command: x, tools: {resources: on}}
  set: !!set {a}
  shy: {command: x, trust: untrusted}
  list: [a]
`)
	entry := func(name string) policy.Agent { return policy.AgentMeaning(set.Entry(name)) }
	if !entry("locked").Helper(policy.HelperReadResource) || entry("quoted").Helper(policy.HelperListResources) || !entry("quoted").Helper(policy.HelperGetPrompt) {
		t.Error("the helpers obey something else than their own keys")
	}
	if !entry("written").Helper(policy.HelperListResources) {
		t.Error("what is written on is off")
	}
	if entry("list").Helper(policy.HelperGetPrompt) || entry("list").Allows("a") || entry("list").Words().Code != "agent.skipped" {
		t.Error("an entry that is no mapping offers something")
	}
	rules, _ := set.Rules("list")
	if d := policy.Differences(set.Entry("list"), rules); d != nil {
		t.Errorf("neither program takes a list for a server, yet %+v", d)
	}
	rules, _ = set.Rules("shy")
	if d := policy.Differences(set.Entry("shy"), rules); len(d) != 1 || d[0].Code != "trust" {
		t.Errorf("untrusted: %+v", d)
	}
	rules, _ = set.Rules("set")
	if d := policy.Differences(set.Entry("set"), rules); len(d) != 1 || d[0].Code != "tools" {
		t.Errorf("a set is a mapping there and no entry here: %+v", d)
	}
	// Held rules that cannot be read have no problem of the file.
	held := policy.Held(policy.Restriction{State: policy.StateInvalid}, policy.ReadServer(set.Entry("written")), false)
	if d := policy.Differences(set.Entry("written"), held); len(d) != 1 || d[0].Code != "tools" {
		t.Errorf("held: %+v", d)
	}
	policy.AgentMeaning(&policy.Node{Kind: policy.KindMapping, Children: []*policy.Node{nil, nil, nil}})
	if policy.Differences(nil, policy.Rules{}) != nil || policy.AgentMeaning(nil).Allows("a") {
		t.Error("nothing is something")
	}
}

func TestAgentWordsNameWhatPythonReads(t *testing.T) {
	set := setOf(t, "mcp_servers:\n  a: {tools: {include: [true, 0x1F, 010, 1_000, 1.10, 1.0, on, 2026-01-01, null, {a: b}, 1e3, .inf, 1.5e-7, 0.0001, 1.0e+16, \"on\", -.inf, .nan]}}\n")
	have := policy.AgentMeaning(set.Entry("a")).Words()
	const want = "only True, 31, 8, 1000, 1.1, 1.0, True, 2026-01-01, None, <mapping>, 1e3, inf, 1.5e-07, 0.0001, 1e+16, on, -inf, nan"
	if have.Text != want {
		t.Errorf("have %q, want %q", have.Text, want)
	}
}

func TestAgentCodes(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range policy.AgentCodes() {
		if c.Text == "" || seen[c.Code] {
			t.Errorf("the text of %q", c.Code)
		}
		seen[c.Code] = true
	}
	for _, code := range []string{"agent.open", "agent.helpers", "lost.locked", "delta.future", "delta.untrust"} {
		if !seen[code] {
			t.Errorf("no text for %q", code)
		}
	}
}

func TestLost(t *testing.T) {
	for _, c := range []struct{ was, now, want string }{
		{"tools: {include: []}", "", "lost.locked"},
		{"tools: {include: []}", "tools: {}", "lost.locked"},
		{"tools: {include: []}", "tools: {exclude: [a]}", "lost.locked"},
		{"tools: {include: []}", "tools: {include: [a]}", ""},
		{"tools: {include: []}", `tools: {include: ["*"]}`, ""},
		{"tools: {include: [a]}", "", "lost.whitelist"},
		{"tools: {exclude: [a]}", "", "lost.blacklist"},
		{"tools: {exclude: [a, b]}", "tools: {exclude: [a]}", ""},
		{"tools: {exclude: [a]}", "tools: {include: []}", ""},
		{"tools: {resources: false, prompts: off}", "", "lost.helper lost.helper"},
		{"tools: {resources: false}", "tools: {resources: true}", ""},
		{"tools: {resources: false}", "tools: {include: []}", ""},
		{"trust: untrusted", "", "lost.trust"},
		{"trust: untrusted", "trust: full", ""},
		{"tools: 42", "", ""},
		{"tools: {include: []}", "tools: 42", ""},
		{"", "", ""},
	} {
		rules := func(text string) policy.Rules {
			r, _ := setOf(t, "mcp_servers:\n  a:\n    command: x\n    "+text+"\n").Rules("a")
			return r
		}
		was, now := rules(c.was), rules(c.now)
		var codes []string
		for _, w := range policy.Lost(was.Restriction(), now) {
			codes = append(codes, w.Code)
		}
		if len(policy.Lost(was.Restriction(), policy.Held(was.Restriction(), now, false))) != 0 {
			t.Errorf("%q to %q: what is held is not lost", c.was, c.now)
		}
		if have := strings.Join(codes, " "); have != c.want {
			t.Errorf("%q to %q: lost %q, want %q", c.was, c.now, have, c.want)
		}
	}
}

func TestFingerprints(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": {"include": ["x", "y"], "exclude": ["z"]}}`: "only x,y",
		`{"a": {"include": [], "exclude": ["z"]}}`:         "except z",
		`{"a": {"include": null, "exclude": []}}`:          "open ",
		`{"a": {"include": "x", "exclude": {"z": 1}}}`:     "open ",
		`{"a": ["include", ["x"]]}`:                        "open ",
		`{"a": "0123"}`:                                    "open ",
		`{"a": {}}`:                                        "open ",
		`{"b": {}}`:                                        "open ",
	} {
		root, err := config.Tree([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		have := policy.FingerprintRestriction(config.Lookup(root, []string{"a"}))
		if got := string(have.State) + " " + strings.Join(have.Patterns, ","); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
