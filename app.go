package main

import (
	"errors"

	"hermes/backend/desk"
	"hermes/backend/view"
)

// App is the object bound to the page in the window. Every method hands on to
// desk; the same table of methods is served over loopback HTTP by package web.
type App struct {
	desk *desk.Desk
	// choose asks a person where to save a file of that name; empty is nowhere. It
	// is nil without a window.
	choose func(name string) (string, error)
}

// Overview tells where the program stands before anything is started.
func (a *App) Overview() (view.Overview, error) { return a.desk.Overview() }

// Servers lists every configured server with its rules in words.
func (a *App) Servers() (view.ServerList, error) { return a.desk.Servers() }

// Server gives one server with its tools.
func (a *App) Server(name string) (view.ServerDetail, error) { return a.desk.Server(name) }

// Findings audits the file: what a person should look at, with evidence of lost
// locks.
func (a *App) Findings() (view.Audit, error) { return a.desk.Findings() }

// Arrival tells what is different for a home that comes from Hermes Agent.
func (a *App) Arrival() (view.Arrival, error) { return a.desk.Arrival() }

// SetTool turns one tool on or off in the file.
func (a *App) SetTool(edit view.ToolEdit) (view.EditResult, error) { return a.desk.SetTool(edit) }

// Lock writes an empty whitelist for a server.
func (a *App) Lock(edit view.ServerEdit) (view.EditResult, error) { return a.desk.Lock(edit) }

// Open removes a server's filter, or accepts the file of one that is held.
func (a *App) Open(edit view.ServerEdit) (view.EditResult, error) { return a.desk.Open(edit) }

// Select makes all choices over one server's tools in one edit.
func (a *App) Select(selection view.Selection) (view.EditResult, error) {
	return a.desk.Select(selection)
}

// Restore writes the keys of a held server back that are gone from the file.
func (a *App) Restore(edit view.ServerEdit) (view.EditResult, error) { return a.desk.Restore(edit) }

// Why explains the verdict on one tool.
func (a *App) Why(server, tool string) (view.Why, error) { return a.desk.Why(server, tool) }

// Catalog lists the servers that can be installed by name.
func (a *App) Catalog() (view.Catalog, error) { return a.desk.Catalog() }

// InstallPlan tells what an install would do; it writes and starts nothing.
func (a *App) InstallPlan(request view.InstallRequest) (view.InstallPlan, error) {
	return a.desk.InstallPlan(request)
}

// InstallEntry installs a server of the catalogue.
func (a *App) InstallEntry(request view.InstallRequest) (view.Installed, error) {
	return a.desk.InstallEntry(request)
}

// Start lets the configured servers start; it is the click after the first
// look at a home.
func (a *App) Start() error { return a.desk.Start() }

// Look connects to one server for a look at its tools, also to a locked one.
func (a *App) Look(name string) (view.ServerDetail, error) { return a.desk.Look(name) }

// Changes are the tools whose definition is not the one that was accepted.
func (a *App) Changes() (view.Changes, error) { return a.desk.Changes() }

// AcceptChanges accepts definitions as they were shown.
func (a *App) AcceptChanges(wish view.AcceptChanges) (view.Changes, error) {
	return a.desk.AcceptChanges(wish)
}

// Retry tries a server at once that failed, is parked or waits for a sign-in.
func (a *App) Retry(server string) error { return a.desk.Retry(server) }

// ReloadNow reads the file again at once and retries what failed.
func (a *App) ReloadNow() (view.Reloaded, error) { return a.desk.ReloadNow() }

// Glance looks whether the file is still the one in force.
func (a *App) Glance() error { return a.desk.Glance() }

// Measure is the session of one server with the memory and CPU of its processes.
func (a *App) Measure(server string) (view.Connection, error) { return a.desk.Measure(server) }

// UseHome leaves the embedded default for the user's own home.
func (a *App) UseHome() (view.Overview, error) { return a.desk.UseHome() }

// ChatSend starts a turn; an empty session opens a new one. Its events arrive
// as signals.
func (a *App) ChatSend(session, text string) (view.ChatStart, error) {
	return a.desk.ChatSend(session, text)
}

// ChatStop stops the running turn of a session.
func (a *App) ChatStop(session string) error { return a.desk.ChatStop(session) }

// Questions are those that wait for a person, oldest first.
func (a *App) Questions() (view.Questions, error) { return a.desk.Questions() }

// AnswerQuestion answers one; the first answer counts.
func (a *App) AnswerQuestion(answer view.Answer) (view.Answered, error) {
	return a.desk.AnswerQuestion(answer)
}

// Sessions lists the stored sessions.
func (a *App) Sessions() ([]view.SessionRow, error) { return a.desk.Sessions() }

// Transcript gives a stored session as events.
func (a *App) Transcript(session string) (view.Transcript, error) { return a.desk.Transcript(session) }

// SearchPast looks for words in everything that was said.
func (a *App) SearchPast(query string) ([]view.SessionRow, error) { return a.desk.SearchPast(query) }

// ForgetSession removes a stored session for good.
func (a *App) ForgetSession(session string) error { return a.desk.ForgetSession(session) }

// SessionFile gives a stored session as the JSON text of its export.
func (a *App) SessionFile(session string) (string, error) { return a.desk.SessionFile(session) }

// SaveSession asks a person for a file and writes a stored session into it. It
// tells whether that was done; a browser saves by itself.
func (a *App) SaveSession(session string) (bool, error) {
	if a.choose == nil {
		return false, errors.New("there is no window that could ask for a file")
	}
	path, err := a.choose("hermes-" + session + ".json")
	if err != nil || path == "" {
		return false, err
	}
	return true, a.desk.SaveSession(session, path)
}

// Grants lists what people said yes to for more than one call.
func (a *App) Grants() (view.Grants, error) { return a.desk.Grants() }

// RevokeGrant takes a yes back and gives what is left.
func (a *App) RevokeGrant(ids []int64) (view.Grants, error) { return a.desk.RevokeGrant(ids) }

// Hooks lists the hooks of the file and whether each may run.
func (a *App) Hooks() (view.HooksList, error) { return a.desk.Hooks() }

// HookLook shows one hook with what its files hold.
func (a *App) HookLook(pick view.HookPick) (view.HookLook, error) { return a.desk.HookLook(pick) }

// TrustSeen lets a hook run with the files a person was shown.
func (a *App) TrustSeen(wish view.HookTrust) (view.HookChange, error) { return a.desk.TrustSeen(wish) }

// ForgetHook takes the trust in a hook back.
func (a *App) ForgetHook(pick view.HookPick) (view.HookChange, error) { return a.desk.ForgetHook(pick) }

// Report takes the page's word that it is interactive.
func (a *App) Report(report view.PageReport) error { return a.desk.Report(report) }

// Signals exists so that the generated types include the event's.
func (a *App) Signals() []view.Signal { return []view.Signal{} }
