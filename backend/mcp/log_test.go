package mcp

import (
	"slices"
	"testing"
)

// TestTwoPens lets a session that is being replaced write beside its successor:
// each keeps its own secrets and its own unfinished line.
func TestTwoPens(t *testing.T) {
	book := newLogBook("s", "", nil)
	old, fresh := book.pen(), book.pen()
	old.begin(newRedactor(map[string]string{"${T}": "secret-of-old"}, nil))
	_, _ = old.Write([]byte("half "))
	fresh.begin(newRedactor(map[string]string{"${T}": "secret-of-new"}, nil))
	_, _ = fresh.Write([]byte("secret-of-new begins\n"))
	_, _ = old.Write([]byte("a line with secret-of-old\n"))
	want := []string{"*** begins", "half a line with ***"}
	if got := book.snapshot(); !slices.Equal(got, want) {
		t.Errorf("lines %q", got)
	}
	if got := fresh.lastWords(3); got != "*** begins" {
		t.Errorf("the last words of the new one are %q", got)
	}
}
