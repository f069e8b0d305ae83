package terminal

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

func TestMarkdown(t *testing.T) {
	for _, test := range []struct {
		name, source, want string
		width              int
	}{
		{"headings and words", "# One *two*\n\nthree **four** `five`\n", "# One two\n\nthree four five", 40},
		{"wrapped", "one two three four five six", "one two three four\nfive six", 19},
		{"list", "- a\n- b\n  1. c\n  2. d", "• a\n• b\n  1. c\n  2. d", 40},
		{"quote and rule", "> q\n\n---\n", "│ q\n\n" + strings.Repeat("─", 40), 60},
		{"code keeps its lines", "```go\nif a {\n\tb()\n}\n```", "  go\n  if a {\n      b()\n  }", 40},
		{"code that is too long", "    abcdefghijklmnopqrstuvwxyz", "  abcdefghijklmnopqr\n  stuvwxyz", 20},
		{"link with its address", "[bank](https://evil.example/a)", "bank (https://evil.example/a)", 40},
		{"link that is its address", "<https://a.example>", "https://a.example", 40},
		{"image", "![pic](http://x.example/p.png)", "[image: pic] (http://x.example/p.png)", 60},
		{"html is text", "a <b onclick=x>c</b>\n\n<div>\nd\n</div>", "a <b onclick=x>c</b>\n\n  <div>\n  d\n  </div>", 40},
		{"references", "a &amp; b &#27;[2J &#x202e;c", `a & b \x1b[2J \u202ec`, 40},
		{"control characters", "a\x1b[31mb\x07 \u202ec\u200bd", `a\x1b[31mb\a \u202ecd`, 40},
		{"in code", "`\x1b]0;x\x07`", `\x1b]0;x\a`, 40},
		{"in an address", "[x](<http://a\x1b[2J\u202e>)", `x (http://a\x1b[2J\u202e)`, 40},
		{"in a fence's word", "```\u202e\x1b[2J\nx\n```", "  \\u202e\\x1b[2J\n  x", 40},
		{"table", "| a | b |\n|---|:-:|\n| 1 | **2** |\n| 名前 | \\| |", "a    │ b\n─────┼──\n1    │ 2\n名前 │ |", 40},
		{"table that is too wide", "| name | what it is about |\n|---|---|\n| one | " + strings.Repeat("word ", 6) + "|", "name: one\nwhat it is about:\nword word word word\nword word", 20},
		{"no table", "a | b\nc | d", "a | b c | d", 40},
		{"a line of dashes of another length", "| a | b |\n|---|\n| c | d |", "| a | b | |---| | c | d |", 40},
	} {
		if got := strings.Join(markdown(test.source, test.width, paint{}), "\n"); got != test.want {
			t.Errorf("%s:\n%q, want\n%q", test.name, got, test.want)
		}
	}
	if got := strings.Join(markdown("**a** `b`", 40, paint{true}), "\n"); got != "\x1b[1ma\x1b[22m \x1b[36mb\x1b[39m" {
		t.Errorf("%q", got)
	}
	if long := markdown(strings.Repeat("**x** ", maxMarkdown), 80, paint{}); !strings.HasPrefix(long[0], "**x**") {
		t.Errorf("a text that is too long was read as markdown: %q", long[0])
	}
}

// onlyColours matches a text in which nothing but weight and colours is set.
func onlyColours() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;:]*m") }

// FuzzMarkdown: whatever a model writes, no line is wider than asked and no
// character moves the cursor or hides.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{"# a\n\n- b\n\n```x\ny\n```", "\x1b[2J&#27;]0;x&#7;", "| a | b |\n|--|--|\n| \x9b31m | &#x9b; |", "> > > > 1. - x\n\n[a]: <\x1b> \"t\"\n[a]", "\xff\xfe\x1b", "名前 \u202e&rlm;&zwj;"} {
		f.Add(seed, 30)
	}
	f.Fuzz(func(t *testing.T, source string, width int) {
		width = 16 + (width&0x7f)%100
		for _, line := range markdown(source, width, paint{true}) {
			bare := onlyColours().ReplaceAllString(line, "")
			if i := strings.IndexFunc(bare, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }); i >= 0 {
				t.Fatalf("%q became %q", source, line)
			}
		}
	})
}

func TestTame(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                         "plain",
		"\x1b[1;31ma\x1b[0m\tb\nc":      "\x1b[1;31ma\x1b[0m    b\nc",
		"\x1b[2J\x1b]0;x\a\x1b[1\x1b[m": "\\x1b[2J\\x1b]0;x\\a\\x1b[1\x1b[m",
		"\u009b2J\r\xff":                "\\u009b2J\\r\ufffd",
		"\x1b":                          "\\x1b",
	} {
		if got := tame(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
