package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"Grüße, 日本":            "Grüße, 日本",
		"read\n  ✗ delete_all": `read\n  ✗ delete_all`,
		"a\x1b[31mred":         `a\x1b[31mred`,
		"a\u202eb":             `a\u202eb`,
		"a\u2028b":             `a\u2028b`,
		"tab\there":            `tab\there`,
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
	if got := passage("a\n\tb\x1b"); got != "a\n\tb"+`\x1b` {
		t.Errorf("passage keeps lines and nothing else: %q", got)
	}
}

func TestTableIsAligned(t *testing.T) {
	var out bytes.Buffer
	p := &printer{out: &out}
	p.table([]int{4, 2}, []string{"A", "B"}, [][]string{{"größer", "x"}, {"a", "y"}})
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if len(lines) != 4 || []rune(lines[2])[10] != 'x' || []rune(lines[3])[10] != 'y' {
		t.Errorf("columns do not stand below each other:\n%s", out.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestLostOutputIsAFailure(t *testing.T) {
	p := &printer{out: &watched{w: full{}}, err: &bytes.Buffer{}}
	p.line("answer")
	if p.lost() == nil {
		t.Error("a write that failed was not noticed")
	}
}
