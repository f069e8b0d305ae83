package pin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Kind says of which of two definitions a line is.
type Kind string

// The values of a Kind.
const (
	KindSame Kind = "same"
	KindGone Kind = "gone"
	KindNew  Kind = "new"
)

// Line is one line of a comparison, with hidden characters shown as escapes.
type Line struct {
	Kind Kind
	Text string
}

const (
	// around is how many equal lines are shown before and behind a difference.
	around = 3
	// maxCells bounds the table of the comparison; beyond it everything between
	// the first and the last difference is shown as gone and new.
	maxCells = 4 << 20
)

// Compare shows two definitions line by line: their texts, then their schemas in
// one form. Equal lines far from a difference are left out, with a line "…".
func Compare(before, after Definition) []Line {
	return trim(compareLines(before.lines(), after.lines()))
}

// Hidden tells whether a definition holds characters that nobody sees. The line
// ends and tabs of a description do not count.
func (d Definition) Hidden() bool {
	for _, raw := range []json.RawMessage{d.Input, d.Output, d.Annotations} {
		// In JSON the rarest controls stand as escapes; a backslash that was
		// written as such is none.
		text := strings.ReplaceAll(string(canonical(raw)), `\\`, "")
		if strings.ContainsFunc(text, IsHidden) || strings.Contains(text, `\u`) {
			return true
		}
	}
	if strings.ContainsFunc(d.Name+d.Title, IsHidden) {
		return true
	}
	text := strings.ReplaceAll(d.Description, "\r\n", "\n")
	return strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && IsHidden(r) })
}

// lines are a definition as people read it.
func (d Definition) lines() []string {
	var out []string
	add := func(title, text string) {
		if text == "" {
			return
		}
		out = append(out, title+":")
		for line := range strings.SplitSeq(text, "\n") {
			out = append(out, "  "+Visible(line))
		}
	}
	add("title", d.Title)
	add("description", d.Description)
	add("input schema", pretty(d.Input))
	add("output schema", pretty(d.Output))
	add("annotations", pretty(d.Annotations))
	return out
}

func pretty(raw json.RawMessage) string {
	text := canonical(raw)
	if len(text) == 0 {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// Visible writes characters that nobody sees as \u{...}. A line's end and a tab
// are such characters, too: a text is made visible line by line.
func Visible(text string) string {
	if strings.IndexFunc(text, IsHidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if IsHidden(r) {
			fmt.Fprintf(&b, `\u{%X}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// IsHidden tells a character that shows as nothing, as a plain space, or that
// moves what stands beside it: controls (the beginning of ANSI escapes among
// them), format characters (TAG characters, zero width, direction marks),
// private use, fillers, variation selectors and odd spaces.
func IsHidden(r rune) bool {
	switch {
	case r == ' ':
		return false
	case unicode.Is(unicode.C, r), unicode.Is(unicode.Z, r):
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		return true
	}
	return r >= 0x180b && r <= 0x180f || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0000 && r <= 0xe0fff
}

// compareLines finds the longest common lines.
func compareLines(a, b []string) []Line {
	var out, tail []Line
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		out = append(out, Line{KindSame, a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append([]Line{{KindSame, a[len(a)-1]}}, tail...)
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return append(append(out, middle(a, b)...), tail...)
}

func middle(a, b []string) []Line {
	var out []Line
	common := [][]int(nil)
	if len(a)*len(b) <= maxCells {
		common = lengths(a, b)
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case common != nil && i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, Line{KindSame, a[i]})
			i, j = i+1, j+1
		case j == len(b), i < len(a) && (common == nil || common[i+1][j] >= common[i][j+1]):
			out = append(out, Line{KindGone, a[i]})
			i++
		default:
			out = append(out, Line{KindNew, b[j]})
			j++
		}
	}
	return out
}

// lengths is the table of the longest common rest of every two places.
func lengths(a, b []string) [][]int {
	out := make([][]int, len(a)+1)
	for i := range out {
		out[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				out[i][j] = out[i+1][j+1] + 1
			} else {
				out[i][j] = max(out[i+1][j], out[i][j+1])
			}
		}
	}
	return out
}

// trim leaves out equal lines far from a difference; the titles of the parts in
// which something differs stay.
func trim(lines []Line) []Line {
	keep := make([]bool, len(lines))
	title := -1
	for i, line := range lines {
		if !strings.HasPrefix(line.Text, " ") {
			title = i
		}
		if line.Kind == KindSame {
			continue
		}
		for j := max(0, i-around); j <= min(len(lines)-1, i+around); j++ {
			keep[j] = true
		}
		if title >= 0 {
			keep[title] = true
		}
	}
	out := []Line{}
	for i, line := range lines {
		switch {
		case keep[i]:
			out = append(out, line)
		case i > 0 && keep[i-1] && i < len(lines):
			out = append(out, Line{KindSame, "…"})
		}
	}
	return out
}
