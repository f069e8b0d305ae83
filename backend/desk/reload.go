package desk

import (
	"context"

	"hermes/backend/view"
)

// ReloadNow reads the file again at once, tries again every server that failed
// or is parked, and reads the tool lists anew; what is healthy goes on. A file
// that cannot be read is an error with its place, and changes nothing.
func (d *Desk) ReloadNow() (view.Reloaded, error) {
	if err := d.meant(); err != nil {
		return view.Reloaded{}, err
	}
	r, err := d.current().ReloadNow(d.ctx)
	if err != nil {
		return view.Reloaded{}, err
	}
	return view.Reloaded{Revision: r.Revision, Changed: r.Changed, Retried: r.Retried, Servers: r.Servers, Tools: r.Tools}, nil
}

// Glance makes sure that what is shown is what stands in the file now; the page
// asks for it when its window gets the focus. It costs microseconds where
// nothing changed.
func (d *Desk) Glance() error {
	d.current().Glance(d.ctx)
	return nil
}

// AskReload asks every Hermes process that runs on this home to reload by force,
// which tries servers again: a program that a server or a hook started may not
// while an agent is at work there.
func (d *Desk) AskReload(ctx context.Context) (view.ReloadAsked, error) {
	if err := d.meant(); err != nil {
		return view.ReloadAsked{}, err
	}
	d.current().TakeWaiting(ctx) // a person's word alone; of others it takes nothing
	answered, silent, err := d.current().AskReload(ctx)
	out := view.ReloadAsked{Answered: []int{}, Failed: []view.ReloadFailed{}, Silent: []int{}}
	for _, a := range answered {
		if a.Message == "" {
			out.Answered = append(out.Answered, a.Process)
			continue
		}
		out.Failed = append(out.Failed, view.ReloadFailed{Process: a.Process, Message: a.Message, File: a.File, Line: a.Line, Column: a.Column})
	}
	out.Silent = append(out.Silent, silent...)
	return out, err
}
