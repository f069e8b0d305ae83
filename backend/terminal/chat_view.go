package terminal

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
)

// most is how many lines the live part may have, so that there is always room
// above it to print into.
func (m *chatScreen) most() int { return max(m.height*2/3, 4) }

// View draws the live part: what is streamed and not stored yet, the calls that
// run, the question that is open, what is queued, and the line that is typed.
func (m *chatScreen) View() tea.View {
	if m.width == 0 || m.quitting {
		return tea.NewView("")
	}
	below, cursor := m.bottom()
	room := m.most() - len(below)
	var asked []string
	if m.card != nil {
		asked = m.card.lines(m.talk.paint, m.talk.width, max(room, 6))
	}
	if room -= len(asked); room < 0 {
		room = 0
	}
	lines := m.running(room)
	lines = append(lines, asked...)
	if cursor != nil {
		cursor.Y += len(lines)
	}
	lines = append(lines, below...)
	// On a very small terminal the end counts: there is the line that is typed.
	if over := len(lines) - (m.height - 1); over > 0 {
		lines = lines[over:]
		if cursor != nil {
			cursor.Y -= over
		}
	}
	for i, line := range lines {
		lines[i] = tame(cutTo(line, m.width))
	}
	shown := tea.NewView(strings.Join(lines, "\n"))
	shown.Cursor = cursor
	return shown
}

// running are the calls of this pass and the end of the answer that is streamed,
// in at most that many lines.
func (m *chatScreen) running(room int) []string {
	t := m.talk
	if m.quitting || room <= 0 {
		return nil
	}
	var out []string
	group := t.calls[t.group:]
	if len(group) > 1 {
		out = append(out, t.paint.bold(fmt.Sprintf("%d calls", len(group))))
	}
	over := len(group) - max(room-1, 1)
	for i, c := range group {
		if over > 0 && i >= len(group)-over {
			out = append(out, t.paint.faint(fmt.Sprintf("  … and %d more", over)))
			break
		}
		out = append(out, t.live(c))
	}
	if text := strings.TrimRight(t.pieces.String(), "\n"); text != "" && len(out) < room {
		const tail = 4 << 10
		if len(text) > tail {
			text = strings.ToValidUTF8(text[len(text)-tail:], "")
		}
		lines := wrap(prose(text), t.width-2)
		lines = lines[max(len(lines)-(room-len(out)), 0):]
		for _, line := range lines {
			out = append(out, t.paint.faint("▏ "+line))
		}
	}
	return out[:min(len(out), room)]
}

// bottom is everything below: status, queue, hints and the line that is typed,
// with the place of the cursor in it.
func (m *chatScreen) bottom() ([]string, *tea.Cursor) {
	t := m.talk
	var out []string
	if text := t.starting(); text != "" {
		out = append(out, t.paint.faint(cutTo("… "+text, t.width)))
	}
	if t.busy() {
		words := "working " + seconds(t.now().Sub(t.began)) + " · ESC stops"
		if m.focus != focusInput {
			words = "working " + seconds(t.now().Sub(t.began)) + " · Ctrl-C stops"
		}
		if t.stopping {
			words = "stopping …"
		}
		out = append(out, t.paint.faint(cutTo(words, t.width)))
	}
	for i, q := range t.queue {
		if i == 3 {
			out = append(out, t.paint.faint(fmt.Sprintf("… and %d more queued", len(t.queue)-i)))
			break
		}
		out = append(out, t.paint.faint(cutTo("queued: "+Printable(begun(q.shown, t.width)), t.width)))
	}
	if m.focus == focusLine {
		if m.form != nil {
			out = append(out, m.form.prompt(t.width)...)
			if !m.form.armed {
				out = append(out, t.paint.faint("keys count as soon as you stop typing"))
			}
		} else {
			out = append(out, "Reason for the model (ENTER keeps it, ESC goes back):")
		}
		return edited(out, m.line, m.hint)
	}
	if m.focus == focusCard {
		// The keys belong to the card; the text that was begun is kept.
		if text := m.input.Value(); text != "" {
			out = append(out, t.paint.faint(cutTo("❯ "+Printable(text), t.width)))
		}
		return out, nil
	}
	return edited(out, m.input, m.hint)
}

// begun is as much of a text as one line can show.
func begun(text string, width int) string {
	return strings.ToValidUTF8(text[:min(len(text), 4*width)], "")
}

// edited adds the text that is edited, with its cursor, and a hint below it.
func edited(above []string, e textarea.Model, hint string) ([]string, *tea.Cursor) {
	cursor := e.Cursor()
	if cursor != nil {
		cursor.Y += len(above)
	}
	out := append(above, strings.Split(e.View(), "\n")...)
	if hint != "" {
		out = append(out, hint)
	}
	return out, cursor
}
