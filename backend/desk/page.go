package desk

import "hermes/backend/view"

// Findings audits the home's own file for the page.
func (d *Desk) Findings() (view.Audit, error) { return d.Audit(d.ctx, false) }
