package terminal

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A fault inside the program, at work beside the chat or of a message of its own, is
// told without what it holds: the chat goes on, with no turn it would wait for.
func TestFaultInTheChat(t *testing.T) {
	for name, fault := range map[string]func(m *chatScreen) tea.Msg{
		"at work": func(*chatScreen) tea.Msg {
			return work(func() func(*talk) { panic("sk-secret") })[0]()
		},
		"of a message": func(*chatScreen) tea.Msg { return workedMsg{func(*talk) { panic("sk-secret") }} },
	} {
		t.Run(name, func(t *testing.T) {
			m := chatting(t, 80, 24)
			m.talk.running, m.talk.sending = false, true
			m.Update(fault(m))
			m.Update(tickMsg{})
			if text := m.printedText(); !strings.Contains(text, "failed inside Hermes") || strings.Contains(text, "sk-secret") {
				t.Errorf("it says %s", text)
			}
			if m.talk.busy() {
				t.Error("the chat waits for a turn that never began")
			}
		})
	}
}
