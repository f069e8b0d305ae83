package cli

import (
	"strings"
	"testing"

	"hermes/backend/view"
)

// TestProgressText says how far a call is, and nothing that moves a terminal's
// cursor.
func TestProgressText(t *testing.T) {
	for _, test := range []struct {
		event view.ChatEvent
		want  string
	}{
		{view.ChatEvent{Progress: 1, Total: 4, Text: "half of half"}, "… 25% half of half"},
		{view.ChatEvent{Progress: 2.5}, "… 2.5"},
		{view.ChatEvent{Progress: 9, Total: 3}, "… 9"},
		{view.ChatEvent{Progress: -1, Total: 3}, "… -1"},
		{view.ChatEvent{}, "… 0"},
	} {
		if got := progressText(test.event); got != test.want {
			t.Errorf("%+v: %q, want %q", test.event, got, test.want)
		}
	}
	var out strings.Builder
	line := &progressLine{out: &out, live: true}
	line.show(view.ChatEvent{Progress: 1, Text: "\x1b[2J" + strings.Repeat("x", 200)})
	line.clear()
	line.clear()
	if got := out.String(); strings.Count(got, "\x1b") != 2 || len([]rune(got)) > 78+2*len(clearLine) || !strings.HasSuffix(got, clearLine) {
		t.Errorf("%q", got)
	}
	out.Reset()
	pipe := &progressLine{out: &out}
	pipe.show(view.ChatEvent{Progress: 1})
	pipe.clear()
	if out.Len() > 0 {
		t.Errorf("a pipe was shown %q", out.String())
	}
}
