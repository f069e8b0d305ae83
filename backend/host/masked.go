package host

import (
	"slices"
	"strings"

	"hermes/backend/guard"
	"hermes/backend/message"
)

// What is stored of a conversation is stored as it was said: a vendor takes its own
// blocks back only so. What is shown of it has no secret that is known to be one.

// masking is the sink of one turn that takes known secrets out of what is shown,
// also where pieces of a stream part one. Events come one at a time.
type masking struct {
	host *Host
	sink func(message.Event)
	// held is the end of what was streamed, in which a secret may have begun.
	held string
}

func (m *masking) say(e message.Event) {
	switch {
	case e.Type == message.EventText && e.Provisional:
		m.piece(e.Text)
	case e.Type == message.EventNotice || e.Type == message.EventProgress:
		// They come between pieces: what is held would be told in two parts.
		m.sink(m.host.shown(e))
	default:
		m.flush()
		m.sink(m.host.shown(e))
	}
}

func (m *masking) piece(text string) {
	text = m.held + text
	known := m.host.redactor().Exactly()
	at := known.Begun(text)
	m.held = text[at:]
	m.tell(known, text[:at])
}

// flush tells the end of a stream: nothing follows that could make a secret of it.
func (m *masking) flush() {
	text := m.held
	m.held = ""
	m.tell(m.host.redactor().Exactly(), text)
}

func (m *masking) tell(known *guard.Redactor, text string) {
	if text != "" {
		m.sink(message.Event{Type: message.EventText, Text: known.Redact(text), Provisional: true})
	}
}

// shown is an event without known secrets.
func (h *Host) shown(e message.Event) message.Event {
	mask := h.redactor().Exactly().Redact
	e.Text = mask(e.Text)
	e.Said = maskSaid(mask, e.Said)
	switch e.Type {
	case message.EventToolCall:
		e.Call = maskCall(mask, e.Call)
	case message.EventProgress:
		e.Progress.ID, e.Progress.Text = mask(e.Progress.ID), mask(e.Progress.Text)
	case message.EventToolResult:
		e.Result.ID, e.Result.Content, e.Result.Said = mask(e.Result.ID), mask(e.Result.Content), maskSaid(mask, e.Result.Said)
	case message.EventApproval:
		e.Approval.Calls = slices.Clone(e.Approval.Calls)
		for i, call := range e.Approval.Calls {
			e.Approval.Calls[i] = maskCall(mask, call)
		}
	}
	return e
}

func maskCall(mask func(string) string, c message.CallEvent) message.CallEvent {
	return message.CallEvent{ID: mask(c.ID), Name: mask(c.Name), Server: c.Server, Tool: mask(c.Tool), Arguments: mask(c.Arguments)}
}

func maskSaid(mask func(string) string, said []message.Saying) []message.Saying {
	said = slices.Clone(said)
	for i, s := range said {
		said[i].Text, said[i].Params = mask(s.Text), slices.Clone(s.Params)
		for n, param := range s.Params {
			said[i].Params[n] = mask(param)
		}
	}
	return said
}

// minShownStart is how much of the beginning of a secret is too much, in bytes.
const minShownStart = 4

// MaskCut is MaskKnown for a text that was cut somewhere, such as a title: also the
// beginning of a secret at its end goes.
func (h *Host) MaskCut(text string) string {
	known := h.redactor().Exactly()
	begins, cut := strings.CutSuffix(known.Redact(text), "…")
	if at := known.Begun(begins); len(begins)-at >= minShownStart {
		return begins[:at] + "…"
	}
	if cut {
		begins += "…"
	}
	return begins
}
