package web_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"hermes/backend/view"
	"hermes/backend/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk answers the page's methods and remembers what reached it.
type desk struct {
	mu    sync.Mutex
	calls []string
	fail  error
	panic bool

	signals chan view.Signal
	// listening gets one value for each subscription, ended for each end.
	listening, ended chan struct{}
}

func newDesk() *desk {
	return &desk{
		signals:   make(chan view.Signal),
		listening: make(chan struct{}, 8),
		ended:     make(chan struct{}, 8),
	}
}

func (d *desk) note(format string, args ...any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, fmt.Sprintf(format, args...))
	if d.panic {
		panic("the desk fell over")
	}
	return d.fail
}

func (d *desk) seen() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.calls...)
}

func (d *desk) Overview() (view.Overview, error) {
	return view.Overview{Version: "1.2.3"}, d.note("Overview")
}
func (d *desk) Servers() (view.ServerList, error) {
	return view.ServerList{Servers: []view.Server{{Name: "demo"}}}, d.note("Servers")
}
func (d *desk) Server(name string) (view.ServerDetail, error) {
	return view.ServerDetail{Revision: "r7", Tree: "AQI="}, d.note("Server %s", name)
}
func (d *desk) Why(server, tool string) (view.Why, error) {
	return view.Why{Server: server, Tool: tool}, d.note("Why %s %s", server, tool)
}
func (d *desk) Findings() (view.Audit, error)  { return view.Audit{}, d.note("Findings") }
func (d *desk) Arrival() (view.Arrival, error) { return view.Arrival{}, d.note("Arrival") }
func (d *desk) SetTool(e view.ToolEdit) (view.EditResult, error) {
	return view.EditResult{Server: e.Server, Changed: true}, d.note("SetTool %s %s on=%t at %s", e.Server, e.Tool, e.On, e.Revision)
}
func (d *desk) Lock(e view.ServerEdit) (view.EditResult, error) {
	return view.EditResult{}, d.note("Lock %s at %s", e.Server, e.Revision)
}
func (d *desk) Open(e view.ServerEdit) (view.EditResult, error) {
	return view.EditResult{}, d.note("Open %s at %s", e.Server, e.Revision)
}
func (d *desk) Restore(e view.ServerEdit) (view.EditResult, error) {
	return view.EditResult{}, d.note("Restore %s at %s", e.Server, e.Revision)
}

func (d *desk) Select(s view.Selection) (view.EditResult, error) {
	return view.EditResult{}, d.note("Select %s %q lock=%t at %s", s.Server, s.On, s.LockTo, s.Revision)
}
func (d *desk) Catalog() (view.Catalog, error) { return view.Catalog{}, d.note("Catalog") }
func (d *desk) InstallPlan(r view.InstallRequest) (view.InstallPlan, error) {
	return view.InstallPlan{}, d.note("InstallPlan %s", r.Name)
}
func (d *desk) InstallEntry(r view.InstallRequest) (view.Installed, error) {
	return view.Installed{}, d.note("InstallEntry %s with %d values, confirmed=%t at %s", r.Name, len(r.Values), r.Confirmed, r.Revision)
}
func (d *desk) Start() error { return d.note("Start") }
func (d *desk) Look(name string) (view.ServerDetail, error) {
	return view.ServerDetail{}, d.note("Look %s", name)
}
func (d *desk) Retry(server string) error { return d.note("Retry %s", server) }
func (d *desk) Measure(server string) (view.Connection, error) {
	return view.Connection{PID: 7, MemoryBytes: 1 << 20}, d.note("Measure %s", server)
}
func (d *desk) Changes() (view.Changes, error) { return view.Changes{}, d.note("Changes") }
func (d *desk) AcceptChanges(wish view.AcceptChanges) (view.Changes, error) {
	return view.Changes{}, d.note("AcceptChanges %s %q %v", wish.Server, wish.Tools, wish.Now)
}
func (d *desk) UseHome() (view.Overview, error) { return view.Overview{}, d.note("UseHome") }
func (d *desk) Report(r view.PageReport) error  { return d.note("Report loaded=%t", r.PolicyLoaded) }
func (d *desk) ChatSend(session, text string) (view.ChatStart, error) {
	return view.ChatStart{Session: session}, d.note("ChatSend %s %q", session, text)
}
func (d *desk) ChatStop(session string) error { return d.note("ChatStop %s", session) }
func (d *desk) Sessions() ([]view.SessionRow, error) {
	return []view.SessionRow{}, d.note("Sessions")
}
func (d *desk) Transcript(session string) (view.Transcript, error) {
	return view.Transcript{Session: session}, d.note("Transcript %s", session)
}

func (d *desk) Questions() (view.Questions, error) {
	return view.Questions{Questions: []view.Question{{ID: "q1"}}}, d.note("Questions")
}
func (d *desk) AnswerQuestion(a view.Answer) (view.Answered, error) {
	return view.Answered{ID: a.ID, Accepted: true}, d.note("AnswerQuestion %s %s %s", a.ID, a.Action, a.Content)
}

func (d *desk) Subscribe(ctx context.Context) <-chan view.Signal {
	out := make(chan view.Signal)
	d.listening <- struct{}{}
	go func() {
		defer func() { d.ended <- struct{}{} }()
		defer close(out)
		for {
			select {
			case <-ctx.Done():
				return
			case s, open := <-d.signals:
				if !open {
					return
				}
				select {
				case out <- s:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}

func (d *desk) Result(_ context.Context, session, call string) ([]byte, error) {
	if session == "s1" && call == "call/1" {
		return []byte("<script>alert(1)</script>"), nil
	}
	if call == "broken" {
		return nil, errors.New("disk: secret path")
	}
	return nil, fmt.Errorf("result: %w", fs.ErrNotExist)
}

var errConflict = errors.New("conflict")

func page() fs.FS {
	return fstest.MapFS{
		"index.html":         {Data: []byte(`<meta property="csp-nonce" nonce="__CSP_NONCE__">`)},
		"policy.wasm":        {Data: []byte("\x00asm")},
		"assets/app-1234.js": {Data: []byte("export {}")},
		".gitkeep":           {},
	}
}

// options serves d on a free port.
func options(d *desk) web.Options {
	return web.Options{
		Page: page(), Facts: d, Edits: d, Catalogue: d, Life: d, Running: d, Definitions: d, Chat: d, Kept: d, Hooks: d, Signals: d, Results: d,
		Fail: func(err error) view.Error {
			code := "failed"
			if errors.Is(err, errConflict) {
				code = "conflict"
			}
			return view.Error{Code: code, Message: err.Error(), Hint: "look again", File: "config.yaml", Line: 12}
		},
	}
}

func (d *desk) ReloadNow() (view.Reloaded, error) {
	return view.Reloaded{Changed: []string{"demo"}, Retried: []string{}}, d.note("ReloadNow")
}
func (d *desk) Glance() error { return d.note("Glance") }

func (d *desk) SearchPast(query string) ([]view.SessionRow, error) {
	return []view.SessionRow{}, d.note("SearchPast %q", query)
}
func (d *desk) ForgetSession(session string) error { return d.note("ForgetSession %s", session) }
func (d *desk) SessionFile(session string) (string, error) {
	return "{}", d.note("SessionFile %s", session)
}
func (d *desk) Grants() (view.Grants, error) { return view.Grants{}, d.note("Grants") }
func (d *desk) RevokeGrant(ids []int64) (view.Grants, error) {
	return view.Grants{}, d.note("RevokeGrant %v", ids)
}

func (d *desk) Hooks() (view.HooksList, error) {
	return view.HooksList{Hooks: []view.Hook{{Index: 1, Command: "guard.sh"}}}, nil
}

func (d *desk) HookLook(pick view.HookPick) (view.HookLook, error) {
	return view.HookLook{Name: pick.Command}, nil
}

func (d *desk) TrustSeen(wish view.HookTrust) (view.HookChange, error) {
	return view.HookChange{Hook: view.Hook{Command: wish.Pick.Command}, Changed: true}, nil
}

func (d *desk) ForgetHook(pick view.HookPick) (view.HookChange, error) {
	return view.HookChange{Hook: view.Hook{Command: pick.Command}, Changed: true}, nil
}
