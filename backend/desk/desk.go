package desk

import (
	"errors"

	"hermes/backend/view"
)

// Desk serves the faces.
type Desk struct{}

var errNotWired = errors.New("not wired")

func (d *Desk) Overview() (view.Overview, error)                { return view.Overview{}, errNotWired }
func (d *Desk) Servers() (view.ServerList, error)               { return view.ServerList{}, errNotWired }
func (d *Desk) Server(string) (view.ServerDetail, error)        { return view.ServerDetail{}, errNotWired }
func (d *Desk) SetTool(view.ToolEdit) (view.EditResult, error)  { return view.EditResult{}, errNotWired }
func (d *Desk) Lock(view.ServerEdit) (view.EditResult, error)   { return view.EditResult{}, errNotWired }
func (d *Desk) Open(view.ServerEdit) (view.EditResult, error)   { return view.EditResult{}, errNotWired }
func (d *Desk) Why(string, string) (view.Why, error)            { return view.Why{}, errNotWired }
func (d *Desk) Start() error                                    { return errNotWired }
func (d *Desk) Look(string) (view.ServerDetail, error)          { return view.ServerDetail{}, errNotWired }
func (d *Desk) UseHome() (view.Overview, error)                 { return view.Overview{}, errNotWired }
func (d *Desk) ChatSend(string, string) (view.ChatStart, error) { return view.ChatStart{}, errNotWired }
func (d *Desk) ChatStop(string) error                           { return errNotWired }
func (d *Desk) Sessions() ([]view.SessionRow, error)            { return nil, errNotWired }
func (d *Desk) Transcript(string) (view.Transcript, error)      { return view.Transcript{}, errNotWired }
func (d *Desk) Report(view.PageReport) error                    { return errNotWired }
