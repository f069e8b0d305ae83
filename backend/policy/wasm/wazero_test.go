package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"pgregory.net/rapid"

	"hermes/backend/policy"
)

// built is the compiled module in wazero.
type built struct {
	t   testing.TB
	mod api.Module
}

// build compiles the module exactly as it is served and starts it.
func build(t testing.TB) built {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policy.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags", "-s -w", "-o", file, ".")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() {
		if err := runtime.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	mod, err := runtime.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	return built{t, mod}
}

func (b built) number(name string, args ...uint32) uint32 {
	b.t.Helper()
	wide := make([]uint64, len(args))
	for i, a := range args {
		wide[i] = uint64(a)
	}
	out, err := b.mod.ExportedFunction(name).Call(context.Background(), wide...)
	if err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	if len(out) == 0 {
		return 0
	}
	return uint32(out[0])
}

func (b built) put(data []byte) uint32 {
	b.t.Helper()
	at := b.number("input", uint32(len(data)))
	if at == 0 || !b.mod.Memory().Write(at, data) {
		b.t.Fatalf("%d bytes cannot be written at %d", len(data), at)
	}
	return uint32(len(data))
}

func (b built) record(name string, args ...uint32) []byte {
	b.t.Helper()
	size := b.number(name, args...)
	data, ok := b.mod.Memory().Read(b.number("output"), size)
	if !ok {
		b.t.Fatalf("the record of %s lies outside the memory", name)
	}
	return bytes.Clone(data)
}

// TestModule runs the shared data and random trees through the compiled module.
func TestModule(t *testing.T) {
	b := build(t)
	t.Run("rows", func(t *testing.T) {
		for _, r := range shared[row](t, "filter.json") {
			if !r.Unreadable {
				t.Run(r.Name, func(t *testing.T) { checkRow(t, built{t, b.mod}, r) })
			}
		}
	})
	t.Run("held", func(t *testing.T) {
		for _, r := range shared[row](t, "held.json") {
			t.Run(r.Name, func(t *testing.T) { checkRow(t, built{t, b.mod}, r) })
		}
	})
	t.Run("edits", func(t *testing.T) {
		for _, e := range shared[edit](t, "edits.json") {
			t.Run(e.Name, func(t *testing.T) { checkPreview(t, built{t, b.mod}, e) })
		}
	})
	t.Run("as native", func(t *testing.T) { checkAsNative(t, b) })
}

func checkRow(t *testing.T, a asked, want row) {
	h := a.number("read", a.put(decoded(t, want.Tree)))
	if h == 0 {
		t.Fatal("the tree is not read")
	}
	for name, allowed := range want.Verdicts {
		if have := a.number("allows", h, a.put([]byte(name))); have != number(allowed) {
			t.Errorf("%s by name: %d", name, have)
		}
	}
	a.number("tools", h, a.put(packed(want.Live)))
	for i, name := range want.Live {
		if have := a.number("allowed", h, uint32(i)); have != number(want.Verdicts[name]) {
			t.Errorf("%s by index: %d", name, have)
		}
		v := &reader{t, a.record("verdict", h, uint32(i))}
		if v.toggle() != want.Verdicts[name] || v.text() == "" || v.words().Text == "" {
			t.Errorf("%s: verdict", name)
		}
	}
	for surface, text := range []string{want.List, want.Row, want.Panel} {
		w := &reader{t, a.record("words", h, uint32(surface))}
		if have := w.words().Text; have != text {
			t.Errorf("surface %d: have %q, want %q", surface, have, text)
		}
		w.end()
	}
	for which, allowed := range []bool{want.Resources, want.Resources, want.Prompts, want.Prompts, want.Sampling, want.Elicitation} {
		if have := a.number("special", h, uint32(which)); have != number(allowed) {
			t.Errorf("special %d: %d", which, have)
		}
	}
	checkSummary(t, a, h, want)
	a.number("drop", h)
}

func checkSummary(t *testing.T, a asked, h uint32, want row) {
	t.Helper()
	s := &reader{t, a.record("summary", h)}
	if state, locked := s.text(), s.toggle(); state != want.State || locked != want.Locked {
		t.Errorf("%s, locked %v", state, locked)
	}
	for range 6 { // broken, untrusted, resources, prompts, line, column
		s.number()
	}
	s.list()
	if n := s.number(); n != len(want.Problems) {
		t.Fatalf("%d problems, want %d", n, len(want.Problems))
	}
	for _, p := range want.Problems {
		severity, code := s.text(), s.text()
		s.list()
		message, hint, line, column := s.text(), s.text(), s.number(), s.number()
		if severity != p.Severity || code != p.Code || line != p.Line || column != p.Column || message == "" || hint == "" {
			t.Errorf("problem %s %s at %d:%d", severity, code, line, column)
		}
	}
	if held, since := s.toggle(), s.text(); held != want.Held || since != "" && since != want.Since {
		t.Errorf("held is %v, since %q", held, since)
	}
	s.end()
	c := &reader{t, a.record("count", h)}
	c.number()
	if total, unmatched := c.number(), c.list(); total != len(want.Live) || len(unmatched) != len(want.Unmatched) {
		t.Errorf("count %d, unmatched %q", total, unmatched)
	}
	c.end()
}

// checkAsNative compares every answer about random trees, byte for byte, with
// the same code run natively.
func checkAsNative(t *testing.T, b built) {
	n := native{new(module)}
	names := []string{"a", "b", "ab", "read_file", "ä", "on", "", "[ab]", "x\ny"}
	if !bytes.Equal(n.record("codes"), b.record("codes")) {
		t.Fatal("codes differ")
	}
	rapid.Check(t, func(rt *rapid.T) {
		entry := genTree(3).Draw(rt, "tree")
		tree := policy.EncodeTree(entry)
		if rapid.Bool().Draw(rt, "remembered") {
			was := policy.ReadServer(genTree(3).Draw(rt, "before"))
			tree = policy.ReadFile(fileOf(entry)).Hold("demo", "2026-01-02", false, was.Restriction()).Encode("demo")
		}
		if i := rapid.IntRange(0, 4*len(tree)).Draw(rt, "damage"); i < len(tree) {
			tree[i] ^= byte(rapid.IntRange(1, 255).Draw(rt, "bits"))
		}
		hn, hb := n.number("read", n.put(tree)), b.number("read", b.put(tree))
		if (hn == 0) != (hb == 0) {
			rt.Fatalf("handles %d and %d", hn, hb)
		}
		if hn == 0 {
			return
		}
		same := func(what string, x, y []byte) {
			if !bytes.Equal(x, y) {
				rt.Fatalf("%s: natively %q, in the module %q", what, x, y)
			}
		}
		n.number("tools", hn, n.put(packed(names)))
		b.number("tools", hb, b.put(packed(names)))
		same("summary", n.record("summary", hn), b.record("summary", hb))
		same("count", n.record("count", hn), b.record("count", hb))
		for i := range uint32(len(names)) {
			if n.number("allowed", hn, i) != b.number("allowed", hb, i) {
				rt.Fatalf("%q is decided differently", names[i])
			}
			same("verdict", n.record("verdict", hn, i), b.record("verdict", hb, i))
		}
		for i := range uint32(7) {
			same("special", n.record("special_verdict", hn, i), b.record("special_verdict", hb, i))
			same("words", n.record("words", hn, i%3), b.record("words", hb, i%3))
		}
		tool := []byte(rapid.SampledFrom(names).Draw(rt, "tool"))
		for action := range uint32(7) {
			expand := uint32(rapid.IntRange(0, 1).Draw(rt, "expand"))
			same("preview", n.record("preview", hn, action, expand, n.put(tool)), b.record("preview", hb, action, expand, b.put(tool)))
		}
		n.number("drop", hn)
		b.number("drop", hb)
	})
}

// genTree makes trees around the keys that matter, of any shape.
func genTree(depth int) *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		tag := rapid.SampledFrom([]string{"!!str", "!!str", "!!str", "!!null", "!!int", "!!bool", "!mine"})
		value := rapid.SampledFrom([]string{"a", "a*", "[ab]", "?", "on", "true", "false", "42", "", "untrusted", "x\ny"})
		n := &policy.Node{
			Style: policy.Style(rapid.IntRange(0, 7).Draw(t, "style")),
			Line:  rapid.IntRange(0, 300).Draw(t, "line"),
			Via:   rapid.SampledFrom([]string{"", "", "", "", "base"}).Draw(t, "via"),
		}
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		switch {
		case depth == 3 && kind > 0, depth > 0 && kind > 6:
			n.Kind, n.Tag = policy.KindMapping, "!!map"
			for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{"tools", "tools", "include", "include", "exclude", "resources", "prompts", "trust"}), 0, 4).Draw(t, "keys") {
				key := &policy.Node{Kind: policy.KindScalar, Tag: "!!str", Value: k, Style: policy.StylePlain, Line: n.Line}
				n.Children = append(n.Children, key, genTree(depth-1).Draw(t, k))
			}
		case depth > 0 && kind > 3:
			n.Kind, n.Tag = policy.KindSequence, "!!seq"
			n.Children = rapid.SliceOfN(genTree(0), 0, 5).Draw(t, "items")
		case kind > 0:
			n.Kind, n.Tag, n.Value = policy.KindScalar, tag.Draw(t, "tag"), value.Draw(t, "value")
		}
		return n
	})
}

// BenchmarkModule is a verdict through wazero, by index and by name.
func BenchmarkModule(b *testing.B) {
	m := build(b)
	var tree string
	for _, r := range shared[row](b, "filter.json") {
		if r.Name == "many names" {
			tree = r.Tree
		}
	}
	h := m.number("read", m.put(decoded(b, tree)))
	m.number("tools", h, m.put(packed([]string{"h", "ik"})))
	ctx := context.Background()
	call := func(name string, args ...uint64) func(*testing.B) {
		return func(b *testing.B) {
			f := m.mod.ExportedFunction(name)
			stack := make([]uint64, len(args))
			for b.Loop() {
				copy(stack, args)
				if err := f.CallWithStack(ctx, stack); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("allowed/name", call("allowed", uint64(h), 0))
	b.Run("allowed/pattern", call("allowed", uint64(h), 1))
	size := m.put([]byte("added_tomorrow"))
	b.Run("allows", call("allows", uint64(h), uint64(size)))
	b.Run("verdict", call("verdict", uint64(h), 1))
}

// fileOf is the document of a file with one server.
func fileOf(entry *policy.Node) *policy.Node {
	pairs := func(name string, value *policy.Node) *policy.Node {
		return &policy.Node{Kind: policy.KindMapping, Tag: "!!map", Children: []*policy.Node{{Kind: policy.KindScalar, Tag: "!!str", Value: name}, value}}
	}
	return pairs("mcp_servers", pairs("demo", entry))
}
