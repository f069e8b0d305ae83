package terminal

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes/backend/view"
)

// A turn that ends before its start is heard of has ended: of a new session and of
// one that goes on, with a stop asked for meanwhile, and with a text that waits.
func TestTurnEndsBeforeItsStartIsHeardOf(t *testing.T) {
	for _, session := range []string{"", "s"} {
		for _, stopped := range []bool{false, true} {
			m := chatting(t, 80, 24)
			m.talk.session, m.talk.running, m.talk.sending = session, false, true
			stop := "error"
			if stopped {
				m.talk.stop()
				stop = "interrupted"
			}
			m.talk.ask("the next one")
			m.events(view.ChatEvent{Type: "error", Text: "401"}, view.ChatEvent{Type: "done", StopReason: stop})
			m.Update(workedMsg{func(k *talk) { k.sent("s", nil) }})
			text := m.printedText()
			if strings.Count(text, "401") != 1 {
				t.Errorf("%q: the failure is said %d times in\n%s", session, strings.Count(text, "401"), text)
			}
			if m.talk.running || m.talk.stopping {
				t.Errorf("%q, stopped %v: the chat still works on a turn that ended", session, stopped)
			}
			switch {
			case stopped && m.talk.busy():
				t.Errorf("%q: what waited was sent although the turn was stopped", session)
			case !stopped && !m.talk.sending:
				t.Errorf("%q: what waited is not sent", session)
			}
		}
	}
}

// A turn that could not begin leaves nothing of another one behind.
func TestTurnThatDidNotBegin(t *testing.T) {
	m := chatting(t, 80, 24)
	m.talk.running, m.talk.sending = false, true
	m.Update(workedMsg{func(k *talk) { k.sent("", errors.New("the session is in use")) }})
	if m.talk.busy() || len(m.talk.early) > 0 || !strings.Contains(m.printedText(), "the session is in use") {
		t.Error("the chat waits for a turn that never began")
	}
}

// A stop takes its own card back: nobody else answered it, and nothing says so.
func TestStopTakesItsCardBack(t *testing.T) {
	for _, stopped := range []bool{true, false} {
		m := chatting(t, 80, 24)
		m.Update(workedMsg{func(k *talk) { k.questions([]view.Question{batchCard()}) }})
		if stopped {
			m.talk.stop()
		}
		m.Update(workedMsg{func(k *talk) { k.questions(nil) }})
		if text := m.printedText(); strings.Contains(text, "answered elsewhere") == stopped {
			t.Errorf("stopped %v: %s", stopped, text)
		}
	}
}

// A line that a paste ends with CR LF has one end.
func TestPasteOfAnyLineEnd(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		m := chatting(t, 80, 24)
		m.Update(tea.PasteMsg{Content: "one" + end + "two" + end + "three"})
		if got := m.input.Value(); got != "one\ntwo\nthree" {
			t.Errorf("%q: %q", end, got)
		}
	}
}
