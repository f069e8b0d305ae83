package policy

import (
	"strings"
	"testing"
)

// TestFill goes through the places a template may hold (see Template), and the
// braces that are no places.
func TestFill(t *testing.T) {
	ten := []string{"a", "b", "1", "list", "e", "f", "g", "h", "i", "j"}
	for template, want := range map[string]string{
		"":                      "",
		"plain":                 "plain",
		"{0}":                   "a",
		"{0}{1}":                "ab",
		"x{0}y{9}z":             "xayjz",
		"{2:one|many}":          "one",
		"{1:one|many}":          "many",
		"{k3}":                  "a list",
		"say {k3}!":             "say a list!",
		"{}":                    "{}",
		"{} {0}":                "{} a",
		"{k}":                   "{k}",
		"{k} {1}":               "{k} b",
		"{/}":                   "{/}",
		"{:}":                   "{:}",
		"{10}":                  "{10}",
		"{0x}":                  "{0x}",
		"{a: 1}":                "{a: 1}",
		"{resources: false}":    "{resources: false}",
		"{include: [{0}]}":      "{include: [a]}",
		"open { and {0}":        "open { and a",
		"{":                     "{",
		"end {":                 "end {",
		"}{0}}":                 "}a}",
		"{0":                    "{0",
		"name: {...} below {0}": "name: {...} below a",
	} {
		if have := fill(template, ten); have != want {
			t.Errorf("%q: have %q, want %q", template, have, want)
		}
	}
	for template, want := range map[string]string{"{0}": "", "<{1}>": "<>", "{k0}": "", "{0:one|many}": ""} {
		if have := fill(template, nil); have != want {
			t.Errorf("%q without parameters: %q, want %q", template, have, want)
		}
	}
}

// TestShow: a name is shown as it is where nothing in it can be taken for
// something else, and in quotes or cut short elsewhere.
func TestShow(t *testing.T) {
	x := strings.Repeat("x", shownLength)
	for name, want := range map[string]string{
		"":                          `""`,
		"read_file":                 "read_file",
		"two words":                 "two words",
		" a":                        `" a"`,
		"a ":                        `"a "`,
		" ":                         `" "`,
		"a,b":                       `"a,b"`,
		`a"b`:                       `"a\"b"`,
		"a\x1f":                     `"a\x1f"`,
		"a\x7f":                     `"a\x7f"`,
		"~a":                        "~a",
		"ä":                         "ä",
		"ä,b":                       `"ä,b"`,
		`ä"b`:                       `"ä\"b"`,
		"äb\n":                      `"äb\n"`,
		"\u202eab":                  `"\u202eab"`,
		"ab\u202e":                  `"ab\u202e"`,
		"a\x80":                     `"a\x80"`,
		"\x80a":                     `"\x80a"`,
		"ä\xff":                     `"ä\xff"`,
		"\ufffd":                    "\ufffd",
		x:                           x,
		x + "y":                     x + "…",
		x[1:] + ",":                 `"` + x[1:] + `,"`,
		"," + x:                     `",` + x[1:] + `…"`,
		x[1:] + "ä":                 x[1:] + "…",
		strings.Repeat("\x80", 300): "…",
	} {
		if have := show(name); have != want {
			t.Errorf("%q: have %s, want %s", name, have, want)
		}
	}
}

// TestWordsAreTheirTemplates: every sentence of a verdict is its code's text
// with its parameters in it, so that the page can say it in another language.
func TestWordsAreTheirTemplates(t *testing.T) {
	for _, text := range []string{
		"open", "only", `only "a"`, `only "a" "b*" resources=on`, `only "b*"`, `except "a"`, `except "a" "b*" prompts=off`, "invalid",
	} {
		var r Rules
		if err := r.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "a", "b", "bc", "b*", "zz", "x,y", strings.Repeat("long", 200)} {
			w := r.Tool(name).Reason
			if want := render(w.Code, w.Params); w.Text != want || w.Text == "" {
				t.Errorf("%s, %q: %q, but %s with %q is %q", text, name, w.Text, w.Code, w.Params, want)
			}
		}
		for _, w := range []Words{r.Sampling().Reason, r.Helper(HelperGetPrompt).Reason, r.Row(), r.List(), r.Panel(nil, false), r.Panel([]string{"a"}, true)} {
			if want := render(w.Code, w.Params); w.Text != want || w.Text == "" {
				t.Errorf("%s: %q, but %s with %q is %q", text, w.Text, w.Code, w.Params, want)
			}
		}
	}
}
