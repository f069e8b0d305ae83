package terminal

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"hermes/backend/view"
)

// focus is where keys go.
type focus int

const (
	focusInput focus = iota
	focusCard
	focusLine // a reason, or a value of a form
)

// chatScreen is the chat on a terminal that can move its cursor.
type chatScreen struct {
	talk  *talk
	greet func(*talk)

	input, line textarea.Model
	focus       focus
	card        *card
	form        *form
	folds       folds
	past        past
	hint        string

	width, height int
	pending       []string // said, and not in the scrollback yet
	printing      bool
	ticking       bool
	arming        int // counts the keys that were typed before a card counts
	lastStop      time.Time
	interrupted   bool
	quitting      bool
}

// The messages of the screen beside those of the terminal.
type (
	heardMsg struct {
		signal view.Signal
		lost   bool
	}
	workedMsg  struct{ apply func(*talk) }
	printedMsg struct{}
	tickMsg    struct{}
	armMsg     struct{ arming int }
	asideMsg   struct{}
)

const (
	// stoppingHint stands below the line until the turn has ended.
	stoppingHint = "stopping"
	// quiet is how long nothing is typed before keys count on a card.
	quiet = 600 * time.Millisecond
	// twice is within what time a second Ctrl-C leaves.
	twice = 2 * time.Second
)

func newScreen(t *talk, typed []string, greet func(*talk)) *chatScreen {
	return &chatScreen{talk: t, greet: greet, input: editor(t.paint, 8), line: editor(t.paint, 3), past: newPast(typed)}
}

// editor is a text of several lines with a real cursor, where an input method
// shows what it composes. It has no clipboard of its own: the terminal pastes.
func editor(p paint, height int) textarea.Model {
	e := textarea.New()
	e.ShowLineNumbers, e.DynamicHeight, e.MinHeight, e.MaxHeight, e.MaxContentHeight, e.CharLimit = false, true, 1, height, 100_000, 0
	e.EndOfBufferCharacter = ' '
	e.SetPromptFunc(2, func(info textarea.PromptInfo) string {
		if info.LineNumber == 0 {
			return "❯ "
		}
		return "  "
	})
	e.SetStyles(textarea.Styles{})
	e.SetVirtualCursor(false)
	off := key.NewBinding(key.WithDisabled())
	e.KeyMap.InsertNewline, e.KeyMap.Paste, e.KeyMap.CopySelection = off, off, off
	e.SetHeight(1)
	_ = e.Focus()
	return e
}

// Init waits for the size.
func (m *chatScreen) Init() tea.Cmd { return nil }

// Update takes one message, and gives the work that follows from it.
func (m *chatScreen) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if recover() != nil {
			m.talk.faulted()
			cmd = nil
		}
	}()
	return m, m.update(msg)
}

func (m *chatScreen) update(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		cmds = m.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		cmds = m.press(msg)
	case tea.PasteMsg:
		cmds = m.paste(msg)
	case heardMsg:
		cmds = work(m.talk.heard(msg.signal, msg.lost)...)
	case workedMsg:
		msg.apply(m.talk)
	case printedMsg:
		m.printing = false
	case tickMsg:
		m.ticking = false
	case armMsg:
		m.arm(msg.arming)
	}
	return tea.Batch(append(cmds, m.after()...)...)
}

// work turns jobs into commands.
func work(jobs ...job) []tea.Cmd {
	var cmds []tea.Cmd
	for _, j := range jobs {
		if j != nil {
			cmds = append(cmds, func() tea.Msg { return workedMsg{j.done()} })
		}
	}
	return cmds
}

// resize takes the size of the terminal; the first time it begins the chat.
func (m *chatScreen) resize(width, height int) []tea.Cmd {
	if width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	first := m.width == 0
	m.width, m.height = max(width, 20), max(height, 6)
	// The last column stays free: a terminal that is there wraps, or does not.
	m.talk.width = m.width - 1
	m.input.SetWidth(m.talk.width)
	m.line.SetWidth(m.talk.width)
	if !first {
		return nil
	}
	m.greet(m.talk)
	return work(m.talk.look(), m.talk.askQuestions())
}

// after does what follows from any change: the card of the oldest question, the
// next queued text, one print at a time, a tick while something runs.
func (m *chatScreen) after() []tea.Cmd {
	if m.width == 0 {
		return nil
	}
	if !m.talk.busy() && strings.HasPrefix(m.hint, stoppingHint) {
		m.hint = "" // the turn is over
	}
	m.talk.aside()
	cmds := append(m.sync(), work(m.talk.halt())...)
	if m.talk.back != "" {
		m.input.SetValue(strings.TrimLeft(m.input.Value()+"\n"+m.folds.fold(m.talk.back), "\n"))
		m.talk.back = ""
		m.hint = "what was queued is here again"
	}
	if m.card == nil && m.form == nil && !m.talk.leaving {
		cmds = append(cmds, work(m.talk.next())...)
	}
	m.pending = append(m.pending, m.talk.take()...)
	if !m.printing && len(m.pending) > 0 {
		cmds = append(cmds, m.print())
	}
	if m.talk.leaving && !m.quitting && !m.printing && len(m.pending) == 0 {
		m.quitting = true
		cmds = append(cmds, tea.Quit)
	}
	if m.talk.busy() && !m.ticking {
		m.ticking = true
		cmds = append(cmds, tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} }))
	}
	return cmds
}

// print puts lines into the scrollback, no more at once than there is room above
// what is shown: more would push it off the screen. Prints follow one another, so
// that they keep their order.
func (m *chatScreen) print() tea.Cmd {
	n := min(len(m.pending), max(m.height-m.most()-1, 1))
	lines := m.pending[:n]
	m.pending = m.pending[n:]
	m.printing = true
	for i, line := range lines {
		lines[i] = tame(cutTo(line, m.talk.width))
	}
	text := strings.Join(lines, "\n")
	if text == "" {
		text = " " // nothing at all would not be printed
	}
	return tea.Sequence(tea.Println(text), func() tea.Msg { return printedMsg{} })
}

// sync shows the oldest question and takes away one that is not open any more.
func (m *chatScreen) sync() []tea.Cmd {
	id := ""
	switch {
	case m.card != nil:
		id = m.card.q.ID
	case m.form != nil:
		id = m.form.q.ID
	}
	for _, q := range m.talk.open {
		if q.ID == id {
			return nil
		}
	}
	if id != "" {
		m.card, m.form, m.focus = nil, nil, focusInput
	}
	for _, q := range m.talk.open {
		switch {
		case q.Kind == kindCalls && len(q.Calls) > 0:
			m.card, m.focus = newCard(q), focusCard
			m.card.note = m.talk.unfit[q.ID]
		case q.Kind == kindElicitation:
			m.form, m.focus = newForm(q), focusLine
			m.line.Reset()
			m.talk.part(m.form.intro(m.talk.paint, m.talk.width)...)
			if words := m.talk.unfit[q.ID]; words != "" {
				m.form.unfit(words)
			}
		default:
			continue
		}
		return m.rearm()
	}
	return nil
}

// rearm lets keys count on what is asked only after a moment without any.
func (m *chatScreen) rearm() []tea.Cmd {
	m.arming++
	now := m.arming
	return []tea.Cmd{tea.Tick(quiet, func(time.Time) tea.Msg { return armMsg{now} })}
}

func (m *chatScreen) arm(arming int) {
	switch {
	case arming != m.arming:
	case m.card != nil:
		m.card.armed = true
	case m.form != nil:
		m.form.armed = true
	}
}

// armed tells whether keys count on what is asked.
func (m *chatScreen) armed() bool {
	return m.card != nil && m.card.armed || m.form != nil && m.form.armed
}

func (m *chatScreen) paste(msg tea.PasteMsg) []tea.Cmd {
	switch {
	case m.focus == focusInput:
		// A terminal may end the lines of a paste in any of three ways.
		msg.Content = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(msg.Content)
		msg.Content = m.folds.fold(msg.Content)
		m.edit(msg)
	case !m.armed():
		return m.rearm()
	case m.focus == focusLine:
		m.line, _ = m.line.Update(tea.PasteMsg{Content: strings.Join(strings.Fields(msg.Content), " ")})
	}
	return nil
}
