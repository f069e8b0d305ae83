package web

import (
	"context"
	"io/fs"
	"log/slog"

	"hermes/backend/view"
)

// Facts are the methods that only tell.
type Facts interface {
	Overview() (view.Overview, error)
	Servers() (view.ServerList, error)
	Server(name string) (view.ServerDetail, error)
	Why(server, tool string) (view.Why, error)
	Findings() (view.Audit, error)
	Arrival() (view.Arrival, error)
}

// Edits are the methods that write the file.
type Edits interface {
	SetTool(edit view.ToolEdit) (view.EditResult, error)
	Lock(edit view.ServerEdit) (view.EditResult, error)
	Open(edit view.ServerEdit) (view.EditResult, error)
	Restore(edit view.ServerEdit) (view.EditResult, error)
	Select(selection view.Selection) (view.EditResult, error)
}

// Catalogue are the methods about servers that can be installed by name.
type Catalogue interface {
	Catalog() (view.Catalog, error)
	InstallPlan(request view.InstallRequest) (view.InstallPlan, error)
	InstallEntry(request view.InstallRequest) (view.Installed, error)
}

// Life are the methods that start something or take the page's word.
type Life interface {
	Start() error
	Look(name string) (view.ServerDetail, error)
	UseHome() (view.Overview, error)
	Report(report view.PageReport) error
}

// Running are the methods about the servers that run.
type Running interface {
	Retry(server string) error
	Measure(server string) (view.Connection, error)
	ReloadNow() (view.Reloaded, error)
	Glance() error
}

// Definitions are the methods about tools whose definition changed.
type Definitions interface {
	Changes() (view.Changes, error)
	AcceptChanges(wish view.AcceptChanges) (view.Changes, error)
}

// Chat are the methods of the Chat place, and the questions a person is asked.
type Chat interface {
	ChatSend(session, text string) (view.ChatStart, error)
	ChatStop(session string) error
	Sessions() ([]view.SessionRow, error)
	Transcript(session string) (view.Transcript, error)
	Questions() (view.Questions, error)
	AnswerQuestion(answer view.Answer) (view.Answered, error)
}

// Kept are the methods about what is kept of the past: what was said, and the
// yes of a person that counts for more than one call.
type Kept interface {
	SearchPast(query string) ([]view.SessionRow, error)
	ForgetSession(session string) error
	SessionFile(session string) (string, error)
	Grants() (view.Grants, error)
	RevokeGrant(ids []int64) (view.Grants, error)
}

// Hooks are the methods about the programs that are asked about tool calls.
type Hooks interface {
	Hooks() (view.HooksList, error)
	HookLook(pick view.HookPick) (view.HookLook, error)
	TrustSeen(wish view.HookTrust) (view.HookChange, error)
	ForgetHook(pick view.HookPick) (view.HookChange, error)
}

// Signals hands out the small events that the page listens to. The channel is
// closed when ctx ends, and also when the reader is too slow: the page then
// subscribes again and asks for everything anew.
type Signals interface {
	Subscribe(ctx context.Context) <-chan view.Signal
}

// Results hands out the whole of a tool result that an event only previews. An
// unknown session or call is an error that wraps fs.ErrNotExist.
type Results interface {
	Result(ctx context.Context, session, call string) ([]byte, error)
}

// Options say what is served, to whom and where. Facts, Edits, Catalogue, Life,
// Running, Definitions, Chat, Kept, Hooks, Signals and Results must be set; one object may be all of them.
type Options struct {
	// Addr is host:port; empty means 127.0.0.1:0, a free port.
	Addr string
	// AllowRemote permits an address that other machines reach. It needs a
	// Password of at least MinPassword characters.
	AllowRemote bool
	// Password takes the place of the ticket when it is set.
	Password string
	// Hosts are further names, without port, under which a remote browser may
	// ask. Address literals need not be named: they cannot be rebound.
	Hosts []string

	// Page holds the built page with index.html at its root. Without that file
	// the server explains how to build it.
	Page fs.FS

	Facts     Facts
	Edits     Edits
	Catalogue Catalogue
	Life      Life
	Running   Running
	// Definitions are set like the others.
	Definitions Definitions

	Chat    Chat
	Kept    Kept
	Hooks   Hooks
	Signals Signals
	Results Results

	// Fail turns an error into what people are shown. Without it an error is
	// its own message with the code "failed".
	Fail func(error) view.Error
	// Logger is for the program's own log; nil is silent.
	Logger *slog.Logger
}

// MinPassword is the shortest password that opens a remote address, in
// characters.
const MinPassword = 12

func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Fail == nil {
		o.Fail = func(err error) view.Error {
			return view.Error{Code: codeFailed, Message: err.Error()}
		}
	}
	return o
}
