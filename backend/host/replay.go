package host

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"hermes/backend/message"
	"hermes/backend/store"
)

// count keeps what a turn took. A fault of it is no fault of the turn.
func (h *Host) count(ctx context.Context, p prepared, done message.DoneEvent) {
	if done.Usage == (message.Usage{}) {
		return
	}
	if err := p.sessions.AddUsage(context.WithoutCancel(ctx), p.session, p.name, done.Usage, done.Cost, done.Priced); err != nil {
		h.options.Logger.Warn("the usage of the turn is not counted", "error", err)
	}
}

// Replayed is one stored row of a session as an event. Role tells a person's
// text from the model's.
type Replayed struct {
	Role  message.Role
	Event message.Event
}

// Replay gives a stored session as the events that showed it, without the secrets
// that are known by now. Where a summary
// stands for the rows before it, a notice of the program says so.
func (h *Host) Replay(ctx context.Context, session string) ([]Replayed, error) {
	sessions, err := h.Sessions()
	if err != nil {
		return nil, err
	}
	if _, begins := sessions.Promised(session); !begins && !h.HasSessions() {
		return nil, fmt.Errorf("%w: %s", store.ErrUnknownSession, session)
	}
	rows, err := sessions.Rows(ctx, session)
	if err != nil {
		return nil, err
	}
	out := []Replayed{}
	add := func(role message.Role, e message.Event) { out = append(out, Replayed{role, h.shown(e)}) }
	compacted := 0
	for _, row := range rows {
		if !row.Active && !row.Summary {
			compacted++
		}
		if row.Summary {
			add(message.RoleSystem, summarised(row, compacted))
			continue
		}
		if row.Role == message.RoleTool {
			add(row.Role, message.Event{Type: message.EventToolResult,
				Result: message.ResultEvent{ID: row.ToolCallID, Status: row.Status, Content: message.Unfence(row.Content)}})
			continue
		}
		if row.Content != "" {
			add(row.Role, message.Event{Type: message.EventText, Text: message.Unnoted(row.Content)})
		}
		for _, call := range row.ToolCalls {
			add(row.Role, message.Event{Type: message.EventToolCall, Call: stored(call)})
		}
	}
	return out, nil
}

// summarised says what a model reads in the place of earlier rows.
func summarised(row store.Row, rows int) message.Event {
	text, ok := row.Message.Summary()
	if !ok {
		text = message.Unnoted(row.Content)
	}
	if !row.Active {
		return message.Notice(message.SummaryReplaced, strconv.Itoa(rows))
	}
	return message.Notice(message.SummaryRead, strconv.Itoa(rows), strings.TrimSpace(text))
}

// stored is the event of a call as it was when it ran: what its name means
// today may be something else.
func stored(call message.ToolCall) message.CallEvent {
	name, arguments := call.Peel()
	if call.Target.Name != "" {
		name = call.Target.Name
	}
	return message.CallEvent{ID: call.ID, Name: name, Server: call.Target.Server, Tool: call.Target.Tool, Arguments: arguments}
}
