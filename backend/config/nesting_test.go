package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestDeepNestingIsRefusedBeforeParsing: the place is that of the level that
// passed the bound of the look at the bytes, not of the one a parser counts.
func TestDeepNestingIsRefusedBeforeParsing(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		line, column int
	}{
		"lists":          {"a: ö\ninclude: " + strings.Repeat("[", 60_000), 2, 1010},
		"closed lists":   {"x: " + strings.Repeat("[", 60_000) + strings.Repeat("]", 60_000), 1, 1004},
		"maps":           {strings.Repeat("{a: ", 20_000), 1, 4001},
		"over lines":     {"x:\n" + strings.Repeat(" [\n", 20_000), 1002, 2},
		"dashes":         {"a:\n" + strings.Repeat("- ", 20_000) + "x", 2, 2001},
		"question marks": {strings.Repeat("? ", 20_000) + "x", 1, 2001},
		"mixed":          {strings.Repeat("- ? ", 20_000) + "x", 1, 2001},
	} {
		_, err := Tree([]byte(c.text))
		var e *ParseError
		if !errors.As(err, &e) || e.Code != "size" || e.Message != fmt.Sprintf("the file is nested deeper than %d levels", maxDepth) || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e.Line != c.line || e.Column != c.column {
			t.Errorf("%s: at %d:%d, want %d:%d", name, e.Line, e.Column, c.line, c.column)
		}
	}
}

// TestManyShallowListsAreRead: only depth is bounded, not how much there is.
func TestManyShallowListsAreRead(t *testing.T) {
	text := "# ]]}}\nlist:\n" + strings.Repeat("- [{a: [1]}]\n", 5_000) + "sub:\n" + strings.Repeat("  - - - x\n", 500)
	if _, err := Tree([]byte(text)); err != nil {
		t.Error(err)
	}
	if _, err := listText(strings.Repeat("[", 60_000)); err == nil || strings.Contains(err.Error(), "level") {
		t.Errorf("a list as text: %v", err)
	}
}
