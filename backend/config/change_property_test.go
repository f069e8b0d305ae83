package config

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/policy"
)

// runSteps plans steps on bytes. Every generated file is laid out as people do,
// so a refusal for the layout is a failure.
func runSteps(t *rapid.T, data string, steps ...Step) (after string, changed bool) {
	doc, err := parse([]byte(data))
	if err != nil {
		t.Fatalf("%v\n%s", err, visible(data))
	}
	out, err := planChange("config.yaml", doc, steps)
	if err != nil {
		var r *Refused
		if errors.As(err, &r) && r.Hint != "" && !errors.Is(err, errLayout) {
			return data, false
		}
		t.Fatalf("%v (%v)\n%v\n%s", err, errors.Unwrap(err), steps, visible(data))
	}
	if out == nil {
		return data, false
	}
	return string(out.data), true
}

// anyText is text of every kind, words with a meaning in YAML among it.
func anyText() *rapid.Generator[string] {
	odd := rapid.SampledFrom([]string{
		"", " ", "yes", "No", "~", "null", "1.10", "0x1f", "1e3", "1:20", "2026-01-01", "- x", "-", "--", "---", "...", "a: b", "a:", ":a", "#c", "a #c", "a#c",
		"*x", "&x", "!x", "%x", "@x", "`x", "|", ">", "?", "? x", "[", "[]", "{}", "a, b", "'", `"`, `\`, "it's", "a\nb", "a\n", "\ta", "a\r\nb", "\u0085", "\u2028", "\ufeff", "\x00", "\x7f",
		"🙂", "größe", "e\u0301", "\u202eabc", "<<", "=", ".inf", ".5", "+1", "1_000", "${VAR}", "https://x.y/z?a=b#c", `C:\x`, "@scope/pkg", "-y", "--flag=1", strings.Repeat("long ", 300),
	})
	return rapid.OneOf(odd, rapid.String(), rapid.StringMatching(`[ -~]{0,12}`))
}

func anyValue() *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		switch rapid.IntRange(0, 7).Draw(t, "shape") {
		case 0:
			return Map("a", true).Children[1]
		case 1:
			return Map("a", rapid.Int().Draw(t, "number")).Children[1]
		case 2:
			return List(rapid.SliceOfN(anyText(), 0, 4).Draw(t, "items")...)
		case 3:
			return Map("command", anyText().Draw(t, "command"), "args", List(rapid.SliceOfN(anyText(), 0, 4).Draw(t, "args")...), "env", Map("A", anyText().Draw(t, "env"), "tools", Map()))
		case 4:
			return Map()
		}
		return Text(anyText().Draw(t, "text"))
	})
}

func TestAnyTextComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, value := anyText().Draw(t, "key"), anyText().Draw(t, "value")
		if strings.ContainsRune(key+value, '\ufffd') || len(key) > 200 {
			t.Skip("not text, or too long for a key")
		}
		before := rapid.SampledFrom([]string{"", "a: 1\n", "{}\n", "{a: 1}\n", "a: {b: c}\n", "a:\r\n    b: c\r\n"}).Draw(t, "file")
		path := []string{key}
		if strings.Contains(before, "b: c") {
			path = []string{"a", key}
		}
		for _, v := range []*policy.Node{Text(value), List(value, "x", value), Map(key, Map(key, value))} {
			after, _ := runSteps(t, before, Step{Kind: StepSet, Path: path, Value: v})
			tree, err := Tree([]byte(after))
			if err != nil {
				t.Fatal(err)
			}
			if now := Lookup(tree, path); now == nil || !sameValue(now, v) {
				t.Fatalf("%q at %q came back as %v\n%s", value, key, now, visible(after))
			}
		}
	})
}

func TestRandomChangesTouchOnlyTheirEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := file(t)
		data := w.bytes()
		chosen := rapid.IntRange(0, len(w.entries)-1).Draw(t, "server")
		name := w.entries[chosen].name
		below := rapid.SampledFrom([][]string{{"command"}, {"timeout"}, {"fresh"}, {"note"}, {"env", "KEY"}, {"deep", "er", "still"}, {"args"}, {"größe"}}).Draw(t, "path")
		step := Step{Kind: rapid.SampledFrom([]StepKind{StepSet, StepSet, StepDelete, StepInsertItem, StepRemoveItem}).Draw(t, "kind"), Path: append([]string{keyServers, name}, below...)}
		if step.Kind != StepDelete {
			step.Value = anyValue().Draw(t, "value")
		}
		after, changed := runSteps(t, data, step)
		if !changed {
			if after != data {
				t.Fatal("bytes changed without a change")
			}
			return
		}
		head, tail := w.head, ""
		for _, earlier := range w.entries[:chosen] {
			head += earlier.text
		}
		for _, later := range w.entries[chosen+1:] {
			tail += later.text
		}
		tail = strings.TrimPrefix(w.form(tail+w.foot), bom)
		if !strings.HasPrefix(after, strings.TrimRight(w.form(head), "\r\n")) || !strings.HasSuffix(after, tail) {
			t.Fatalf("%v changed other bytes\n%s\n---\n%s", step, visible(data), visible(after))
		}
		if ownComments(after) < ownComments(data) && below[0] != "note" {
			t.Fatalf("%v lost comments\n%s\n---\n%s", step, visible(data), visible(after))
		}
		tree, err := Tree([]byte(after))
		if err != nil {
			t.Fatal(err)
		}
		now := Lookup(tree, step.Path)
		if step.Kind == StepSet && (now == nil || !sameValue(now, step.Value)) || step.Kind == StepDelete && now != nil {
			t.Fatalf("%v is not so\n%s", step, visible(after))
		}
		if _, again := runSteps(t, after, step); again {
			t.Fatalf("%v is not done after it was done\n%s", step, visible(after))
		}
	})
}

// A plain key that is set and removed again leaves every byte as it was.
func TestSetAndDeleteRestoresTheBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := file(t)
		data := w.bytes()
		path := rapid.SampledFrom([][]string{{keyServers, w.entries[0].name, "fresh"}, {keyServers, "fresh"}, {"fresh"}}).Draw(t, "path")
		after, changed := runSteps(t, data, Step{Kind: StepSet, Path: path, Value: anyValue().Draw(t, "value")})
		if !changed {
			t.Fatal("nothing was set")
		}
		back, _ := runSteps(t, after, Step{Kind: StepDelete, Path: path})
		if back != data {
			t.Fatalf("%v\n%s\n---\n%s\n---\n%s", path, visible(data), visible(after), visible(back))
		}
	})
}

// FuzzChange sets and deletes any path in any bytes: no panic, no change of
// another server's rules, and what was asked is so.
func FuzzChange(f *testing.F) {
	for _, data := range []string{"", "a: 1\n", "mcp_servers:\n  demo: {command: npx}\n", "a: &x {b: c}\nd: *x\n", "? a\n: - b\n", "{}", "---\na: |\n  x\n...\n"} {
		f.Add([]byte(data), "mcp_servers.demo.command", "[a, b]", true)
		f.Add([]byte(data), "a.b", "text: x", false)
	}
	f.Fuzz(func(t *testing.T, data []byte, path, text string, set bool) {
		keys, err := ParsePath(path)
		if err != nil {
			return
		}
		doc, err := parse(data)
		if err != nil {
			return
		}
		step := Step{Kind: StepDelete, Path: keys}
		if set {
			step.Kind = StepSet
			if step.Value, err = Value(text); err != nil {
				return
			}
		}
		after, err := planChange("config.yaml", doc, []Step{step})
		if err != nil {
			var r *Refused
			if !errors.As(err, &r) {
				t.Fatal(err)
			}
			return
		}
		if after == nil {
			return
		}
		if now := Lookup(after.tree, keys); set && (now == nil || !sameValue(now, step.Value)) {
			t.Fatalf("%v is not so\n%s\n---\n%s", step, visible(string(data)), visible(string(after.data)))
		}
		before, now := policy.ReadFile(doc.tree), policy.ReadFile(after.tree)
		for _, name := range before.Names() {
			was, _ := before.Rules(name)
			is, ok := now.Rules(name)
			if (keys[0] != keyServers || len(keys) > 1 && keys[1] != name) && (!ok || !was.Equal(is)) {
				t.Fatalf("%v changed %q\n%s", step, name, visible(string(after.data)))
			}
		}
	})
}
