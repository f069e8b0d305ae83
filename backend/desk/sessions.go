package desk

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"hermes/backend/message"
	"hermes/backend/store"
	"hermes/backend/view"
)

// foundLimit is how many sessions a search gives where nothing else is said.
const foundLimit = 50

// sessions gives the store, nil where nothing was stored yet: looking makes no
// file.
func (d *Desk) sessions() (*store.Store, error) {
	h := d.current()
	if !h.HasSessions() {
		return nil, nil
	}
	return h.Sessions()
}

// SessionsLacking tells whether the home cannot be written and its sessions can
// only be read without what was said last.
func (d *Desk) SessionsLacking() bool {
	sessions, err := d.sessions()
	return err == nil && sessions != nil && sessions.Lacking(d.ctx)
}

// Sessions lists the stored sessions, newest first. Where nothing was stored
// yet it makes no file.
func (d *Desk) Sessions() ([]view.SessionRow, error) {
	rows := []view.SessionRow{}
	sessions, err := d.sessions()
	if sessions == nil || err != nil {
		return rows, err
	}
	stored, err := sessions.Sessions(d.ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range stored {
		rows = append(rows, d.sessionRow(s))
	}
	return rows, nil
}

// sessionRow is a session without known secrets.
func (d *Desk) sessionRow(s store.Session) view.SessionRow {
	row := view.SessionRow{Session: s.ID, Title: d.current().MaskCut(s.Title), Source: s.Source, Model: s.Model, Messages: s.Messages,
		Started: s.Created.UTC().Format(time.RFC3339), Updated: s.Updated.UTC().Format(time.RFC3339)}
	if s.Usage != (message.Usage{}) {
		row.Usage = &view.Usage{InputTokens: s.Usage.InputTokens, OutputTokens: s.Usage.OutputTokens, CacheRead: s.Usage.CacheRead, CacheWrite: s.Usage.CacheWrite}
		if s.Priced {
			row.Usage.Cost = &s.Cost
		}
	}
	return row
}

// SearchSessions looks for words in everything that was said, the best session
// first; a limit below 1 is that of the program.
func (d *Desk) SearchSessions(query string, limit int) ([]view.SessionRow, error) {
	if limit < 1 {
		limit = foundLimit
	}
	rows := []view.SessionRow{}
	sessions, err := d.sessions()
	if sessions == nil || err != nil {
		return rows, err
	}
	found, err := sessions.SearchShown(d.ctx, query, limit, d.current().MaskKnown)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		row := d.sessionRow(f.Session)
		row.Match = f.Snippet
		rows = append(rows, row)
	}
	return rows, nil
}

// deletePrefix is how much of an id names a session that is to be deleted, in
// characters: a digit that was typed for a count names none.
const deletePrefix = 4

// Doomed gives the session a person means to delete: as Session, but never by
// less than the first four characters of its id.
func (d *Desk) Doomed(word string) (view.SessionRow, error) {
	if err := d.mine("delete what was said"); err != nil {
		return view.SessionRow{}, err
	}
	if word != store.LastWord && utf8.RuneCountInString(word) < deletePrefix {
		return view.SessionRow{}, Fail(view.Error{Code: "failed", Message: fmt.Sprintf("%q is too short to name a session that is deleted for good; nothing was deleted", word),
			Hint: fmt.Sprintf("give its id, or at least the first %d characters of it; 'hermes sessions list' shows them", deletePrefix)}, store.ErrUnknownSession)
	}
	return d.Session(word)
}

// Session gives the session a person means: its id, the beginning of one, or
// "last".
func (d *Desk) Session(word string) (view.SessionRow, error) {
	found, err := d.findSession(word)
	return d.sessionRow(found), err
}

func (d *Desk) findSession(word string) (store.Session, error) {
	sessions, err := d.sessions()
	if err != nil {
		return store.Session{}, err
	}
	if sessions == nil {
		return store.Session{}, Fail(view.Error{Code: "failed", Message: "no session was stored in this home yet",
			Hint: "chat first, or choose another home with --profile or HERMES_HOME"}, store.ErrUnknownSession)
	}
	return sessions.Find(d.ctx, word)
}

// Transcript gives a stored session as events, as a page shows it again.
func (d *Desk) Transcript(session string) (view.Transcript, error) {
	return d.transcript(session, previewLimit)
}

// WholeTranscript is Transcript with nothing cut.
func (d *Desk) WholeTranscript(session string) (view.Transcript, error) {
	return d.transcript(session, 0)
}

func (d *Desk) transcript(session string, limit int) (view.Transcript, error) {
	h := d.current()
	out := view.Transcript{Session: session, Events: []view.ChatEvent{}, Running: h.Running(session)}
	events, err := h.Replay(d.ctx, session)
	if err != nil {
		return out, err
	}
	for _, e := range events {
		shown := chatView(session, e.Event, limit)
		if e.Role == message.RoleUser {
			shown.Type = "user"
			if out.Title == "" {
				out.Title = shown.Text
			}
		}
		out.Events = append(out.Events, shown)
	}
	return out, nil
}

// ExportSession gives a stored session as JSON (view.SessionExport) without the
// secrets that are known by now, or, verbatim, with everything as it is stored; that
// is for a person alone.
func (d *Desk) ExportSession(ctx context.Context, word string, verbatim bool) ([]byte, error) {
	if verbatim {
		if err := d.mine("have what was said with the secrets in it"); err != nil {
			return nil, err
		}
	}
	found, err := d.findSession(word)
	if err != nil {
		return nil, err
	}
	sessions, err := d.current().Sessions()
	if err != nil {
		return nil, err
	}
	h := d.current()
	mask := store.Mask{Text: h.MaskKnown, Cut: h.MaskCut}
	if verbatim {
		mask = store.Mask{}
	}
	return sessions.ExportShown(ctx, found.ID, mask)
}

// DeleteSession removes a stored session for good. One whose turn runs, here or
// in another program, stays; so does any where a server's own child asks for it.
func (d *Desk) DeleteSession(ctx context.Context, session string) error {
	if err := d.mine("delete what was said"); err != nil {
		return err
	}
	found, err := d.findSession(session)
	if err != nil {
		return err
	}
	sessions, err := d.current().Sessions()
	if err != nil {
		return err
	}
	err = sessions.DeleteSession(ctx, found.ID)
	if errors.Is(err, store.ErrBusy) {
		return Fail(view.Error{Code: "failed", Message: "session " + found.ID + " is not deleted: a turn of it runs, here or in another Hermes",
			Hint: "stop the turn or wait for its end"}, err)
	}
	return err
}
