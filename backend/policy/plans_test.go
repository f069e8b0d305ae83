package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hermes/backend/policy"
)

// planOf writes operations so that a table can hold them: a value in braces is
// flow style, one in angle brackets takes lines of its own.
func planOf(ops []policy.Op) string {
	var out []string
	for _, op := range ops {
		path := strings.Join(op.Path, ".")
		if op.Key != "" {
			path = strings.TrimPrefix(path+"."+op.Key, ".")
		}
		switch op.Kind {
		case policy.OpSetValue:
			out = append(out, "set "+path+" "+written(op.Value))
		case policy.OpInsertKey:
			out = append(out, "add "+path+" "+written(op.Value))
		case policy.OpDeleteKey:
			out = append(out, "delete "+path)
		case policy.OpInsertItem:
			out = append(out, "append "+path+" "+written(op.Value))
		case policy.OpRemoveItem:
			out = append(out, fmt.Sprintf("remove %s %d", path, op.Index))
		}
	}
	return strings.Join(out, "; ")
}

func written(n *policy.Node) string {
	var parts []string
	switch n.Kind {
	case policy.KindScalar:
		switch n.Style {
		case policy.StyleDoubleQuoted:
			return `"` + n.Value + `"`
		case policy.StyleSingleQuoted:
			return "'" + n.Value + "'"
		}
		return n.Value
	case policy.KindSequence:
		for _, c := range n.Children {
			parts = append(parts, written(c))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for i := 0; i+1 < len(n.Children); i += 2 {
		parts = append(parts, written(n.Children[i])+": "+written(n.Children[i+1]))
	}
	if n.Style == policy.StyleBlock {
		return "<" + strings.Join(parts, ", ") + ">"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// TestPlans: an edit touches only what it has to (docs/FILTER.md section 5). A
// plan that starts with "edit." is a refusal with its hint.
func TestPlans(t *testing.T) {
	on := func(tool string) policy.Intent { return policy.Intent{Action: policy.ActionOn, Tool: tool} }
	off := func(tool string) policy.Intent { return policy.Intent{Action: policy.ActionOff, Tool: tool} }
	expand := func(i policy.Intent, known ...string) policy.Intent {
		i.Expand, i.Known = true, known
		return i
	}
	chose := func(on, off string) policy.Intent {
		return policy.Intent{Action: policy.ActionSelect, On: strings.Fields(on), Off: strings.Fields(off)}
	}
	only := func(names string) policy.Intent {
		return policy.Intent{Action: policy.ActionOnly, On: strings.Fields(names)}
	}
	lock, open := policy.Intent{Action: policy.ActionLock}, policy.Intent{Action: policy.ActionOpen}
	for _, c := range []struct {
		entry  string
		intent policy.Intent
		plan   string
	}{
		// Lock: `include: []`, and false for a helper that is written on.
		{"{tools: {include: [a]}}", lock, "set tools.include []"},
		{"{tools: {include: []}}", lock, ""},
		{"{tools: {include: [], resources: true}}", lock, "set tools.resources false"},
		{"{tools: {include: [], resources: true, prompts: on}}", lock, "set tools.resources false; set tools.prompts false"},
		{"{tools: {include: [a], resources: false, prompts: off}}", lock, "set tools.include []"},
		{"{tools: {include: [a], resources: , prompts: maybe}}", lock, "set tools.include []"},
		{"{tools: {exclude: [a], prompts: true}}", lock, "add tools.include []; set tools.prompts false"},
		{"{tools: {include: 42}}", lock, "set tools.include []"},
		{"{tools: [a, b]}", lock, "set tools {include: []}"},
		{"{tools: }", lock, "set tools {include: []}"},
		{"{command: x}", lock, "add tools {include: []}"},
		{"{? [a] : 1, ? [b] : 2, command: x}", lock, "add tools {include: []}"},
		{"{tools: {? [a] : 1, ? [b] : 2, include: [a]}}", lock, "set tools.include []"},
		{"{tools: {include: [a], include: [b]}}", lock, "set tools {include: []}"},
		{"{tools: {include: [a], exclude: [b], resources: true, prompts: true, include: [b]}}", lock, "set tools {include: []}"},
		{"{tools: {include: [a], include: [b], colour: blue}}", lock, "edit.duplicate: remove one of them first; everything of this server is denied until then"},
		{"{tools: {include: [a], include: [b], ? [x] : y}}", lock, "edit.duplicate: remove one of them first; everything of this server is denied until then"},
		{"{command: x, command: y}", lock, "edit.duplicate: remove one of them first; everything of this server is denied until then"},
		{"[a]", lock, "edit.broken: write the server's settings below its name, for example command: and args:; nothing of this server can be called until then"},

		// Open: include and exclude go, and the block when nothing is left in it.
		{"{tools: {include: [a]}, command: x}", open, "delete tools"},
		{"{tools: {include: [a], exclude: [b]}, command: x}", open, "delete tools"},
		{"{tools: {include: [a], exclude: [b], resources: true}, command: x}", open, "delete tools.include; delete tools.exclude"},
		{"{tools: {include: [a], resources: true}, command: x}", open, "delete tools.include"},
		{"{tools: {include: 42}, command: x}", open, "delete tools"},
		{"{command: x}", open, ""},
		{"{tools: [a, b]}", open, "edit.open_shape: write tools: {include: [name, ...]}, or remove the key by hand to open the server"},
		{"{tools: text}", open, "edit.open_shape: write tools: {include: [name, ...]}, or remove the key by hand to open the server"},
		{"{tools: {include: [a], include: [b]}}", open, "edit.open_shape: remove one of them, or remove the key by hand to open the server"},
		{"{tools: {include: [a, &x b]}, command: x}", open, "edit.anchor: change it by hand"},
		{"{tools: {include: [&x a, b]}, command: x}", open, "edit.anchor: change it by hand"},
		{"{tools: {include: &x [a, b]}, command: x}", open, "edit.anchor: change it by hand"},
		{"{args: [&x {y: &z 1}], tools: {include: [a, *x, b]}}", open, "delete tools"},

		// On and off.
		{"{command: x}", off("a"), "add tools {exclude: [a]}"},
		{"{tools: {include: [a]}}", on("b"), "append tools.include b"},
		{`{tools: {include: ["a", 42]}}`, on("b"), `append tools.include "b"`},
		{`{tools: {include: [42, 'a', null]}}`, on("b"), `append tools.include 'b'`},
		{`{tools: {include: [42, "a", [x], "c"]}}`, on("b"), `append tools.include "b"`},
		{`{tools: {include: ["a", 'c']}}`, on("b"), "append tools.include b"},
		{`{tools: {include: [null, "null", a]}}`, off("null"), "remove tools.include 1"},
		{`{tools: {include: [[a], a, {a: a}]}}`, off("a"), "remove tools.include 1"},
		{`{tools: {include: [a]}}`, off("a"), "set tools.include []"},
		{`{tools: {include: ["a*"]}}`, expand(off("ab"), "ab", "ac", "ac", "ad", "b"), `append tools.include "ac"; append tools.include "ad"; remove tools.include 0`},
		{`{tools: {include: ["a*", ac, "*d"]}}`, expand(off("ab"), "ab", "ac", "ad", "ae"), "append tools.include ae; remove tools.include 0"},
		{`{tools: {include: ["a*"]}}`, off("ab"), "edit.held_on: change the pattern, or let it be replaced by the names it matches now"},
		{`{tools: {exclude: ["a*"]}}`, on("ab"), "edit.held_off: change the pattern, or let it be replaced by the names it matches now"},
		{`{tools: {include: ["a*"]}}`, expand(off("ab")), "edit.not_known: look at the server first: hermes mcp test"},
		{"{tools: [a]}", on("a"), "edit.invalid: write tools: {include: [name, ...]}, or lock the server"},

		// A picker's choice: what comes is added before what goes is removed.
		{"{tools: {include: [a]}}", chose("b", "a"), "append tools.include b; remove tools.include 0"},
		{"{tools: {exclude: [a]}}", chose("a", "b"), "append tools.exclude b; remove tools.exclude 0"},
		{"{tools: {include: [a, b]}}", chose("a c", "d"), "append tools.include c"},
		{"{tools: {include: [a]}}", chose("a", "b"), ""},
		{`{tools: {include: ["a*"]}}`, expand(chose("x", "ab")), "edit.not_known: look at the server first: hermes mcp test"},
		{`{tools: {include: ["a*"]}}`, expand(chose("ay", "ab"), "ab", "az"), `append tools.include "az"; append tools.include "ay"; remove tools.include 0`},
		{"{tools: {include: [a]}}", only("a"), ""},
		{"{tools: {include: [a, b]}}", only("b a"), ""},
		{"{tools: {include: [a, b, c]}}", only("d b"), "append tools.include d; remove tools.include 2; remove tools.include 0"},
		{"{tools: {include: [a, b]}}", only(""), "set tools.include []"},
		{"{tools: {include: a}}", only("b"), "set tools.include [b]"},
		{"{tools: {include: [null, [x], a]}}", only("b"), "append tools.include b; remove tools.include 2"},
		{"{tools: {include: [null, a]}}", only("null"), `append tools.include "null"; remove tools.include 1`},
		{"{tools: {exclude: [a]}}", only("b"), "add tools.include [b]; delete tools.exclude"},
		{"{tools: }", only("b"), "set tools {include: [b]}"},
		{"{command: x}", only("b"), "add tools {include: [b]}"},
	} {
		t.Run(c.entry+" "+string(c.intent.Action), func(t *testing.T) {
			entry := entryOf(t, c.entry)
			ops, err := policy.Edit(entry, c.intent)
			have := planOf(ops)
			var refusal *policy.Refusal
			if errors.As(err, &refusal) {
				have = refusal.Words.Code + ": " + refusal.Hint
			}
			if have != c.plan {
				t.Errorf("%+v: have %s, want %s", c.intent, have, c.plan)
			}
		})
	}
}

// TestNewBlocksTakeTheStyleOfTheEntry: in an entry with lines of its own the new
// block gets some as well.
func TestNewBlocksTakeTheStyleOfTheEntry(t *testing.T) {
	for entry, want := range map[string]string{
		"mcp_servers:\n  demo:\n    command: x\n": "add tools <exclude: [a]>",
		"mcp_servers:\n  demo: {command: x}\n":    "add tools {exclude: [a]}",
	} {
		ops, err := policy.Edit(setOf(t, entry).Entry("demo"), policy.Intent{Action: policy.ActionOff, Tool: "a"})
		if have := planOf(ops); err != nil || have != want {
			t.Errorf("%q: %s, %v", entry, have, err)
		}
	}
}

// TestDuplicatesEndTheReading: of a mapping that holds a key twice nothing else
// is read, every copy is told with the first one's line, and collections as keys
// are no duplicates of each other.
func TestDuplicatesEndTheReading(t *testing.T) {
	for text, want := range map[string]string{
		"{tools: {include: a, include: a}}":               "duplicate.key[include 2 2]",
		"{tools: {exclude: a, x: 1, x: 2, x: 3}}":         "duplicate.key[x 2 2] duplicate.key[x 2 2]",
		"{trust: strange, x: 1, x: 2, tools: 42}":         "duplicate.key[x 2 2] trust.value[]",
		"{? [a] : 1, ? [b] : 2, tools: {include: [a]}}":   "",
		"{tools: {? [a] : 1, ? [b] : 2, include: [a]}}":   "",
		"\n    x: 1\n    x: 2\n    x: 3\n    tools: 42\n": "duplicate.key[x 3 4] duplicate.key[x 3 5]",
	} {
		rules, _ := setOf(t, "mcp_servers:\n  demo: "+text+"\n").Rules("demo")
		var have []string
		for _, p := range rules.Problems() {
			have = append(have, fmt.Sprint(p.Code, p.Params))
		}
		if have := strings.Join(have, " "); have != want {
			t.Errorf("%s: %s", text, have)
		}
	}
}

// TestPlainWordsInThePage: a plain word that an older YAML takes for true or
// false is called so in the page as well, though its text stays here.
func TestPlainWordsInThePage(t *testing.T) {
	for _, text := range []string{"on", "No", `"on"`, "'no'", "text", "{tools: on}", "{tools: OFF}", `{tools: "off"}`, "{tools: text}", "{tools: 42}"} {
		set := setOf(t, "mcp_servers:\n  demo: "+text+"\n")
		want, _ := set.Rules("demo")
		have, _, err := policy.DecodeServer(set.Encode("demo"))
		if err != nil || have.Row().Text != want.Row().Text {
			t.Errorf("%s: %s, want %s, %v", text, have.Row().Text, want.Row().Text, err)
		}
	}
	for text, word := range map[string]string{"{tools: on}": "true or false", `{tools: "on"}`: "text", "{tools: text}": "text"} {
		rules, _ := setOf(t, "mcp_servers:\n  demo: "+text+"\n").Rules("demo")
		if !strings.Contains(rules.Row().Text, "tools is "+word) {
			t.Errorf("%s: %s", text, rules.Row().Text)
		}
	}
}

// TestAnchorsAndAliases: what other places may use or come from is not changed,
// whatever the edit.
func TestAnchorsAndAliases(t *testing.T) {
	tool := func(action policy.Action, tool string) policy.Intent {
		return policy.Intent{Action: action, Tool: tool}
	}
	only := func(names ...string) policy.Intent { return policy.Intent{Action: policy.ActionOnly, On: names} }
	lock, open, restore := tool(policy.ActionLock, ""), tool(policy.ActionOpen, ""), tool(policy.ActionRestore, "")
	distrust := policy.Restriction{State: policy.StateOpen, Lost: []policy.Restriction{{State: policy.StateOpen, Untrusted: true}}}
	for _, c := range []struct {
		entry  string
		intent policy.Intent
		code   string
		held   policy.Restriction
	}{
		{entry: "{args: [&x [a]], tools: {include: *x}}", intent: open, code: "edit.alias"},
		{entry: "{args: [&x true], tools: {include: [a], resources: *x}}", intent: lock, code: "edit.alias"},
		{entry: "{args: [&x {include: [a]}], tools: *x}", intent: open, code: "edit.alias"},
		{entry: "{command: x, tools: &x {include: [a]}}", intent: open, code: "edit.anchor"},
		{entry: "{tools: &x }", intent: tool(policy.ActionOff, "a"), code: "edit.anchor"},
		{entry: "{tools: {include: &x a}}", intent: tool(policy.ActionOff, "a"), code: "edit.anchor"},
		{entry: "{tools: {include: [&x a, b]}}", intent: tool(policy.ActionOff, "a"), code: "edit.anchor"},
		{entry: "{args: [&x a], tools: {include: [*x, b]}}", intent: tool(policy.ActionOff, "a"), code: "edit.alias"},
		{entry: "{args: [&x {}], tools: *x}", intent: only("b"), code: "edit.alias"},
		{entry: "{tools: &x }", intent: only("b"), code: "edit.anchor"},
		{entry: "{args: [&x a], tools: {include: [*x, b]}}", intent: only("b"), code: "edit.alias"},
		{entry: "{tools: {include: [&x a, b]}}", intent: only("b"), code: "edit.anchor"},
		{entry: "{tools: {include: &x [a]}}", intent: only(), code: "edit.anchor"},
		{entry: "{trust: &x full}", intent: restore, code: "edit.restore_present", held: distrust},
		{entry: "{trust: &x full}", intent: lock, code: "edit.anchor", held: distrust},
		{entry: "*e", intent: restore, code: "edit.alias_entry", held: distrust},
		{entry: "*e", intent: lock, code: "edit.alias_entry"},
		{entry: `{tools: {include: ["a*"]}}`, intent: policy.Intent{Action: policy.ActionOff, Tool: "ab", Expand: true, Known: []string{"ab", "a?"}}, code: "edit.pattern_name"},
	} {
		set := setOf(t, "base: &e {command: x}\nmcp_servers: {demo: "+c.entry+"}\n")
		if len(c.held.Lost) > 0 {
			set = set.Hold("demo", heldDay, false, c.held)
		}
		rules, _ := set.Rules("demo")
		ops, err := policy.EditServer(rules, set.Entry("demo"), c.intent)
		var refusal *policy.Refusal
		if !errors.As(err, &refusal) || refusal.Words.Code != c.code || ops != nil {
			t.Errorf("%s, %s: %s, %v, want %s", c.entry, c.intent.Action, planOf(ops), err, c.code)
		}
	}
}
