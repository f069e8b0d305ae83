package config

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hermes/backend/policy"
)

var update = flag.Bool("update", false, "write the results of the edits into testdata")

// env is an environment of nothing but what a test gives.
func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

// home makes a Hermes home with a config.yaml.
func home(t testing.TB, content string) Home {
	t.Helper()
	h := Home{Dir: filepath.Join(t.TempDir(), "home")}
	if err := os.Mkdir(h.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, h.Config(), content)
	return h
}

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// open gives a loaded file.
func open(t testing.TB, h Home) *File {
	t.Helper()
	f := Open(h, Options{Getenv: env("HOME", h.Dir)})
	f.Load()
	return f
}

// parseIntent reads "off demo read_file", "on demo x expand known=a,b", "lock
// demo", "open demo".
func parseIntent(t testing.TB, line string) Edit {
	t.Helper()
	words := strings.Fields(line)
	e := Edit{Server: words[1], Intent: policy.Intent{Action: policy.Action(words[0])}}
	for i, w := range words[2:] {
		switch known, found := strings.CutPrefix(w, "known="); {
		case found:
			e.Intent.Known = strings.Split(known, ",")
		case w == "expand":
			e.Intent.Expand = true
		case i == 0:
			e.Intent.Tool = w
		default:
			t.Fatalf("edit %q: %q is not known", line, w)
		}
	}
	return e
}

// variants are the forms a text can be stored in. Every edit must behave alike
// in all of them.
func variants() map[string]func(string) string {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	mark := func(s string) string { return bom + s }
	cut := func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }
	return map[string]func(string) string{
		"plain":           func(s string) string { return s },
		"crlf":            crlf,
		"bom":             mark,
		"no final break":  cut,
		"crlf, bom, cut":  func(s string) string { return mark(cut(crlf(s))) },
		"blank lines end": func(s string) string { return s + "\n\n" },
		"comment at end":  func(s string) string { return s + "# end" },
	}
}

// TestEdits runs each archive of testdata/edits: the edit of its comment on
// before.yaml gives after.yaml byte for byte in every variant, or is refused
// with the texts of its file "refused" and nothing is written. "same" as the
// second line means that nothing is to be written, "plain" that the variants
// are no matter of this archive.
func TestEdits(t *testing.T) {
	archives, err := filepath.Glob("testdata/edits/*.txtar")
	if err != nil || len(archives) < 40 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range a.Files {
				files[f.Name] = string(f.Data)
			}
			line, _, _ := strings.Cut(string(a.Comment), "\n")
			edit := parseIntent(t, line)
			for name, form := range variants() {
				if name != "plain" && (files["refused"] != "" || strings.Contains(string(a.Comment), "\nplain")) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					want := form(files["after.yaml"])
					if _, ok := files["after.yaml"]; !ok {
						want = form(files["before.yaml"])
					}
					got := runEdit(t, form(files["before.yaml"]), edit, files["refused"], strings.Contains(string(a.Comment), "\nsame"))
					if *update && name == "plain" && files["refused"] == "" {
						a.Files = []txtar.File{{Name: "before.yaml", Data: []byte(files["before.yaml"])}, {Name: "after.yaml", Data: []byte(got)}}
						if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
							t.Fatal(err)
						}
						files["after.yaml"], want = got, got
					}
					if got != want {
						t.Errorf("%s\n--- got\n%s\n--- want\n%s", line, visible(got), visible(want))
					}
				})
			}
		})
	}
}

// visible shows the bytes that do not show.
func visible(s string) string {
	return strings.NewReplacer("\r", "␍", bom, "<BOM>", "\n", "␊\n").Replace(s)
}

// runEdit applies an edit to a real file and gives its bytes after it.
func runEdit(t *testing.T, before string, edit Edit, refused string, same bool) string {
	t.Helper()
	h := home(t, before)
	f := open(t, h)
	edit.Seen = f.Current().Revision
	result, err := f.Apply(context.Background(), edit)
	got := get(t, h.Config())
	if refused != "" {
		var r *Refused
		if !errors.As(err, &r) {
			t.Fatalf("got %v, want a refusal", err)
		}
		all := r.Error() + "\n" + r.Hint
		for text := range strings.Lines(refused) {
			if text = strings.TrimSpace(text); !strings.Contains(all, text) {
				t.Errorf("the refusal lacks %q:\n%s", text, all)
			}
		}
		if got != before {
			t.Error("a refused edit wrote the file")
		}
		if _, err := os.Stat(h.Native()); err == nil {
			t.Error("a refused edit made our folder")
		}
		return got
	}
	if err != nil {
		var r *Refused
		if errors.As(err, &r) {
			t.Fatalf("%v\nhint: %s\ncause: %v", err, r.Hint, r.Cause)
		}
		t.Fatal(err)
	}
	if result.Changed == same {
		t.Errorf("changed = %v", result.Changed)
	}
	if result.Snapshot.Revision != digest([]byte(got)) {
		t.Error("the published state is not that of the file")
	}
	if !bytes.Equal([]byte(got), []byte(before)) == same {
		t.Error("the bytes do not fit what the result says")
	}
	edit.Seen = ""
	if again, err := f.Apply(context.Background(), edit); err != nil || again.Changed {
		t.Errorf("the second time: changed %v, %v", again.Changed, err)
	}
	if snap, changed := f.Reload(); changed || snap != result.Snapshot {
		t.Error("a reload after our own edit sees a change")
	}
	return got
}

// A literal text at the end of a file without a last break would get that
// break, and with it another value, if something were added or left after it.
func TestEditsBesideATextAtTheEnd(t *testing.T) {
	const text = "mcp_servers:\n  demo:\n    # starts it\n    command: npx\n    note: |\n      some text"
	for _, form := range []func(string) string{variants()["plain"], variants()["crlf"], variants()["bom"]} {
		for edit, c := range map[string]struct{ before, after string }{
			"off demo x": {text, strings.Replace(text, "  demo:\n", "  demo:\n    tools:\n      exclude: [x]\n", 1)},
			"open demo":  {text + "\n    tools:\n      include: [a]", text + "\n"},
		} {
			if got, want := runEdit(t, form(c.before), parseIntent(t, edit), "", false), form(c.after); got != want {
				t.Errorf("%s\n--- got\n%s\n--- want\n%s", edit, visible(got), visible(want))
			}
		}
	}
}

// The proof is what stands between a wrong splice and the file: it sees every
// difference outside the entry and every one inside but places and styles.
func TestProofSeesDifferences(t *testing.T) {
	tree := func(text string) (root, entry *policy.Node) {
		root, err := Tree([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return root, policy.ReadFile(root).Entry("demo")
	}
	const text = "a: 1\nb: &x [p, q]\nc: {<<: {m: 1}, k: v}\nmcp_servers:\n  demo: {command: npx}\n  two: {command: y}\n"
	root, entry := tree(text)
	for _, c := range []struct {
		from, to string
		same     bool
	}{
		{"", "", true},
		{"a: 1", "a:    1  # note", true},
		{"{command: npx}", "{command: other}", true}, // the entry itself is compared apart
		{"k: v", "'k': \"v\"", true},
		{"a: 1", "a: 2", false},
		{"a: 1", "a: '1'", false},
		{"a: 1", "a: 1\nz: 1", false},
		{"[p, q]", "[q, p]", false},
		{"[p, q]", "{p: q}", false},
		{"&x ", "", false},
		{"{m: 1}", "{m: 2}", false},
		{"<<: {m: 1}", "m: 1", false},
		{"command: y", "command: z", false},
		{"  two: {command: y}\n", "", false},
	} {
		other, counterpart := tree(strings.Replace(text, c.from, c.to, 1))
		if got := sameTree(root, other, entry, counterpart); got != c.same {
			t.Errorf("%q for %q: same is %v", c.to, c.from, got)
		}
		if c.same && c.from != "{command: npx}" && !sameTree(entry, counterpart, nil, nil) {
			t.Errorf("%q for %q: the entries differ", c.to, c.from)
		}
	}
}
