package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/policy"
)

// laidOut is a file as its parts, so that a test knows which bytes belong to
// which server.
type laidOut struct {
	head    string
	entries []entryText
	foot    string
	form    func(string) string
}

type entryText struct {
	name, text string
	// reversible: adding a tool and taking it away again must give the bytes
	// back.
	reversible bool
}

func (w laidOut) bytes() string {
	all := w.head
	for _, e := range w.entries {
		all += e.text
	}
	return w.form(all + w.foot)
}

func tools() []string {
	return []string{"read_file", "write-file", "a.b", "größe", "on", "42", "with space", "it's", `say "x"`, "x#y", "list_directory"}
}

// word writes a name in one of the styles it can be written in.
func word(t *rapid.T, name string) string {
	styles := []string{`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`, "'" + strings.ReplaceAll(name, "'", "''") + "'"}
	if isPlainWord(name) || name == "größe" || name == "it's" || name == "x#y" || name == "with space" {
		styles = append(styles, name)
	}
	return rapid.SampledFrom(styles).Draw(t, "style")
}

func comment(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "", " # note", "   # it's [odd] {one}: \"x", "\t# tab"}).Draw(t, "comment")
}

// ownLine is a line that is no content, or none.
func ownLine(t *rapid.T, indent string) string {
	return rapid.SampledFrom([]string{"", "", "", "\n", indent + "# own line\n", "# at the edge\n", "    \n"}).Draw(t, "own line")
}

// list writes a list in flow or block style. The text begins after the colon.
func list(t *rapid.T, names []string, indent, step string) string {
	if len(names) == 0 {
		return " []" + comment(t) + "\n"
	}
	switch rapid.IntRange(0, 3).Draw(t, "list style") {
	case 0:
		separator := rapid.SampledFrom([]string{", ", ",", " , ", ",  "}).Draw(t, "separator")
		edge := rapid.SampledFrom([]string{"", " "}).Draw(t, "edge")
		items := make([]string, len(names))
		for i, n := range names {
			items[i] = word(t, n)
		}
		return " [" + edge + strings.Join(items, separator) + edge + "]" + comment(t) + "\n"
	case 1:
		out := " [" + comment(t) + "\n"
		for i, n := range names {
			comma := ","
			if i == len(names)-1 && rapid.Bool().Draw(t, "no last comma") {
				comma = ""
			}
			out += ownLine(t, indent+step) + indent + step + word(t, n) + comma + comment(t) + "\n"
		}
		return out + indent + "]" + comment(t) + "\n"
	default:
		dash := indent + step
		if rapid.Bool().Draw(t, "zero indent") {
			dash = indent
		}
		gap := rapid.SampledFrom([]string{" ", " ", "   "}).Draw(t, "gap")
		out := comment(t) + "\n"
		for _, n := range names {
			out += ownLine(t, dash) + dash + "-" + gap + word(t, n) + comment(t) + "\n"
		}
		return out
	}
}

func entry(t *rapid.T, name, step string) entryText {
	e := entryText{name: name, reversible: true}
	key := rapid.SampledFrom([]string{name, `"` + name + `"`, "'" + name + "'"}).Draw(t, "key")
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(tools()), 0, 4, rapid.ID).Draw(t, "names")
	kind := rapid.SampledFrom([]string{"none", "include", "include", "exclude", "both", "switch", "empty", "null", "scalar", "bare"}).Draw(t, "kind")
	flowEntry := rapid.IntRange(0, 3).Draw(t, "flow entry") == 0
	if flowEntry {
		items := make([]string, len(names))
		for i, n := range names {
			items[i] = word(t, n)
		}
		inner := map[string]string{
			"none": "command: npx", "include": "command: npx, tools: {include: [" + strings.Join(items, ", ") + "]}",
			"exclude": "tools: { exclude: [" + strings.Join(items, ",") + "], resources: false }, command: 'x, y'",
			"both":    "tools: {include: [" + strings.Join(items, ", ") + "], exclude: [z]}", "switch": "tools: {prompts: no}, args: [a, 'b]']",
			"empty": "tools: {}", "null": "tools: , command: x", "scalar": "tools: {include: one}", "bare": "",
		}[kind]
		e.reversible = kind == "none" || kind == "bare" || (kind == "include" || kind == "both") && len(names) > 0 || kind == "exclude" && len(names) > 0 || kind == "switch"
		e.text = step + key + ": {" + inner + "}" + comment(t) + "\n"
		return e
	}
	in, in2 := step+step, step+step+step
	e.text = ownLine(t, step) + step + key + ":" + comment(t) + "\n" + ownLine(t, in) + in + "command: npx" + comment(t) + "\n"
	if rapid.Bool().Draw(t, "text") {
		e.text += in + "note: |\n" + in + "  some text\n\n" + in + "  # no comment\n"
	}
	e.text += ownLine(t, "")
	switch kind {
	case "include", "both":
		e.text += in + "tools:" + comment(t) + "\n" + ownLine(t, in2) + in2 + "include:" + list(t, names, in2, step)
		if kind == "both" {
			e.text += in2 + "exclude: [zzz]\n"
		}
		e.reversible = len(names) > 0
	case "exclude":
		e.text += in + "tools:\n" + in2 + "exclude:" + list(t, names, in2, step) + in2 + "resources: false\n"
		e.reversible = len(names) > 0
	case "switch":
		e.text += in + "tools:\n" + in2 + "resources: false" + comment(t) + "\n"
	case "empty":
		e.text += in + "tools: {}" + comment(t) + "\n"
	case "null":
		e.text += in + "tools:" + comment(t) + "\n"
		e.reversible = false
	case "scalar":
		e.text += in + "tools: {include: one}\n"
		e.reversible = false
	}
	if rapid.Bool().Draw(t, "more") {
		e.text += ownLine(t, in) + in + "timeout: 5" + comment(t) + "\n"
	}
	return e
}

func file(t *rapid.T) laidOut {
	w := laidOut{head: rapid.SampledFrom([]string{"", "# Hermes\n\n", "model: gpt\n"}).Draw(t, "head") + "mcp_servers:\n"}
	step := rapid.SampledFrom([]string{"  ", "    "}).Draw(t, "step")
	for i := range rapid.IntRange(1, 3).Draw(t, "servers") {
		w.entries = append(w.entries, entry(t, fmt.Sprintf("s%d", i), step))
	}
	w.foot = rapid.SampledFrom([]string{"", "", "other: 1\n", "# end\n", "\n\n"}).Draw(t, "foot")
	forms := variants()
	w.form = forms[rapid.SampledFrom([]string{"plain", "crlf", "bom", "no final break", "crlf, bom, cut"}).Draw(t, "form")]
	return w
}

// run plans an edit on bytes; a refusal for the layout is a failure here, since
// every generated file is laid out as people do.
func run(t *rapid.T, data string, e Edit) (after string, changed bool) {
	doc, err := parse([]byte(data))
	if err != nil {
		t.Fatalf("%v\n%s", err, visible(data))
	}
	out, err := plan("config.yaml", doc, e, policy.Rules{})
	var r *Refused
	switch {
	case errors.As(err, &r):
		if errors.Is(err, errLayout) || r.Hint == "" {
			t.Fatalf("%v (%s, %v)\n%s", err, r.Hint, r.Cause, visible(data))
		}
		return data, false
	case err != nil:
		t.Fatal(err)
	case out == nil:
		return data, false
	}
	return string(out.data), true
}

func rulesOf(t *rapid.T, data, server string) policy.Rules {
	tree, err := Tree([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	r, ok := policy.ReadFile(tree).Rules(server)
	if !ok {
		t.Fatalf("%s is gone", server)
	}
	return r
}

func ownComments(s string) int {
	n := 0
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}

func TestRandomEditsTouchOnlyTheirEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := file(t)
		data := w.bytes()
		chosen := rapid.IntRange(0, len(w.entries)-1).Draw(t, "server")
		e := Edit{Server: w.entries[chosen].name}
		e.Intent.Action = rapid.SampledFrom([]policy.Action{policy.ActionOn, policy.ActionOff, policy.ActionOff, policy.ActionLock, policy.ActionOpen}).Draw(t, "action")
		single := e.Intent.Action == policy.ActionOn || e.Intent.Action == policy.ActionOff
		if single {
			e.Intent.Tool = rapid.SampledFrom(append(tools(), "new_tool", "true", "- x", "*", "a: b", "zzz")).Draw(t, "tool")
		}
		before := rulesOf(t, data, e.Server)
		after, changed := run(t, data, e)
		if !changed {
			if after != data {
				t.Fatal("bytes changed without a change")
			}
			return
		}
		// Only the entry's bytes: what stands before and after it is the same.
		head, tail := w.head, ""
		for _, earlier := range w.entries[:chosen] {
			head += earlier.text
		}
		for _, later := range w.entries[chosen+1:] {
			tail += later.text
		}
		tail = strings.TrimPrefix(w.form(tail+w.foot), bom)
		if !strings.HasPrefix(after, strings.TrimRight(w.form(head), "\r\n")) || !strings.HasSuffix(after, tail) {
			t.Fatalf("%+v changed other bytes\n%s\n---\n%s", e, visible(data), visible(after))
		}
		if ownComments(after) != ownComments(data) {
			t.Fatalf("%+v changed the comments\n%s\n---\n%s", e, visible(data), visible(after))
		}
		if _, again := run(t, after, e); again {
			t.Fatalf("%+v is not done after it was done\n%s", e, visible(after))
		}
		if !single {
			return
		}
		inverse := e
		inverse.Intent.Action = map[policy.Action]policy.Action{policy.ActionOn: policy.ActionOff, policy.ActionOff: policy.ActionOn}[e.Intent.Action]
		back, _ := run(t, after, inverse)
		if now := rulesOf(t, back, e.Server); !now.Equal(before) {
			t.Fatalf("%+v and back is not the same\n%s\n---\n%s\n---\n%s", e, visible(data), visible(after), visible(back))
		}
		added := (before.State() == policy.StateOnly) == (e.Intent.Action == policy.ActionOn)
		if added && w.entries[chosen].reversible && back != data {
			t.Fatalf("%+v and back changed bytes\n%s\n---\n%s\n---\n%s", e, visible(data), visible(after), visible(back))
		}
	})
}
