package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes/backend/desk"
	"hermes/backend/view"
)

// talk is a conversation without a screen: what was said, what runs, what waits.
// The live screen and the line mode both own one; it is not safe for concurrent
// use. What it says is collected and taken by its owner.
type talk struct {
	ctx   context.Context // ends with the chat
	desk  *desk.Desk
	paint paint
	now   func() time.Time
	width int
	lines bool // line by line: there is no live part that shows what runs

	session, model, effort string
	yolo                   bool

	sending  bool // a turn was asked for, and its start was not heard of yet
	running  bool
	stopping bool
	halted   bool // the stop was asked for
	leaving  bool
	began    time.Time
	early    []view.ChatEvent // events from before the start of the turn was heard of
	pieces   strings.Builder  // of the answer that is not stored yet
	calls    []*call
	group    int // where the calls begin whose lines are not said yet
	queue    []queued
	back     string // queued text that a stop gave back
	open     []view.Question
	mine     map[string]bool // questions answered here
	told     map[string]telling
	unfit    map[string]string // what was wrong with an answer
	servers  []view.Server
	beside   *Aside // nil for none

	said  []string
	blank bool // the line before is empty
}

// queued is a text that waits for its turn, and when it was typed: it answers
// nothing that was shown later.
type queued struct {
	text, shown string // shown is how people read it
	typed       time.Time
}

// job is work that may take a while. It touches nothing of the talk; what it
// gives is applied by the owner.
type job func() func(*talk)

func newTalk(ctx context.Context, d *desk.Desk, p paint, width int) *talk {
	return &talk{ctx: ctx, desk: d, paint: p, now: time.Now, width: width, mine: map[string]bool{}, told: map[string]telling{}, unfit: map[string]string{}, blank: true}
}

// say adds lines to what is to be shown.
func (t *talk) say(lines ...string) {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, "\n") {
			t.said = append(t.said, part)
			t.blank = part == ""
		}
	}
}

// part adds lines with an empty one before them.
func (t *talk) part(lines ...string) {
	if !t.blank {
		t.say("")
	}
	t.say(lines...)
}

// tell says one sentence, wrapped.
func (t *talk) tell(format string, args ...any) {
	t.say(wrap(fmt.Sprintf(format, args...), t.width)...)
}

// take gives what was said since it was asked last.
func (t *talk) take() []string {
	out := t.said
	t.said = nil
	return out
}

// fail says what went wrong, where, and what to do next.
func (t *talk) fail(err error) {
	var shown view.Error
	if err == nil {
		return
	}
	shown = desk.ErrorView(err)
	text := t.paint.bad("✗ ") + Passage(shown.Message)
	if at := placed(shown.File, shown.Line, shown.Column); at != "" {
		text += "\n  at " + Printable(at)
	}
	if shown.Hint != "" {
		text += "\n  " + Passage(shown.Hint)
	}
	t.say(wrap(text, t.width)...)
}

func placed(file string, line, column int) string {
	switch {
	case file == "" || line == 0:
		return file
	case column == 0:
		return fmt.Sprintf("%s:%d", file, line)
	}
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// busy tells that a text that is sent now has to wait.
func (t *talk) busy() bool { return t.running || t.sending }

// ask sends a text, or queues it while a turn runs. The job is nil then.
func (t *talk) ask(text string) job { return t.askShown(text, text) }

func (t *talk) send(q queued) job {
	if t.busy() {
		t.queue = append(t.queue, q)
		return nil
	}
	text := q.text
	if t.lines {
		// What was typed stands on the screen already.
		t.blank = false
	} else {
		t.part(indented(t.paint.bold("❯ "), t.paint.bold(Passage(q.shown)), t.width)...)
	}
	t.sending, t.stopping, t.halted, t.began = true, false, false, t.now()
	t.pieces.Reset()
	d, ask := t.desk, desk.Ask{Text: text, Model: t.model, Effort: t.effort, Resume: t.session, Yolo: t.yolo, Typed: q.typed}
	return func() func(*talk) {
		err := begin(d)
		var start view.ChatStart
		if err == nil {
			start, err = d.Say(ask)
		}
		if err == nil {
			_ = d.Keep(text)
		}
		return func(t *talk) { t.sent(start.Session, err) }
	}
}

// begin lets the servers of a home start, where that was not done yet. A home
// without a file has none, and nothing is written into it for a look.
func begin(d *desk.Desk) error {
	overview, err := d.Overview()
	if err != nil || overview.Started || !d.Paths().Exists {
		return err
	}
	return d.Start()
}

// sent learns which session a turn belongs to, and hears what came meanwhile.
func (t *talk) sent(session string, err error) {
	t.sending = false
	early := t.early
	t.early = nil
	if err != nil {
		t.stopping = false
		t.giveBack()
		t.fail(err)
		return
	}
	t.session, t.running = session, true
	for _, event := range early {
		t.hear(event)
	}
}

// giveBack puts the queue into the hands of the person again.
func (t *talk) giveBack() {
	if len(t.queue) > 0 {
		texts := make([]string, len(t.queue))
		for i, q := range t.queue {
			texts[i] = q.text
		}
		t.back, t.queue = strings.Join(texts, "\n"), nil
	}
}

// next gives the job of the oldest queued text, nil for none.
func (t *talk) next() job {
	if t.busy() || len(t.queue) == 0 {
		return nil
	}
	q := t.queue[0]
	t.queue = t.queue[1:]
	if t.lines {
		t.part(indented("> ", Passage(q.text), t.width)...)
	}
	return t.send(q)
}

// stop stops the turn. Where its session is not known yet, the stop follows when
// it is.
func (t *talk) stop() job {
	if t.busy() {
		t.stopping = true
	}
	return t.halt()
}

// halt is the stop that is wanted and was not asked for yet, nil for none.
func (t *talk) halt() job {
	if !t.running || !t.stopping || t.halted {
		return nil
	}
	t.halted = true
	d, session := t.desk, t.session
	return func() func(*talk) {
		err := d.ChatStop(session)
		return func(t *talk) { t.fail(err) }
	}
}

// hear takes one event of a turn.
func (t *talk) hear(e view.ChatEvent) {
	switch {
	case t.sending:
		// Also of the session that goes on: a turn that ends before its start was
		// heard of has ended all the same.
		t.early = append(t.early, e)
		return
	case e.Session != t.session || t.session == "":
		return
	}
	switch e.Type {
	case "text":
		t.text(e)
	case "tool_call":
		t.call(e)
	case "progress":
		if c := t.find(e.ID); c != nil && c.status == "" {
			c.progress = progressed(e)
		}
	case "approval":
		t.waits(e)
	case "tool_result":
		t.result(e)
	case "notice":
		t.finished()
		t.say(indented(t.paint.warn("! "), Passage(e.Text), t.width)...)
	case "error":
		t.finished()
		t.say(indented(t.paint.bad("✗ "), Passage(e.Text), t.width)...)
	case "done":
		t.done(e)
	}
}

func (t *talk) text(e view.ChatEvent) {
	if e.Provisional {
		t.pieces.WriteString(e.Text)
		return
	}
	t.pieces.Reset()
	t.finished()
	if strings.TrimSpace(e.Text) != "" {
		t.part(markdown(e.Text, t.width, t.paint)...)
	}
}

// done ends a turn: what is left of it is said, then what it took.
func (t *talk) done(e view.ChatEvent) {
	for _, c := range t.calls[t.group:] {
		if c.status == "" {
			c.status = "unknown"
		}
	}
	t.finished()
	if lost := strings.TrimSpace(t.pieces.String()); lost != "" {
		t.part(t.paint.faint("(not stored, and not part of the conversation:)"))
		for _, line := range wrap(prose(lost), t.width) {
			t.say(t.paint.faint(line))
		}
	}
	t.pieces.Reset()
	t.running, t.stopping = false, false
	if e.StopReason == "interrupted" {
		t.giveBack()
	}
	if words := Unfinished(e.StopReason); words != "" {
		t.say(t.paint.warn(words))
	}
	t.say(wrap(t.paint.faint(took(e, t.now().Sub(t.began))), t.width)...)
}

// Unfinished says why a turn did not end well, empty for one that did. stop is the
// stop_reason of its last event.
func Unfinished(stop string) string {
	switch stop {
	case "", "end":
		return ""
	case "interrupted":
		return "Stopped. What had not started was not sent."
	case "length":
		return "The answer was cut off: the model reached its limit of output."
	case "budget":
		return "The turn was ended: it used all the model passes it may."
	case "loop":
		return "The turn was ended: the same calls were repeated without progress."
	}
	return "The turn did not end well (" + Printable(stop) + ")."
}

// took is the line of what a turn took.
func took(e view.ChatEvent, time time.Duration) string {
	words := []string{short(time), counted(e.ModelPasses, "model pass", "model passes"), counted(e.ToolCalls, "call", "calls")}
	if u := e.Usage; u != nil {
		in := fmt.Sprintf("%s in", grouped(u.InputTokens))
		if u.CacheRead > 0 {
			in += fmt.Sprintf(" (%s cached)", grouped(u.CacheRead))
		}
		words = append(words, in, grouped(u.OutputTokens)+" out")
		if u.Cost != nil {
			words = append(words, fmt.Sprintf("$%.4f", *u.Cost))
		}
	}
	return "  " + strings.Join(words, " · ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// grouped writes a number with a comma between each three digits.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short writes a time the way a person reads it.
func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", max(d.Milliseconds(), 0))
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
}

// seconds writes a time that still runs.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return short(d)
}

// again is asked when signals were lost: what is stored says what was missed.
func (t *talk) again() job {
	d, session := t.desk, t.session
	if session == "" {
		return nil
	}
	return func() func(*talk) {
		stored, err := d.Transcript(session)
		return func(t *talk) {
			if err != nil || session != t.session {
				t.fail(err)
				return
			}
			t.catchUp(stored)
		}
	}
}

func (t *talk) catchUp(stored view.Transcript) {
	last := slices.IndexFunc(stored.Events, func(e view.ChatEvent) bool { return len(t.calls) > 0 && e.ID == t.calls[len(t.calls)-1].id })
	for i, event := range stored.Events {
		if event.Type == "tool_result" || event.Type == "tool_call" && t.find(event.ID) == nil || event.Type == "text" && i > last && t.running {
			t.hear(event)
		}
	}
	if t.running && !stored.Running {
		t.done(view.ChatEvent{})
	}
}
