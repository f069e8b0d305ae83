package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

func demo() Picker {
	return Picker{Title: "Select tools for 'demo'", Rows: []Row{
		{Name: "read_file", Description: "Read a file", On: true},
		{Name: "write_file", Description: "Write a file, which can be done only below the folders that were named at the start"},
		{Name: "list_dir", Description: "List", On: true, Held: `held on by the pattern "l*"`},
		{Name: "old", Description: "not offered now", On: true},
		{Name: "lock to exactly this selection", Switch: true},
	}}
}

// shown gives the state as letters: x is on.
func shown(on []bool) string {
	var b strings.Builder
	for _, v := range on {
		b.WriteByte(map[bool]byte{true: 'x', false: '.'}[v])
	}
	return b.String()
}

func press(m *model, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "down":
			msg = tea.KeyPressMsg{Code: tea.KeyDown}
		case "up":
			msg = tea.KeyPressMsg{Code: tea.KeyUp}
		case "end":
			msg = tea.KeyPressMsg{Code: tea.KeyEnd}
		case "backspace":
			msg = tea.KeyPressMsg{Code: tea.KeyBackspace}
		case "ctrl+c":
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		case " ":
			msg = tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
		}
		m.Update(msg)
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name    string
		keys    []string
		on      string
		outcome outcome
	}{
		{"nothing", []string{"enter"}, "x.xx.", outcomeDone},
		{"toggle", []string{" ", "down", " ", "enter"}, ".xxx.", outcomeDone},
		{"twice is as before", []string{" ", " ", "enter"}, "x.xx.", outcomeDone},
		{"held", []string{"j", "j", " ", "enter"}, "x.xx.", outcomeDone},
		{"all", []string{"a", "enter"}, "xxxx.", outcomeDone},
		{"none keeps held", []string{"n", "enter"}, "..x..", outcomeDone},
		{"switch", []string{"end", " ", "enter"}, "x.xxx", outcomeDone},
		{"past the ends", []string{"up", "up", " ", "enter"}, "..xx.", outcomeDone},
		{"search", []string{"/", "w", "r", "i", "enter", " ", "enter"}, "xxxx.", outcomeDone},
		{"search in descriptions", []string{"/", "f", "o", "l", "d", "enter", "a", "enter"}, "xxxx.", outcomeDone},
		{"all of a search", []string{"/", "f", "i", "l", "e", "enter", "n", "enter"}, "..xx.", outcomeDone},
		{"search mended", []string{"/", "q", "backspace", "w", "r", "enter", " ", "enter"}, "xxxx.", outcomeDone},
		{"nothing found", []string{"/", "z", "z", "enter", " ", "enter"}, "x.xx.", outcomeDone},
		{"search left", []string{"/", "z", "esc", " ", "enter"}, "..xx.", outcomeDone},
		{"a letter of the search is no command", []string{"/", "q", "a", "n", "enter"}, "x.xx.", outcomeOpen},
		{"esc", []string{" ", "esc"}, "..xx.", outcomeCanceled},
		{"q", []string{"q"}, "x.xx.", outcomeCanceled},
		{"interrupt", []string{"ctrl+c"}, "x.xx.", outcomeInterrupted},
		{"interrupt in a search", []string{"/", "ctrl+c"}, "x.xx.", outcomeInterrupted},
	} {
		m := newModel(demo(), false)
		press(m, c.keys...)
		if got := shown(m.on); got != c.on || m.outcome != c.outcome {
			t.Errorf("%s: %s and outcome %d, want %s and %d", c.name, got, m.outcome, c.on, c.outcome)
		}
	}
}

func TestHeldRowSaysWhy(t *testing.T) {
	m := newModel(demo(), false)
	press(m, "j", "j", " ")
	if screen := m.View().Content; strings.Count(screen, `held on by the pattern "l*"`) != 2 {
		t.Errorf("the note is missing:\n%s", screen)
	}
}

func TestScreenFits(t *testing.T) {
	many := demo()
	for range 200 {
		many.Rows = append(many.Rows, Row{Name: strings.Repeat("wide_名前_", 9), Description: strings.Repeat("word ", 30)})
	}
	for _, size := range [][2]int{{80, 24}, {30, 8}, {10, 6}, {200, 60}} {
		m := newModel(many, false)
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		for _, key := range []string{"down", "end", "/", "w", "enter", "up"} {
			press(m, key)
			lines := strings.Split(m.View().Content, "\n")
			if len(lines) != size[1] {
				t.Fatalf("%v after %s: %d lines", size, key, len(lines))
			}
			for _, line := range lines {
				if lipgloss.Width(line) > size[0] {
					t.Fatalf("%v after %s: %d wide: %q", size, key, lipgloss.Width(line), line)
				}
			}
			if !strings.Contains(m.View().Content, "> ") {
				t.Fatalf("%v after %s: the cursor is not on the screen", size, key)
			}
		}
	}
	if m := newModel(many, false); strings.Contains(m.View().Content, "\x1b") {
		t.Error("escape sequences without colour")
	}
}

// screen is an output that can be read while the picker writes to it.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		keys, on string
		err      error
	}{
		{" \r", "..xx.", nil},
		{"\r", "x.xx.", nil},
		{"j \x1b", "", ErrCanceled},
		{"q", "", ErrCanceled},
		{"\x03", "", ErrInterrupted},
	} {
		in, keys := io.Pipe()
		go func() { _, _ = io.WriteString(keys, c.keys) }()
		out := &screen{}
		terminal := &Terminal{In: in, Out: out, Width: 80, Height: 24}
		on, err := terminal.Pick(context.Background(), demo())
		keys.Close()
		if !errors.Is(err, c.err) || err == nil && shown(on) != c.on {
			t.Errorf("%q: %s, %v", c.keys, shown(on), err)
		}
		if text := out.String(); !strings.Contains(text, "\x1b[?1049h") || !strings.Contains(text, "\x1b[?1049l") {
			t.Errorf("%q: the screen was not taken and given back", c.keys)
		}
	}
}

func TestPickEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, keys := io.Pipe()
	defer keys.Close()
	cancel()
	_, err := (&Terminal{In: in, Out: &screen{}}).Pick(ctx, demo())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestPickByNumbers(t *testing.T) {
	for _, c := range []struct {
		input, on, says string
		err             error
	}{
		{"\n", "x.xx.", "(3 of 4 on)", nil},
		{"2\n", ".xx..", "[ ] write_file", nil},
		{"1-2, 4\n", "xxxx.", "", nil},
		{"all\n", "xxxx.", "", nil},
		{"NONE\n", "..x..", "", nil},
		{"1 5\n", "x.x.x", "", nil},
		{"9\n2-1\nx\n0\n1\n", "x.x..", `"9" is not a number from 1 to 5`, nil},
		{"q\n", "", "", ErrCanceled},
		{"", "", "", ErrCanceled},
	} {
		out := &screen{}
		on, err := (&Terminal{In: strings.NewReader(c.input), Out: out, Plain: true}).Pick(context.Background(), demo())
		if !errors.Is(err, c.err) || err == nil && shown(on) != c.on || !strings.Contains(out.String(), c.says) {
			t.Errorf("%q: %s, %v\n%s", c.input, shown(on), err, out)
		}
	}
	held := Picker{Rows: []Row{{Name: "a"}, {Name: "b", Held: `held off by the pattern "b*"`}}}
	out := &screen{}
	on, err := (&Terminal{In: strings.NewReader("1 2\n1\n"), Out: out, Plain: true}).Pick(context.Background(), held)
	if err != nil || shown(on) != "x." || !strings.Contains(out.String(), `2 b  —  held off by the pattern "b*"`) {
		t.Errorf("%s, %v\n%s", shown(on), err, out)
	}
}

func TestChoose(t *testing.T) {
	m := newModel(demo(), false)
	m.single = true
	press(m, "down", " ", "a", "enter")
	if m.chosen != 1 || m.outcome != outcomeDone || shown(m.on) != "x.xx." {
		t.Errorf("chosen %d, outcome %d", m.chosen, m.outcome)
	}
	for input, want := range map[string]int{"2\n": 1, "7\n3\n": 2, "\n": -1, "q\n": -1} {
		got, err := (&Terminal{In: strings.NewReader(input), Out: &screen{}, Plain: true}).Choose(context.Background(), demo())
		if got != want || (err != nil) != (want < 0) {
			t.Errorf("%q: %d, %v", input, got, err)
		}
	}
	in, keys := io.Pipe()
	go func() { _, _ = io.WriteString(keys, "j\r") }()
	defer keys.Close()
	got, err := (&Terminal{In: in, Out: &screen{}}).Choose(context.Background(), demo())
	if got != 1 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}

func TestPrompts(t *testing.T) {
	ask := func(input string) (*Terminal, *screen) {
		out := &screen{}
		return &Terminal{In: strings.NewReader(input), Out: out}, out
	}
	ctx := context.Background()
	for _, c := range []struct {
		input     string
		yes, want bool
		err       error
	}{
		{"\n", true, true, nil},
		{"\n", false, false, nil},
		{"Y\n", false, true, nil},
		{"no\r\n", true, false, nil},
		{"what\nyes\n", false, true, nil},
		{"y", false, true, nil},
		{"", true, false, ErrCanceled},
	} {
		terminal, out := ask(c.input)
		got, err := terminal.Confirm(ctx, "Overwrite?", c.yes)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q: %v, %v", c.input, got, err)
		}
		if marks := map[bool]string{true: "[Y/n]", false: "[y/N]"}[c.yes]; !strings.Contains(out.String(), marks) {
			t.Errorf("%q: the default is not shown: %s", c.input, out)
		}
	}
	terminal, _ := ask("s\nall\n\nwhat\nn\n")
	var words []string
	for range 4 {
		word, err := terminal.Choice(ctx, "Enable all 3 tools?", "yes", "no", "select")
		words = append(words, word)
		if err != nil {
			t.Fatal(err)
		}
		if len(words) == 1 && word != "select" {
			t.Fatal(word)
		}
		if len(words) == 2 {
			break
		}
	}
	if !slices.Equal(words, []string{"select", "yes"}) {
		t.Errorf("%q", words)
	}
	terminal, _ = ask("\n  value \n")
	first, err := terminal.Text(ctx, "Folder", "/srv")
	second, err2 := terminal.Text(ctx, "Folder", "")
	if first != "/srv" || second != "value" || err != nil || err2 != nil {
		t.Errorf("%q %q %v %v", first, second, err, err2)
	}
	terminal, out := ask(" s3cret \n")
	secret, err := terminal.Secret(ctx, "Token")
	if secret != "s3cret" || err != nil || strings.Contains(out.String(), "s3cret") {
		t.Errorf("%q %v %s", secret, err, out)
	}
	if terminal.Interactive() {
		t.Error("a text is no terminal")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := terminal.Text(canceled, "x", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestHiddenLine(t *testing.T) {
	for keys, want := range map[string]answer{
		"abc\r":         {text: "abc"},
		"ab\x7fc\n":     {text: "ac"},
		"ä\x08\x08b\r":  {text: "b"},
		"wrong\x15ok\r": {text: "ok"},
		"a\x03":         {err: ErrInterrupted},
		"a\x1b":         {err: io.EOF},
		"\x04":          {err: io.EOF},
	} {
		got := readHidden(strings.NewReader(keys))
		if got.text != want.text || !errors.Is(got.err, want.err) {
			t.Errorf("%q: %q, %v", keys, got.text, got.err)
		}
	}
}
