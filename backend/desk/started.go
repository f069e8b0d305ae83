package desk

import "hermes/backend/view"

// meant refuses to let an agent or a client begin in a program that a server or a
// hook started, while a change of the configuration waits elsewhere on the home:
// a start is a person's action, and takes the file as it stands, only where a
// person made it.
func (d *Desk) meant() error {
	by := descendantOf(d.options.Getenv)
	if by == "" {
		return nil
	}
	waiting := d.current().WaitingElsewhere()
	if len(waiting) == 0 {
		return nil
	}
	p := waiting[0]
	return Fail(view.Error{Code: "refused",
		Message: "the configuration was changed while the agent was at work, and a program that " + starterName(by) + " started does not take it: " + p.Message,
		Hint:    "start it yourself, in a terminal of your own", File: p.File, Line: p.Line}, nil)
}
