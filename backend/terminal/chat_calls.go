package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes/backend/view"
)

// call is one tool call of the chat. number is what people call it by.
type call struct {
	number                 int
	id, name, server, tool string
	arguments              string
	began                  time.Time
	waits                  bool // for a person
	progress               string
	status                 string // empty while it runs
	first                  string
	took                   time.Duration
}

// label names a call by its server and tool, or by the name that the model used.
func (c *call) label() string {
	if c.server == "" {
		return Printable(c.name)
	}
	return Printable(c.server) + "/" + Printable(c.tool)
}

func (t *talk) find(id string) *call {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if t.calls[i].id == id {
			return t.calls[i]
		}
	}
	return nil
}

func (t *talk) call(e view.ChatEvent) {
	// Text before the calls is stored with them; what was shown of it is over.
	t.pieces.Reset()
	t.calls = append(t.calls, &call{number: len(t.calls) + 1, id: e.ID, name: e.Name, server: e.Server, tool: e.Tool, arguments: e.Arguments, began: t.now()})
	if t.lines {
		t.say(t.line("→", t.calls[len(t.calls)-1], ""))
	}
}

// waits notes which calls wait for a person, and from when on they do not.
func (t *talk) waits(e view.ChatEvent) {
	for _, waiting := range e.Calls {
		if c := t.find(waiting.ID); c != nil && c.status == "" {
			c.waits = !e.Settled
			c.began = t.now()
		}
	}
}

func (t *talk) result(e view.ChatEvent) {
	c := t.find(e.ID)
	if c == nil || c.status != "" {
		return
	}
	c.status, c.took, c.waits = e.Status, t.now().Sub(c.began), false
	c.first = firstWords(e.Content, e.Status)
	for _, other := range t.calls[t.group:] {
		if other.status == "" {
			return
		}
	}
	t.finished()
}

// firstWords are the beginning of a result: one line of one that went well, more
// of one that says why not.
func firstWords(content, status string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(content), "\n")
	limit := 160
	if status != "ok" {
		limit = 600
	}
	first = Printable(shorten(first, limit))
	if more && strings.TrimSpace(rest) != "" && !strings.HasSuffix(first, "…") {
		first += " …"
	}
	return first
}

// finished says the lines of the calls that are not said yet, in the order of the
// calls. One that still runs keeps its place on the live screen.
func (t *talk) finished() {
	group := t.calls[t.group:]
	over := 0
	for _, c := range group {
		if c.status == "" {
			return
		}
		over++
	}
	if over == 0 {
		return
	}
	if over > 1 {
		t.part(t.paint.bold(fmt.Sprintf("%d calls", over)))
	} else if !t.blank {
		t.say("")
	}
	for _, c := range group {
		t.say(t.ended(c)...)
	}
	t.group = len(t.calls)
}

// ended is a call with its result.
func (t *talk) ended(c *call) []string {
	mark, word := t.paint.good("✓"), ""
	if c.status != "ok" {
		mark, word = t.paint.bad("✗"), " "+t.paint.bad(Printable(c.status))
	}
	tail := word + " " + t.paint.faint(short(c.took))
	lines := []string{t.line(mark, c, tail)}
	if c.first != "" {
		wide := indented("    ", c.first, t.width)
		if c.status == "ok" {
			wide = wide[:1]
		}
		lines = append(lines, wide...)
	}
	return lines
}

// live is a call that runs.
func (t *talk) live(c *call) string {
	tail := " " + t.paint.faint(seconds(t.now().Sub(c.began)))
	switch {
	case c.status != "":
		mark := t.paint.good("✓")
		if c.status != "ok" {
			mark = t.paint.bad("✗")
		}
		return t.line(mark, c, " "+t.paint.faint(Printable(c.status)))
	case c.waits:
		return t.line(t.paint.warn("?"), c, " "+t.paint.warn("waits for you"))
	case c.progress != "":
		tail = " " + shorten(c.progress, 40) + tail
	}
	return t.line(t.paint.code("●"), c, tail)
}

// line is one call in one line: what does not fit is cut off its arguments.
func (t *talk) line(mark string, c *call, tail string) string {
	head := mark + " #" + strconv.Itoa(c.number) + " " + t.paint.bold(c.label())
	room := t.width - cells(head) - cells(tail) - 1
	if room >= 8 && c.arguments != "" && c.arguments != "{}" {
		head += " " + t.paint.faint(cutTo(Printable(compact(c.arguments)), room))
	}
	return cutTo(head+tail, t.width)
}

// compact takes the white space out of JSON; what is none stays.
func compact(arguments string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(arguments)) != nil {
		return arguments
	}
	return b.String()
}

// pretty gives arguments line by line; hidden characters are shown.
func pretty(arguments string, width int) []string {
	var b bytes.Buffer
	text := arguments
	if json.Indent(&b, []byte(arguments), "", "  ") == nil {
		text = b.String()
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, hardWrap(Printable(line), width)...)
	}
	return out
}

// ends keeps the beginning and the end of lines, at most that many: what matters
// may stand at either. arguments is the whole of which they are.
func ends(lines []string, arguments string, limit int, way string) []string {
	if len(lines) <= limit {
		return lines
	}
	room := max(limit-1, 0)
	head, tail := lines[:room-room/2], lines[len(lines)-room/2:]
	left := len(lines) - room
	marker := fmt.Sprintf("… %s of %s not shown: %s", counted(left, "line", "lines"), counted(len(arguments), "byte", "bytes"), way)
	return append(append(slices.Clone(head), marker), tail...)
}

// progressed says how far a call is: in percent where the server knows its end,
// else in the server's own count.
func progressed(e view.ChatEvent) string {
	text := strconv.FormatFloat(e.Progress, 'f', -1, 64)
	if percent := e.Progress / e.Total * 100; e.Total > 0 && percent >= 0 && percent <= 100 {
		text = fmt.Sprintf("%.0f%%", percent)
	}
	if e.Text != "" {
		text += " " + Printable(e.Text)
	}
	return text
}
