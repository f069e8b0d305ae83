package desk

import (
	"io"

	"hermes/backend/native"
	"hermes/backend/view"
)

// Findings audits the home's own file for the page.
func (d *Desk) Findings() (view.Audit, error) { return d.Audit(d.ctx, false) }

// InstallEntry installs a server of the catalogue for the page, which shows no
// output of a build.
func (d *Desk) InstallEntry(request view.InstallRequest) (view.Installed, error) {
	return d.Install(d.ctx, request, io.Discard)
}

// SearchPast is SearchSessions for the page, with the program's own limit.
func (d *Desk) SearchPast(query string) ([]view.SessionRow, error) { return d.SearchSessions(query, 0) }

// ForgetSession is DeleteSession for the page.
func (d *Desk) ForgetSession(session string) error { return d.DeleteSession(d.ctx, session) }

// SessionFile is ExportSession for the page: JSON text (view.SessionExport).
func (d *Desk) SessionFile(session string) (string, error) {
	data, err := d.ExportSession(d.ctx, session, false)
	return string(data), err
}

// SaveSession writes the export of a session into a file that a person chose; only
// they may read it. A link, or what is no regular file, is left alone.
func (d *Desk) SaveSession(session, path string) error {
	if err := d.mine("write into a file"); err != nil {
		return err
	}
	data, err := d.ExportSession(d.ctx, session, false)
	if err != nil {
		return err
	}
	if err := native.Replace(path, data); err != nil {
		return Fail(view.Error{Code: "failed", Message: "the conversation was not saved: " + err.Error(), Hint: "choose another place", File: path}, err)
	}
	return nil
}
