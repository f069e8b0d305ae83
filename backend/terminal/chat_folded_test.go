package terminal

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A long paste stands in the input as one mark, is deleted as one, is sent whole, and
// comes back whole from what was typed before.
func TestLongPaste(t *testing.T) {
	long := strings.Repeat("a line of a book, and its end\n", 1600)
	const mark = "[pasted 1,600 lines, 47 KB]"
	edits := map[string]struct {
		keys []tea.KeyPressMsg
		want string
	}{
		"typed behind it":    {[]tea.KeyPressMsg{{Text: "!", Code: '!'}}, "see " + mark + "!"},
		"deleted":            {[]tea.KeyPressMsg{{Code: tea.KeyBackspace}}, "see "},
		"deleted, then more": {[]tea.KeyPressMsg{{Code: tea.KeyBackspace}, {Text: "x", Code: 'x'}}, "see x"},
		"typed into it":      {[]tea.KeyPressMsg{{Code: tea.KeyLeft}, {Code: tea.KeyLeft}, {Text: "x", Code: 'x'}, {Text: "y", Code: 'y'}}, "see " + mark + "xy"},
		"deleted inside":     {[]tea.KeyPressMsg{{Code: tea.KeyLeft}, {Code: tea.KeyLeft}, {Code: tea.KeyDelete}, {Text: "y", Code: 'y'}}, "see y"},
		"a word of it":       {[]tea.KeyPressMsg{{Code: 'w', Mod: tea.ModCtrl}}, "see "},
		"the line":           {[]tea.KeyPressMsg{{Code: 'u', Mod: tea.ModCtrl}}, ""},
	}
	for name, test := range edits {
		t.Run(name, func(t *testing.T) {
			m := chatting(t, 80, 24)
			m.keys("s", "e", "e", " ")
			m.Update(tea.PasteMsg{Content: long})
			for _, key := range test.keys {
				m.Update(key)
			}
			if got := m.input.Value(); got != test.want {
				t.Errorf("the input is %.200q, want %q", got, test.want)
			}
			if test.want == "" {
				return
			}
			m.keys("enter")
			whole := strings.Replace(test.want, mark, long, 1)
			if len(m.talk.queue) != 1 || m.talk.queue[0].text != whole {
				t.Errorf("it was not sent whole: %.200s", fmt.Sprint(m.talk.queue))
			}
			m.Update(tea.KeyPressMsg{Code: tea.KeyUp})
			if got := m.folds.whole(m.input.Value()); got != whole || len(m.input.Value()) > 200 {
				t.Errorf("it comes back as %.200q", m.input.Value())
			}
		})
	}
}

// What was sent is shown as it stood in the input: a book does not fill the screen.
func TestLongPasteIsShownAsItsMark(t *testing.T) {
	m := chatting(t, 80, 24)
	m.talk.running = false
	m.Update(tea.PasteMsg{Content: strings.Repeat("a line of a book, and its end\n", 1600)})
	m.keys("enter")
	if text := m.printedText(); !strings.Contains(text, "❯ [pasted 1,600 lines, 47 KB]") || strings.Contains(text, "a line of a book") {
		t.Errorf("%.300s", text)
	}
}

// Two pastes that look alike are two.
func TestTwoLongPastes(t *testing.T) {
	m := chatting(t, 80, 24)
	one, two := strings.Repeat("a", mostEdited+1), strings.Repeat("b", mostEdited+1)
	m.Update(tea.PasteMsg{Content: one})
	m.Update(tea.PasteMsg{Content: two})
	m.keys("enter")
	if len(m.talk.queue) != 1 || m.talk.queue[0].text != one+two {
		t.Errorf("sent %.200s", fmt.Sprint(m.talk.queue))
	}
}
