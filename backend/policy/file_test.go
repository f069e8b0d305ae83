package policy_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"hermes/backend/policy"
)

func TestZeroValuesDeny(t *testing.T) {
	var rules policy.Rules
	for _, name := range []string{"", "read_file", "*"} {
		if v := rules.Tool(name); v.Allowed || v.Reason.Text == "" || rules.Allows(name) {
			t.Errorf("%q: %+v", name, v)
		}
	}
	for _, h := range append(func() []policy.Helper { h := policy.Helpers(); return h[:] }(), "", "other") {
		if v := rules.Helper(h); v.Allowed || v.Reason.Text == "" {
			t.Errorf("%q: %+v", h, v)
		}
	}
	if rules.Sampling().Allowed || rules.Elicitation().Allowed || rules.Resources() || rules.Prompts() {
		t.Error("a switch is on")
	}
	if rules.State() != policy.StateInvalid || !rules.Untrusted() || rules.Locked() {
		t.Errorf("state %s, untrusted %v, locked %v", rules.State(), rules.Untrusted(), rules.Locked())
	}
	if c := rules.Live([]string{"a", "b"}); c.Allowed != 0 || c.Total != 2 {
		t.Errorf("counts %+v", c)
	}
	if rules.Patterns() != nil || rules.Problems() != nil || rules.Line() != 0 || rules.Column() != 0 || rules.HeldBy("a") != "" {
		t.Error("the zero value has content")
	}
	var verdict policy.Verdict
	if verdict.Allowed {
		t.Error("the zero verdict allows")
	}
	var set policy.Set
	if r, ok := set.Rules("demo"); ok || r.Allows("a") {
		t.Error("the zero set knows a server")
	}
	if set.Names() != nil || set.Entry("demo") != nil || set.Problems() != nil {
		t.Error("the zero set has content")
	}
	if ops, err := policy.Edit(nil, policy.Intent{}); err == nil || ops != nil {
		t.Errorf("the zero intent: %v", ops)
	}
	if !rules.Equal(policy.Rules{}) || rules.Equal(policy.ReadServer(dict(policy.StyleFlow))) {
		t.Error("Equal")
	}
}

const twoServers = `mcp_servers:
  demo:
    tools: {include: [read_file]}
    trust: untrusted
  other: {}
  demo: {}
`

func TestSet(t *testing.T) {
	set := setOf(t, twoServers)
	if names := set.Names(); !slices.Equal(names, []string{"demo", "other"}) {
		t.Errorf("names %q", names)
	}
	if e := set.Entry("demo"); e == nil || e.Line != 6 {
		t.Errorf("the entry is not the last one: %+v", e)
	}
	demo, ok := set.Rules("demo")
	if !ok || demo.State() != policy.StateInvalid {
		t.Errorf("demo is %s", demo.State())
	}
	other, _ := set.Rules("other")
	if other.Line() != 5 || other.Column() != 3 {
		t.Errorf("other stands at %d:%d", other.Line(), other.Column())
	}
	if _, ok := set.Rules("ghost"); ok || set.Entry("ghost") != nil {
		t.Error("an unknown server is known")
	}
}

// TestDocumentDecidesAsTheFile: what the page gets for one server decides and
// points to places as the whole file does.
func TestDocumentDecidesAsTheFile(t *testing.T) {
	for _, r := range sharedRows(t) {
		if r.Unreadable {
			continue
		}
		set := setOf(t, r.YAML)
		for _, name := range set.Names() {
			want, _ := set.Rules(name)
			have, entry, err := policy.DecodeServer(set.Encode(name))
			if err != nil {
				t.Fatal(err)
			}
			if !have.Equal(want) || have.Row().Text != want.Row().Text || have.Line() != want.Line() {
				t.Errorf("%s, %s: %s, want %s", r.Name, name, have.Row().Text, want.Row().Text)
			}
			sameEdits(t, r, want, set.Entry(name), entry)
		}
	}
}

// TestAnswersAreCopies: nobody can change rules by changing what they return.
func TestAnswersAreCopies(t *testing.T) {
	set := setOf(t, "mcp_servers:\n  demo: {tools: {include: [a, \"b*\", 42]}}\n")
	rules, _ := set.Rules("demo")
	before := rules.Row().Text
	rules.Patterns()[0] = "x"
	rules.Problems()[0].Params[0] = "x"
	for _, name := range []string{"a", "bc", "z"} {
		want := rules.Tool(name).Reason
		params := rules.Tool(name).Reason.Params
		for i := range params {
			params[i] = "x"
		}
		if have := rules.Tool(name).Reason; !slices.Equal(have.Params, want.Params) {
			t.Errorf("%s: params %q", name, have.Params)
		}
	}
	set.Names()[0] = "x"
	if rules.Row().Text != before || set.Names()[0] != "demo" || rules.Problems()[0].Params[0] != "42" {
		t.Error("changed from outside")
	}
}

func TestReasons(t *testing.T) {
	set := setOf(t, `mcp_servers:
  white:
    tools:
      include:
        - read_file
        - "list_*"
      resources: true
  two: {tools: {include: [read_file, list_dir]}}
  one: {tools: {include: [read_file]}}
  none: {tools: {include: []}}
  black: {tools: {exclude: [write_file, rm]}}
  dark: {tools: {exclude: ["w*"], prompts: false}}
  open: {}
  bad: {tools: true}
`)
	for _, c := range []struct {
		server, tool string
		allowed      bool
		rule, text   string
		line, column int
	}{
		{"white", "read_file", true, "include", "include lists read_file", 5, 11},
		{"white", "list_dir", true, "include_glob", "include has the pattern list_* and it matches list_dir", 6, 11},
		{"white", "list_*", true, "include", "include lists list_*", 6, 11},
		{"white", "write_file", false, "not_included_glob", "include has 2 patterns and none matches write_file", 4, 7},
		{"two", "write_file", false, "not_included", "include lists 2 tools and write_file is not among them", 8, 17},
		{"one", "write_file", false, "not_included", "include lists 1 tool and write_file is not it", 9, 17},
		{"one", "a,b", false, "not_included", `include lists 1 tool and "a,b" is not it`, 9, 17},
		{"none", "write_file", false, "empty_include", "include names no tool, so every tool is off", 10, 18},
		{"black", "write_file", false, "excluded", "exclude lists write_file", 11, 29},
		{"black", "read_file", true, "not_excluded", "exclude lists 2 tools and read_file is not among them", 11, 19},
		{"dark", "write_file", false, "excluded_glob", "exclude has the pattern w* and it matches write_file", 12, 28},
		{"dark", "read_file", true, "not_excluded_glob", "exclude has 1 pattern and it does not match read_file", 12, 18},
		{"open", "read_file", true, "open", "no filter is written, so every tool is on", 13, 3},
		{"bad", "read_file", false, "invalid", "tools is true or false, not a mapping, so everything of this server is denied", 14, 16},
		{"open", "", false, "no_name", "a call without a name is never allowed", 13, 3},
		{"ghost", "read_file", false, "no_rules", "no rules were read for this server, so everything is denied", 0, 0},
	} {
		rules, _ := set.Rules(c.server)
		v := rules.Tool(c.tool)
		if v.Allowed != c.allowed || v.Rule != c.rule || v.Reason.Text != c.text || v.Line != c.line || v.Column != c.column {
			t.Errorf("%s, %s: %v %s %q %d:%d", c.server, c.tool, v.Allowed, v.Rule, v.Reason.Text, v.Line, v.Column)
		}
	}
	for _, c := range []struct {
		server  string
		verdict func(policy.Rules) policy.Verdict
		text    string
		line    int
	}{
		{"white", func(r policy.Rules) policy.Verdict { return r.Helper(policy.HelperReadResource) }, "resources is written on", 7},
		{"white", func(r policy.Rules) policy.Verdict { return r.Helper(policy.HelperGetPrompt) }, "include names everything that may be called and prompts is not written on", 4},
		{"white", policy.Rules.Sampling, "include names everything that may be called and sampling is not written on", 4},
		{"dark", func(r policy.Rules) policy.Verdict { return r.Helper(policy.HelperListPrompts) }, "prompts is written off", 12},
		{"open", policy.Rules.Elicitation, "elicitation is on because no whitelist is written", 13},
		{"bad", policy.Rules.Sampling, "tools is true or false, not a mapping, so everything of this server is denied", 14},
		{"open", func(r policy.Rules) policy.Verdict { return r.Helper("x") }, "x is not a helper", 0},
	} {
		rules, _ := set.Rules(c.server)
		if v := c.verdict(rules); v.Reason.Text != c.text || v.Line != c.line {
			t.Errorf("%s: %q, line %d", c.server, v.Reason.Text, v.Line)
		}
	}
}

func TestHeldBy(t *testing.T) {
	rules, _ := setOf(t, "mcp_servers:\n  demo: {tools: {include: [read_file, \"read_*\", \"w*\"]}}\n").Rules("demo")
	for name, want := range map[string]string{"read_file": "read_*", "read_dir": "read_*", "write": "w*", "list": "", "read_*": "read_*"} {
		if have := rules.HeldBy(name); have != want {
			t.Errorf("%s: held by %q, want %q", name, have, want)
		}
	}
	open := policy.ReadServer(dict(policy.StyleFlow))
	if open.HeldBy("read_file") != "" {
		t.Error("an open server holds a tool")
	}
}

func TestRestriction(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                              `{"state":"open"}`,
		`{tools: {exclude: []}}`:                          `{"state":"open"}`,
		`{tools: {include: [b, a]}}`:                      `{"state":"only","patterns":["b","a"]}`,
		`{tools: {include: []}}`:                          `{"state":"only"}`,
		`{tools: {exclude: [x]}, trust: full}`:            `{"state":"except","patterns":["x"]}`,
		`{tools: {resources: false, prompts: true}}`:      `{"state":"open","resources_off":true}`,
		`{tools: {prompts: off}, trust: untrusted}`:       `{"state":"open","prompts_off":true,"untrusted":true}`,
		`{tools: [a]}`:                                    `{"state":"invalid"}`,
		`{trust: untrusted, command: x, command: y}`:      `{"state":"invalid","untrusted":true}`,
		`{tools: {include: [a], resources: maybe}}`:       `{"state":"only","patterns":["a"],"resources_off":true}`,
		`{trust: strange}`:                                `{"state":"open","untrusted":true}`,
		`{tools: {include: [a], resources: }, trust: ""}`: `{"state":"only","patterns":["a"],"untrusted":true}`,
	} {
		rules, _ := setOf(t, "mcp_servers:\n  demo: "+text+"\n").Rules("demo")
		r := rules.Restriction()
		have, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if string(have) != want {
			t.Errorf("%s: have %s, want %s", text, have, want)
		}
		if r.Any() != (want != `{"state":"open"}`) {
			t.Errorf("%s: Any is %v", text, r.Any())
		}
		var back policy.Restriction
		if err := json.Unmarshal(have, &back); err != nil || back.Any() != r.Any() || back.State != r.State {
			t.Errorf("%s: %+v, %v", text, back, err)
		}
	}
}

func TestEqual(t *testing.T) {
	read := func(text string) policy.Rules {
		rules, _ := setOf(t, "mcp_servers:\n  demo: "+text+"\n").Rules("demo")
		return rules
	}
	same := [][2]string{
		{`{}`, `{tools: {}, command: x}`},
		{`{tools: {include: [a, b]}}`, `{tools: {include: [b, a, b]}}`},
		{`{tools: {include: []}}`, `{tools: {include: }}`},
		{`{tools: {exclude: a}}`, `{tools: {exclude: [a]}}`},
	}
	for _, c := range same {
		if !read(c[0]).Equal(read(c[1])) {
			t.Errorf("%s and %s are not equal", c[0], c[1])
		}
	}
	different := []string{
		`{}`, `{tools: {include: []}}`, `{tools: {include: [a]}}`, `{tools: {exclude: [a]}}`, `{tools: {include: [a, b]}}`, `{tools: {include: [b]}}`,
		`{tools: {resources: false}}`, `{tools: {prompts: false}}`, `{sampling: false}`, `{elicitation: false}`, `{trust: untrusted}`, `{tools: []}`, `[]`,
	}
	for i, a := range different {
		for j, b := range different {
			if (i == j) != read(a).Equal(read(b)) {
				t.Errorf("%s and %s: Equal is %v", a, b, i != j)
			}
		}
	}
}

func TestRulesSurviveJSONAndYAML(t *testing.T) {
	rules, _ := setOf(t, "mcp_servers:\n  demo: {tools: {include: [a, \"b\\n*\"], resources: true}, trust: untrusted, sampling: false}\n").Rules("demo")
	data, err := json.Marshal(map[string]policy.Rules{"demo": rules})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"demo":"only \"a\" \"b\\n*\" resources=on sampling=off untrusted"}`; string(data) != want {
		t.Errorf("have %s, want %s", data, want)
	}
	var fromJSON map[string]policy.Rules
	if err := json.Unmarshal(data, &fromJSON); err != nil || !fromJSON["demo"].Equal(rules) {
		t.Errorf("%v: %+v", err, fromJSON["demo"])
	}
	data, err = yaml.Marshal(map[string]policy.Rules{"demo": rules})
	if err != nil {
		t.Fatal(err)
	}
	var fromYAML map[string]policy.Rules
	if err := yaml.Unmarshal(data, &fromYAML); err != nil || !fromYAML["demo"].Equal(rules) {
		t.Errorf("%v: %s", err, data)
	}
	for _, bad := range []string{
		"", "null", "open \"a\"", "except", "only a", "only \"a", "only \"a\" resources=maybe", "only colour=on", "open untrusted ?", "OPEN", "opened", "only \"a\"\"b\" x",
	} {
		back := rules
		if err := back.UnmarshalText([]byte(bad)); err == nil || back.Allows("a") || back.State() != policy.StateInvalid {
			t.Errorf("%q is read as %s", bad, back.State())
		}
	}
	back := rules
	if err := back.UnmarshalText([]byte("invalid")); err != nil || back.Allows("a") {
		t.Errorf("invalid: %v", err)
	}
}

// TestCatalogue: every text has a code of its own, every problem and refusal
// has a hint, and no text asks for a parameter it does not get.
func TestCatalogue(t *testing.T) {
	texts := map[string]string{}
	for _, c := range policy.Codes() {
		if _, double := texts[c.Code]; double || c.Code == "" || c.Text == "" {
			t.Errorf("code %q is empty or double", c.Code)
		}
		texts[c.Code] = c.Text
	}
	for code := range texts {
		group, _, _ := strings.Cut(code, ".")
		hinted := !slices.Contains([]string{"list", "row", "panel", "why", "kind"}, group)
		if _, ok := texts[code+".hint"]; !ok && hinted && !strings.HasSuffix(code, ".hint") {
			t.Errorf("%s has no hint", code)
		}
		if base, ok := strings.CutSuffix(code, ".hint"); ok && texts[base] == "" {
			t.Errorf("%s hints at nothing", code)
		}
	}
	for _, r := range sharedRows(t) {
		if r.Unreadable {
			continue
		}
		set := setOf(t, r.YAML)
		rules, _ := set.Rules(r.Server)
		for _, p := range append(rules.Problems(), set.Problems()...) {
			fits(t, texts, policy.Words{Code: p.Code, Params: p.Params, Text: p.Message})
			fits(t, texts, policy.Words{Code: p.Code + ".hint", Params: p.Params, Text: p.Hint})
		}
		for _, w := range []policy.Words{rules.List(), rules.Row(), rules.Panel(r.Live, true), rules.Panel(nil, false), rules.Tool("read_file").Reason, rules.Tool(newTool).Reason, rules.Sampling().Reason} {
			fits(t, texts, w)
		}
	}
}

func fits(t *testing.T, texts map[string]string, w policy.Words) {
	t.Helper()
	template, ok := texts[w.Code]
	if !ok {
		t.Errorf("%s is not in the catalogue", w.Code)
	}
	for n := range 10 {
		digit := string(rune('0' + n))
		asked := strings.Contains(template, "{"+digit) || strings.Contains(template, "{k"+digit)
		if asked && n >= len(w.Params) {
			t.Errorf("%s asks for parameter %d and gets %q", w.Code, n, w.Params)
		}
	}
	if w.Text == "" || strings.Contains(w.Text, "  ") {
		t.Errorf("%s: %q", w.Code, w.Text)
	}
}

// TestHostileNames: what a server calls its tools cannot disturb a terminal or
// fill the screen.
func TestHostileNames(t *testing.T) {
	rules := only("a")
	for name, want := range map[string]string{
		"\x1b[31mred":                   `include lists 1 tool and "\x1b[31mred" is not it`,
		"two\nlines":                    `include lists 1 tool and "two\nlines" is not it`,
		"left\u202eright":               `include lists 1 tool and "left\u202eright" is not it`,
		" edge":                         `include lists 1 tool and " edge" is not it`,
		"broken\xff":                    `include lists 1 tool and "broken\xff" is not it`,
		"two words":                     `include lists 1 tool and two words is not it`,
		strings.Repeat("long", 100_000): "include lists 1 tool and " + strings.Repeat("long", 50) + "… is not it",
		"a" + strings.Repeat("ä", 101):  "include lists 1 tool and a" + strings.Repeat("ä", 99) + "… is not it",
		strings.Repeat("ä", 101):        "include lists 1 tool and " + strings.Repeat("ä", 100) + "… is not it",
	} {
		if have := rules.Tool(name).Reason.Text; have != want {
			t.Errorf("have %q, want %q", have, want)
		}
	}
}
