package desk

import (
	"context"
	"errors"
	"io/fs"
	"time"
	"unicode/utf8"

	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/message"
	"hermes/backend/view"
)

// DemoQuestion is what `hermes demo` asks when nothing else is given.
const DemoQuestion = "Skim these files and file a ticket"

// previewLimit bounds the content of one event on its way to the page, in
// bytes; the whole is served under /data/.
const previewLimit = 16 << 10

// Ask is a one-shot question.
type Ask struct {
	Text  string
	Model string
	// Effort is a level of reasoning (ParseEffort); empty leaves it to the file.
	Effort string
	Resume string
	Yolo   bool
	// Typed is when the person handed the text to the program, when they pressed
	// Enter. Zero is not known to be typed, and takes nothing of what waits.
	Typed time.Time
}

// Efforts are the words for a level of reasoning.
func Efforts() []string { return config.Efforts() }

// ParseEffort reads a word for a level of reasoning; false is none.
func ParseEffort(word string) (string, bool) { return config.ParseEffort(word) }

// Ask runs one turn and hands every event to sink, in order, from the calling
// goroutine. It waits for the enabled servers up to the start limit of the file.
func (d *Desk) Ask(ctx context.Context, ask Ask, sink func(view.ChatEvent)) error {
	if err := d.asks(ask); err != nil {
		return err
	}
	h := d.current()
	turn := host.Turn{Session: ask.Resume, Text: ask.Text, Model: ask.Model, Effort: ask.Effort, Yolo: ask.Yolo, Wait: true, Typed: d.typed(ask.Typed)}
	_, err := h.Ask(ctx, turn, func(session string, event message.Event) {
		sink(chatView(session, event, 0))
	})
	return err
}

// ChatSend starts a turn; an empty session opens a new one. Its events arrive
// as signals.
func (d *Desk) ChatSend(session, text string) (view.ChatStart, error) {
	typed := time.Now()
	if err := d.meant(); err != nil {
		return view.ChatStart{}, err
	}
	id, err := d.current().Send(host.Turn{Session: session, Text: text, Typed: d.typed(typed)})
	return view.ChatStart{Session: id}, err
}

// Say starts a turn in the background like ChatSend, with the model and the
// freedom that ask names; ask.Resume is the session, empty opens a new one.
func (d *Desk) Say(ask Ask) (view.ChatStart, error) {
	if err := d.asks(ask); err != nil {
		return view.ChatStart{}, err
	}
	id, err := d.current().Send(host.Turn{Session: ask.Resume, Text: ask.Text, Model: ask.Model, Effort: ask.Effort, Yolo: ask.Yolo, Source: "cli", Typed: d.typed(ask.Typed)})
	return view.ChatStart{Session: id}, err
}

// ChatStop stops the running turn of a session; without one it does nothing.
func (d *Desk) ChatStop(session string) error {
	d.current().Stop(session)
	return nil
}

// Result gives the whole of a tool result that an event only previews. An
// unknown session or call is an error that wraps fs.ErrNotExist.
func (d *Desk) Result(ctx context.Context, session, call string) ([]byte, error) {
	events, err := d.current().Replay(ctx, session)
	if err != nil {
		return nil, errors.Join(fs.ErrNotExist, err)
	}
	for _, e := range events {
		if e.Event.Type == message.EventToolResult && e.Event.Result.ID == call {
			return []byte(e.Event.Result.Content), nil
		}
	}
	return nil, fs.ErrNotExist
}

// chatView turns one event of a turn into what people are shown; limit cuts
// long content, 0 leaves it whole.
func chatView(session string, e message.Event, limit int) view.ChatEvent {
	out := view.ChatEvent{Type: string(e.Type), Session: session, Text: e.Text}
	switch e.Type {
	case message.EventNotice, message.EventError:
		out.Said = saidViews(e.Said)
	case message.EventText:
		out.Provisional = e.Provisional
	case message.EventToolCall:
		out.ID, out.Name, out.Server, out.Tool = e.Call.ID, e.Call.Name, e.Call.Server, e.Call.Tool
		out.Arguments, _ = cut(e.Call.Arguments, limit)
	case message.EventApproval:
		approvalView(&out, e.Approval, limit)
	case message.EventProgress:
		out.ID, out.Progress, out.Total, out.Text = e.Progress.ID, e.Progress.Done, e.Progress.Total, e.Progress.Text
	case message.EventToolResult:
		out.ID, out.Status = e.Result.ID, string(e.Result.Status)
		out.Content, out.Truncated = cut(e.Result.Content, limit)
		if out.Truncated {
			out.Size = len(e.Result.Content)
		}
		out.Said = saidViews(resultSaid(e.Result))
	case message.EventDone:
		out.Session = e.Done.Session
		out.Messages, out.ModelPasses, out.ToolCalls = e.Done.Messages, e.Done.ModelPasses, e.Done.ToolCalls
		out.StopReason = string(e.Done.StopReason)
		out.Usage = usageView(e.Done.Usage, e.Done.Cost, e.Done.Priced)
	}
	return out
}

// cut shortens text at a rune.
func cut(text string, limit int) (string, bool) {
	if limit == 0 || len(text) <= limit {
		return text, false
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit], true
}
