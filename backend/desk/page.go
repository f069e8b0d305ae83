package desk

import (
	"io"

	"hermes/backend/view"
)

// Findings audits the home's own file for the page.
func (d *Desk) Findings() (view.Audit, error) { return d.Audit(d.ctx, false) }

// InstallEntry installs a server of the catalogue for the page, which shows no
// output of a build.
func (d *Desk) InstallEntry(request view.InstallRequest) (view.Installed, error) {
	return d.Install(d.ctx, request, io.Discard)
}
