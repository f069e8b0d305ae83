package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// parseSteps reads "set PATH VALUE", "delete PATH", "insert PATH VALUE" and
// "remove PATH VALUE", one a line; the words after them are marks.
func parseSteps(t testing.TB, text string) (steps []Step, marks []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		kind, rest, found := strings.Cut(line, " ")
		if !found {
			marks = append(marks, line)
			continue
		}
		path, value, _ := strings.Cut(rest, " ")
		if at := strings.Index(rest, `"`); at >= 0 && at < len(path) { // a quoted key may hold a blank
			end := at + 1 + strings.Index(rest[at+1:], `"`) + 1
			more, after, _ := strings.Cut(rest[end:], " ")
			path, value = rest[:end]+more, after
		}
		keys, err := ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		step := Step{Kind: StepKind(kind), Path: keys}
		if step.Kind != StepDelete {
			if step.Value, err = Value(value); err != nil {
				t.Fatal(err)
			}
		}
		steps = append(steps, step)
	}
	return steps, marks
}

// TestChanges runs each archive of testdata/changes: its steps on before.yaml
// give after.yaml byte for byte in every variant, or are refused with the texts
// of its file "refused" and nothing is written. The mark "same" says that
// nothing is to be written, "plain" that the variants are no matter of the
// archive, "cut" that both files have no last break.
func TestChanges(t *testing.T) {
	archives, err := filepath.Glob("testdata/changes/*.txtar")
	if err != nil || len(archives) < 60 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { runArchive(t, path) })
	}
}

func runArchive(t *testing.T, path string) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	steps, marks := parseSteps(t, string(a.Comment))
	_, changes := files["after.yaml"]
	changes = changes || *update && files["refused"] == "" && !slices.Contains(marks, "same")
	if !changes {
		files["after.yaml"] = files["before.yaml"]
	}
	for name, form := range variants() {
		if name != "plain" && (files["refused"] != "" || slices.Contains(marks, "plain")) {
			continue
		}
		if slices.Contains(marks, "cut") {
			form = variants()["no final break"]
		}
		t.Run(name, func(t *testing.T) {
			got := runChange(t, form(files["before.yaml"]), steps, files["refused"], changes)
			if *update && name == "plain" && changes {
				if slices.Contains(marks, "cut") {
					got += "\n"
				}
				a.Files = []txtar.File{{Name: "before.yaml", Data: []byte(files["before.yaml"])}, {Name: "after.yaml", Data: []byte(got)}}
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := form(files["after.yaml"]); got != want && !*update {
				t.Errorf("%s\n--- got\n%s\n--- want\n%s", a.Comment, visible(got), visible(want))
			}
		})
	}
}

// runChange makes steps on a real file and gives its bytes after it.
func runChange(t *testing.T, before string, steps []Step, refused string, changes bool) string {
	t.Helper()
	h := home(t, before)
	f := open(t, h)
	c := Change{Steps: steps, Seen: f.Current().Revision}
	result, err := f.Change(context.Background(), c)
	got := get(t, h.Config())
	if refused != "" {
		wantRefusal(t, err, refused)
		if got != before {
			t.Error("a refused change wrote the file")
		}
		if _, err := os.Stat(h.Native()); err == nil {
			t.Error("a refused change made our folder")
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
	if result.Changed != changes || (got != before) != changes {
		t.Errorf("changed = %v, bytes changed = %v", result.Changed, got != before)
	}
	if result.Snapshot.Revision != digest([]byte(got)) {
		t.Error("the published state is not that of the file")
	}
	for _, step := range steps {
		now := Lookup(result.Snapshot.Tree(), step.Path)
		if step.Kind == StepDelete && now != nil || step.Kind == StepSet && len(steps) == 1 && (now == nil || !sameValue(now, step.Value)) {
			t.Errorf("%v: the file says %v", step, now)
		}
	}
	c.Seen = ""
	if again, err := f.Change(context.Background(), c); err != nil || again.Changed && len(steps) == 1 {
		t.Errorf("the second time: changed %v, %v", again.Changed, err)
	}
	return got
}

// wantRefusal compares an error with texts, one a line.
func wantRefusal(t *testing.T, err error, texts string) {
	t.Helper()
	var r *Refused
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	all := r.Error() + "\n" + r.Hint
	for text := range strings.Lines(texts) {
		if text = strings.TrimSpace(text); !strings.Contains(all, text) {
			t.Errorf("the refusal lacks %q:\n%s", text, all)
		}
	}
}
