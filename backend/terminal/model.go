package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// outcome is how the full-screen picker ended.
type outcome int

const (
	outcomeOpen outcome = iota
	outcomeDone
	outcomeCanceled
	outcomeInterrupted
)

// model is the full-screen picker.
type model struct {
	picker  Picker
	color   bool
	single  bool
	on      []bool
	chosen  int
	outcome outcome

	shown         []int // indices of the rows that match the search
	cursor, top   int   // within shown
	search        string
	typing        bool
	note          string
	width, height int
}

func newModel(p Picker, color bool) *model {
	m := &model{picker: p, color: color, on: p.state(), chosen: -1, width: 80, height: 24}
	m.find()
	return m
}

// run shows a model until it is answered. The program's own handler of signals
// stays off: the context ends it, and the screen is restored either way.
func (t *Terminal) run(ctx context.Context, m *model) error {
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(t.In), tea.WithOutput(t.Out), tea.WithoutSignalHandler()}
	if _, ok := fileOf(t.Out); !ok {
		m.width, m.height = max(t.Width, 20), max(t.Height, 8)
		options = append(options, tea.WithWindowSize(m.width, m.height))
	}
	_, err := tea.NewProgram(m, options...).Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrInterrupted), m.outcome == outcomeInterrupted:
		return ErrInterrupted
	case err != nil:
		return fmt.Errorf("show the picker: %w; --plain asks by numbers", err)
	case m.outcome != outcomeDone:
		return ErrCanceled
	}
	return nil
}

// Init starts nothing.
func (m *model) Init() tea.Cmd { return nil }

// Update takes one key or a new size.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 10), max(msg.Height, 6)
		m.scroll()
	case tea.PasteMsg:
		if m.typing {
			m.search += strings.Join(strings.Fields(msg.Content), " ")
			m.find()
		}
	case tea.KeyPressMsg:
		m.note = ""
		m.key(msg)
		m.scroll()
	}
	if m.outcome != outcomeOpen {
		return m, tea.Quit
	}
	return m, nil
}

func (m *model) key(msg tea.KeyPressMsg) {
	name := msg.String()
	switch name {
	case "ctrl+c":
		m.outcome = outcomeInterrupted
		return
	case "up":
		m.cursor--
		return
	case "down":
		m.cursor++
		return
	case "pgup":
		m.cursor -= m.page()
		return
	case "pgdown":
		m.cursor += m.page()
		return
	case "home":
		m.cursor = 0
		return
	case "end":
		m.cursor = len(m.shown) - 1
		return
	}
	if m.typing {
		m.typed(name, msg.Text)
		return
	}
	m.command(name)
}

// typed takes a key while a search is typed.
func (m *model) typed(name, text string) {
	switch name {
	case "esc":
		m.typing, m.search = false, ""
	case "enter":
		m.typing = false
	case "backspace":
		if runes := []rune(m.search); len(runes) > 0 {
			m.search = string(runes[:len(runes)-1])
		}
	case "ctrl+u":
		m.search = ""
	default:
		m.search += text
	}
	m.find()
}

func (m *model) command(name string) {
	switch name {
	case "esc", "q":
		m.outcome = outcomeCanceled
	case "enter":
		m.confirm()
	case "/":
		m.typing = true
	case "k":
		m.cursor--
	case "j":
		m.cursor++
	case "space":
		m.toggle()
	case "a", "n":
		m.setAll(name == "a")
	}
}

func (m *model) confirm() {
	if !m.single {
		m.outcome = outcomeDone
		return
	}
	if len(m.shown) > 0 {
		m.chosen, m.outcome = m.shown[m.cursor], outcomeDone
	}
}

func (m *model) toggle() {
	if m.single || len(m.shown) == 0 {
		return
	}
	i := m.shown[m.cursor]
	if row := m.picker.Rows[i]; row.Held != "" {
		m.note = row.text()
		return
	}
	m.on[i] = !m.on[i]
}

// setAll turns every row that is shown and can be changed on or off.
func (m *model) setAll(on bool) {
	if m.single {
		return
	}
	held := 0
	for _, i := range m.shown {
		switch row := m.picker.Rows[i]; {
		case row.Switch:
		case row.Held != "":
			held++
		default:
			m.on[i] = on
		}
	}
	if held > 0 {
		m.note = fmt.Sprintf("%d held by a pattern stay as they are", held)
	}
}

// find keeps the rows that hold every word of the search.
func (m *model) find() {
	words := strings.Fields(strings.ToLower(m.search))
	m.shown = m.shown[:0]
rows:
	for i, row := range m.picker.Rows {
		text := strings.ToLower(row.Name + " " + row.Description)
		for _, word := range words {
			if !strings.Contains(text, word) {
				continue rows
			}
		}
		m.shown = append(m.shown, i)
	}
	m.scroll()
}

// page is the number of rows on the screen: the title, the notes of two lines
// and the keys take the rest.
func (m *model) page() int { return max(m.height-4, 1) }

// scroll keeps the cursor on a row and the row on the screen.
func (m *model) scroll() {
	m.cursor = min(max(m.cursor, 0), max(len(m.shown)-1, 0))
	m.top = min(m.top, m.cursor)
	m.top = max(m.top, m.cursor-m.page()+1, 0)
}

// View draws the whole screen.
func (m *model) View() tea.View {
	var b strings.Builder
	b.WriteString(m.style(m.head(), lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Cyan)))
	for line := range m.page() {
		b.WriteByte('\n')
		if at := m.top + line; at < len(m.shown) {
			b.WriteString(m.row(at))
		}
	}
	for _, line := range m.notes() {
		b.WriteString("\n" + m.cut(line))
	}
	b.WriteString("\n" + m.style(m.keys(), lipgloss.NewStyle().Faint(true)))
	view := tea.NewView(b.String())
	view.AltScreen = true
	return view
}

func (m *model) head() string {
	if m.single {
		return m.picker.Title
	}
	k, n := m.picker.count(m.on)
	return fmt.Sprintf("%s  %d of %d on", m.picker.Title, k, n)
}

func (m *model) row(at int) string {
	i := m.shown[at]
	row := m.picker.Rows[i]
	text := row.text()
	if !m.single {
		text = row.mark(m.on[i]) + " " + text
	}
	if at == m.cursor {
		return m.style("> "+text, lipgloss.NewStyle().Bold(true))
	}
	if row.Held != "" {
		return m.style("  "+text, lipgloss.NewStyle().Faint(true))
	}
	return m.cut("  " + text)
}

// notes are two lines below the rows: what stands in the way, the search, or
// the whole text of a row that was cut.
func (m *model) notes() [2]string {
	text := m.note
	switch {
	case text != "":
	case m.typing:
		text = fmt.Sprintf("/%s_  (%d found)", m.search, len(m.shown))
	case len(m.shown) == 0:
		text = fmt.Sprintf("nothing matches %q", m.search)
	case m.search != "":
		text = fmt.Sprintf("/%s  (%d found; / then ESC shows all)", m.search, len(m.shown))
	default:
		if row := m.picker.Rows[m.shown[m.cursor]].text(); lipgloss.Width(row)+6 > m.width {
			text = row
		}
	}
	lines := strings.Split(lipgloss.NewStyle().Width(m.width).Render(text), "\n")
	if len(lines) == 1 {
		return [2]string{strings.TrimRight(lines[0], " ")}
	}
	second := strings.TrimRight(lines[1], " ")
	if len(lines) > 2 {
		second += " …"
	}
	return [2]string{strings.TrimRight(lines[0], " "), second}
}

func (m *model) keys() string {
	switch {
	case m.typing:
		return "type to search · ENTER keep · ESC show all"
	case m.single:
		return "↑↓ move · ENTER choose · / search · ESC leave"
	case m.width < 72:
		return "SPACE · a all · n none · / · ENTER ok · ESC"
	}
	return "SPACE on/off · a all · n none · / search · ENTER confirm · ESC cancel"
}

func (m *model) style(text string, style lipgloss.Style) string {
	text = m.cut(text)
	if !m.color {
		return text
	}
	return style.Render(text)
}

// cut shortens a line to the width of the screen.
func (m *model) cut(text string) string {
	if lipgloss.Width(text) <= m.width {
		return text
	}
	return lipgloss.NewStyle().MaxWidth(m.width-1).Render(text) + "…"
}
