package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// press takes one key.
func (m *chatScreen) press(msg tea.KeyPressMsg) []tea.Cmd {
	name := msg.String()
	m.hint = ""
	switch name {
	case "ctrl+c":
		return m.interrupt()
	case "ctrl+z":
		return []tea.Cmd{tea.Suspend}
	}
	if m.focus == focusInput {
		return m.typed(name, msg)
	}
	if !m.armed() {
		return m.rearm()
	}
	if m.focus == focusLine {
		return m.answered(name, msg)
	}
	switch m.card.key(name) {
	case actSend:
		return m.sendCard()
	case actReason:
		m.line.SetValue(m.card.choices[m.card.cursor].Reason)
		m.focus = focusLine
	case actCommand:
		m.focus = focusInput
		m.input.InsertString("/")
		m.hint = "ESC goes back to the card"
	}
	return nil
}

// interrupt is Ctrl-C: it stops the turn or clears the line, and a second one
// within a moment leaves.
func (m *chatScreen) interrupt() []tea.Cmd {
	now := m.talk.now()
	if !m.lastStop.IsZero() && now.Sub(m.lastStop) < twice {
		m.interrupted, m.talk.leaving = true, true
		// What is not printed yet is not worth waiting for.
		m.pending = nil
		return nil
	}
	m.lastStop = now
	switch {
	case m.talk.busy():
		m.hint = stoppingHint + "; Ctrl-C again leaves"
		return work(append(m.refuse(), m.talk.stop())...)
	case m.card != nil || m.form != nil:
		return work(m.refuse()...)
	case m.input.Value() != "":
		m.input.Reset()
		m.folds = folds{}
	}
	m.hint = "Ctrl-C again leaves"
	return nil
}

// refuse says no to what is asked.
func (m *chatScreen) refuse() []job {
	switch {
	case m.card != nil:
		c := newCard(m.card.q)
		return []job{m.talk.give(c.q, c.answer(), c.verdict())}
	case m.form != nil:
		return []job{m.talk.give(m.form.q, m.form.answer("decline"), "Declined.")}
	}
	return nil
}

func (m *chatScreen) sendCard() []tea.Cmd {
	return work(m.talk.give(m.card.q, m.card.answer(), m.card.verdict()))
}

// answered takes a key of a reason or of a form.
func (m *chatScreen) answered(name string, msg tea.KeyPressMsg) []tea.Cmd {
	switch {
	case name == "esc" && m.card != nil:
		m.focus = focusCard
		m.line.Reset()
	case name == "esc":
		return work(m.refuse()...)
	case name != "enter":
		var cmd tea.Cmd
		m.line, cmd = m.line.Update(msg)
		return []tea.Cmd{cmd}
	case m.card != nil:
		m.card.deny(m.card.cursor, strings.TrimSpace(m.line.Value()))
		m.focus = focusCard
		m.line.Reset()
	default:
		return m.fill()
	}
	return nil
}

// fill takes one line of a form.
func (m *chatScreen) fill() []tea.Cmd {
	text := m.line.Value()
	m.line.Reset()
	switch m.form.put(text) {
	case stepSend:
		return work(m.talk.give(m.form.q, m.form.answer("accept"), "Sent."))
	case stepDecline:
		return work(m.refuse()...)
	}
	return nil
}

// typed takes a key of the input.
func (m *chatScreen) typed(name string, msg tea.KeyPressMsg) []tea.Cmd {
	switch name {
	case "enter":
		return m.send()
	case "alt+enter", "ctrl+j", "shift+enter":
		m.input.InsertString("\n")
		return nil
	case "esc":
		switch {
		case m.card != nil:
			m.focus = focusCard
		case m.form != nil:
			m.focus = focusLine
		case m.talk.busy():
			m.hint = stoppingHint
			return work(m.talk.stop())
		}
		return nil
	case "tab":
		m.tab()
		return nil
	case "ctrl+d":
		if m.input.Value() == "" {
			m.talk.leaving = true
			return nil
		}
	case "up":
		if m.input.Line() == 0 && m.input.LineInfo().RowOffset == 0 {
			m.recall(-1)
			return nil
		}
	case "down":
		info := m.input.LineInfo()
		if m.input.Line() == m.input.LineCount()-1 && info.RowOffset >= info.Height-1 {
			m.recall(1)
			return nil
		}
	}
	return []tea.Cmd{m.edit(msg)}
}

// edit lets the input take a message; a mark of a long text stays one thing.
func (m *chatScreen) edit(msg tea.Msg) tea.Cmd {
	was := m.input.Value()
	var cmd tea.Cmd
	m.input, cmd = m.input.Update(msg)
	if len(m.folds.marks) > 0 {
		if mended, at, ok := m.folds.mend(was, m.input.Value()); ok {
			settle(&m.input, mended, at)
		}
	}
	return cmd
}

func (m *chatScreen) recall(by int) {
	if text, ok := m.past.walk(by, m.folds.whole(m.input.Value())); ok {
		m.folds = folds{}
		m.input.SetValue(m.folds.fold(text))
	}
}

// tab completes a command; elsewhere it goes between the input and a card.
func (m *chatScreen) tab() {
	if text := m.input.Value(); isCommand(text) && !strings.Contains(text, "\n") {
		done, candidates := m.talk.complete(text)
		m.input.SetValue(done)
		m.hint = strings.Join(candidates, "  ")
		return
	}
	switch {
	case m.card != nil:
		m.focus = focusCard
	case m.form != nil:
		m.focus = focusLine
	}
}

// send takes what was typed: a line that ends with a backslash goes on, a command
// is done here, everything else goes to the model.
func (m *chatScreen) send() []tea.Cmd {
	text := m.input.Value()
	if rest, goesOn := strings.CutSuffix(text, "\\"); goesOn {
		m.input.SetValue(rest + "\n")
		return nil
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	m.input.Reset()
	whole := m.folds.whole(text)
	m.folds = folds{}
	m.past.add(whole)
	if isCommand(text) {
		return m.command(strings.TrimSpace(whole))
	}
	return work(m.talk.askShown(whole, text))
}

// command does one command; those about a card need the card.
func (m *chatScreen) command(line string) []tea.Cmd {
	name, rest, _ := strings.Cut(line, " ")
	if m.card == nil || name != "/approve" && name != "/deny" {
		cmds := work(m.talk.run(line))
		if m.talk.leaving && m.talk.busy() {
			cmds = append(cmds, work(m.talk.stop())...)
		}
		return cmds
	}
	if !m.card.armed {
		m.talk.tell("The card was not there long enough to be read; type it again.")
		return nil
	}
	if name == "/deny" {
		for i := range m.card.choices {
			m.card.deny(i, strings.TrimSpace(rest))
		}
		return m.sendCard()
	}
	if problem := m.card.approve(strings.Fields(rest)); problem != "" {
		m.talk.tell("%s", Printable(problem))
		return nil
	}
	return m.sendCard()
}
