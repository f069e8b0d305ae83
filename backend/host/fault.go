package host

import (
	"context"
	"fmt"
	"runtime/debug"

	"hermes/backend/message"
)

// run answers a turn. A fault inside the program ends this turn with an error and its
// last event, and nothing else: other turns, servers and windows go on. What it left
// unfinished is settled when the session is used next.
func (h *Host) run(ctx context.Context, p prepared, sink func(message.Event)) (done message.DoneEvent, err error) {
	over := false
	tell := func(event message.Event) {
		defer h.caught(nil) // the fault may be the listener's
		sink(event)
	}
	defer func() {
		if err == nil || over {
			return
		}
		if fault, ok := err.(message.Failure); ok && fault.Code == message.TurnFaulted { //nolint:errorlint // it was made here
			done = message.DoneEvent{Session: p.session, StopReason: message.StopError}
			tell(message.Event{Type: message.EventError, Text: err.Error(), Said: []message.Saying{fault.Saying}})
			tell(message.Event{Type: message.EventDone, Done: done})
		}
	}()
	defer h.caught(&err)
	return h.runLoop(ctx, p, func(event message.Event) {
		over = over || event.Type == message.EventDone
		sink(event)
	})
}

// caught is deferred: it turns a fault of the program into an error. Where it came
// from stands in the log, without what is known to be secret.
func (h *Host) caught(err *error) {
	fault := recover()
	if fault == nil {
		return
	}
	h.options.Logger.Error("a turn failed inside the program", "fault", h.redact(fmt.Sprint(fault)), "stack", h.redact(string(debug.Stack())))
	if err != nil {
		*err = message.Fail(message.TurnFaulted)
	}
}
