package desk

import (
	"time"

	"hermes/backend/view"
)

// meant refuses what calls tools, starts servers or takes what waits in a program
// that a server or a hook started, while an agent is at work on the home in
// another process or something waits there: a start is a person's action, and
// takes the file as it stands, only where a person made it. The processes that
// can be asked look at the file first, so that a change nobody noticed yet waits
// in them before this program counts on it.
func (d *Desk) meant() error {
	by := descendantOf(d.options.Getenv)
	if by == "" {
		return nil
	}
	h := d.current()
	busy := h.LookNow(d.ctx)
	waiting := h.WaitingElsewhere()
	switch {
	case len(waiting) > 0:
		p := waiting[0]
		return Fail(view.Error{Code: "refused",
			Message: "the configuration was changed while the agent was at work, and a program that " + starterName(by) + " started does not take it: " + p.Message,
			Hint:    "start it yourself, in a terminal of your own", File: p.File, Line: p.Line}, nil)
	case busy:
		return Fail(view.Error{Code: "refused",
			Message: "an agent is at work on " + h.Home().Dir + ", or a change of its configuration waits, and a program that " + starterName(by) + " started begins nothing there meanwhile",
			Hint:    "start it yourself, in a terminal of your own, or once the agent is done"}, nil)
	}
	return nil
}

// asks is meant for a question. To lift the asking is a person's word as well as an
// answer is.
func (d *Desk) asks(ask Ask) error {
	if err := d.meant(); err != nil || !ask.Yolo {
		return err
	}
	return d.mine("have calls allowed without asking (--yolo)")
}

// MayServe refuses to serve the page from a program that a server or a hook
// started: whoever holds its address speaks as a person.
func (d *Desk) MayServe() error { return d.mine("serve the page") }

// typed is when a person typed; a program that a server or a hook started has
// none.
func (d *Desk) typed(at time.Time) time.Time {
	if descendantOf(d.options.Getenv) != "" {
		return time.Time{}
	}
	return at
}
