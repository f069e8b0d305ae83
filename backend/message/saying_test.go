package message_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hermes/backend/message"
)

// TestCodesAndConstants: every code has a constant and a sentence, and every
// constant a code, so that what can be produced is what the page translates.
func TestCodesAndConstants(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "saying_text.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var constants []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			constants = append(constants, value)
		}
		return true
	})
	var codes []string
	for _, one := range message.Codes() {
		codes = append(codes, string(one.Code))
		if one.Text == "" {
			t.Errorf("%s says nothing", one.Code)
		}
	}
	slices.Sort(constants)
	slices.Sort(codes)
	if !slices.Equal(constants, codes) || len(slices.Compact(codes)) != len(constants) {
		t.Errorf("constants %q\ncodes %q", constants, codes)
	}
}

// TestNoticesHaveCodes: nothing outside this package makes a notice of its own.
func TestNoticesHaveCodes(t *testing.T) {
	made := regexp.MustCompile(`message\.Event\{(Type: *)?message\.EventNotice|\bCode\("`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../message/") {
			return err
		}
		data, err := os.ReadFile(path)
		if found := made.Find(data); found != nil {
			t.Errorf("%s makes its own: %s", path, found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestRecognise: what is written from a code is read back as this code, with its
// parameters; of nothing else anything is known.
func TestRecognise(t *testing.T) {
	values := []string{"alpha", "b c", "17", "d:4"}
	for _, one := range message.Codes() {
		if strings.Contains(one.Text, "|") {
			continue
		}
		places := regexp.MustCompile(`\{\*?(\d)\}`).FindAllStringSubmatch(one.Text, -1)
		params := values[:len(places)]
		text := one.Code.Text(params...)
		got := message.Recognise(text)
		switch {
		case strings.HasPrefix(string(one.Code), "state."):
			if got != nil {
				t.Errorf("%q alone is %v", text, got)
			}
			continue
		case strings.HasPrefix(string(one.Code), "advice."):
			got = message.Recognise("it failed; " + text)
			if len(got) != 2 || got[0].Text != "it failed" {
				t.Errorf("%s: %v", one.Code, got)
				continue
			}
			got = got[1:]
		}
		if len(got) == 0 || got[0].Code != one.Code || !slices.Equal(got[0].Params, params) && len(params) > 0 || got[0].Text != text {
			t.Errorf("%s is read back as %+v", one.Code, got)
		}
	}
	for _, text := range []string{"", "; ", "no sentence of ours", "failed", "This call was not started", "x; y; z"} {
		if got := message.Recognise(text); got != nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestRecogniseBeside: what stands inside a sentence is said beside it, by its own
// code or as it came.
func TestRecogniseBeside(t *testing.T) {
	text := `A person has to approve this call (/h/config.yaml:3: the server "x" is not trusted, so a person approves its tools; something new). ` +
		`It was refused: nobody answered within 5m0s. The call was not sent; do not retry it.`
	var got []string
	for _, said := range message.Recognise(text) {
		got = append(got, string(said.Code)+"|"+strings.Join(said.Params, "|"))
	}
	want := []string{
		`call.no_yes|/h/config.yaml:3: the server "x" is not trusted, so a person approves its tools; something new|It was refused: nobody answered within 5m0s.`,
		"asked.untrusted|/h/config.yaml:3: |x", "|", "asked.refused|nobody answered within 5m0s",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	notice := message.Notice(message.ServerMissing, "git", "needs auth")
	if notice.Text != "server git is not ready: needs auth; going on without it" || len(notice.Said) != 2 || notice.Said[1].Code != message.StateNeedsAuth {
		t.Errorf("%+v", notice)
	}
}
