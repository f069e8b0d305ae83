package desk

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/mcp"
	"hermes/backend/pin"
	"hermes/backend/policy"
	"hermes/backend/registry"
	"hermes/backend/view"
)

// Servers lists every configured server with its rules in words. It connects
// to nothing.
func (d *Desk) Servers() (view.ServerList, error) {
	h := d.current()
	snap := h.Snapshot()
	list := view.ServerList{Config: configView(snap), Servers: []view.Server{}}
	if p, wrong := h.PinProblem(false); wrong {
		list.Config.Problems = append(list.Config.Problems, problemView(p))
	}
	others := elsewhere(h)
	if problem, still := stillInForce(snap, others); still {
		list.Config.Problems = append(list.Config.Problems, problem)
	}
	list.Config.Problems = append(list.Config.Problems, problemViews(h.WaitingElsewhere())...)
	for i := range snap.Servers {
		server := &snap.Servers[i]
		shown := serverView(h, snap, server, h.Brief(server.Name))
		borrow(&shown, server, others[server.Name])
		list.Servers = append(list.Servers, shown)
	}
	return list, nil
}

// Server gives one server with its tools, as far as they are known.
func (d *Desk) Server(name string) (view.ServerDetail, error) {
	h := d.current()
	snap := h.Snapshot()
	server, err := find(snap, name)
	if err != nil {
		return view.ServerDetail{}, err
	}
	return detailView(h, snap, server, h.Status(name)), nil
}

// Look connects to one server for a look at its tools, also to a locked one,
// and stops it again.
func (d *Desk) Look(name string) (view.ServerDetail, error) { return d.LookContext(d.ctx, name) }

// LookContext is Look that ends with ctx.
func (d *Desk) LookContext(ctx context.Context, name string) (view.ServerDetail, error) {
	h := d.current()
	snap := h.Snapshot()
	server, err := find(snap, name)
	if err != nil {
		return view.ServerDetail{}, err
	}
	if err := d.meant(); err != nil {
		return view.ServerDetail{}, err
	}
	status, err := h.Look(ctx, name)
	if err != nil {
		return view.ServerDetail{}, Fail(view.Error{Code: "failed", Message: name + ": " + err.Error(),
			Hint: "the entry is at " + snap.Path + ":" + strconv.Itoa(server.Line), File: snap.Path, Line: server.Line, Column: server.Column}, err)
	}
	return detailView(h, snap, server, status), nil
}

// find gives a configured server, or the error with the names there are.
func find(snap *config.Snapshot, name string) (*config.Server, error) {
	if server, ok := snap.Server(name); ok {
		return server, nil
	}
	if snap.Broken {
		problem := snap.Problems[len(snap.Problems)-1]
		return nil, Fail(view.Error{Code: "failed", Message: problem.Message, Hint: problem.Hint, File: problem.File, Line: problem.Line, Column: problem.Column}, config.ErrUnknownServer)
	}
	hint := "no servers are configured in " + snap.Path
	if names := snap.Names(); len(names) > 0 {
		hint = "available: " + strings.Join(names, ", ")
	}
	return nil, Fail(view.Error{Code: "unknown_server", Message: "server '" + name + "' not found in config", Hint: hint, File: snap.Path}, config.ErrUnknownServer)
}

func configView(snap *config.Snapshot) view.Config {
	out := view.Config{Path: snap.Path, Revision: snap.Revision, Problems: problemViews(snap.Problems)}
	warn := func(code, message string, line int) {
		out.Problems = append(out.Problems, view.Problem{Severity: view.SeverityWarning, Code: code, Params: []string{}, Message: message,
			Hint: "`hermes mcp why SERVER TOOL` tells for one tool", File: snap.Path, Line: line})
	}
	if hooks := snap.Restrictions.Hooks; len(hooks) > 0 {
		warn("gate.hooks", "hooks decide about calls; one that fails, or that nobody trusts, blocks what it matches (`hermes hooks list`)", hooks[0].Line)
	}
	if len(snap.Restrictions.Deny) > 0 {
		warn("gate.deny", "the calls that a glob of approvals.deny matches are refused", 0)
	}
	return out
}

func problemViews(problems []config.Problem) []view.Problem {
	out := make([]view.Problem, 0, len(problems))
	for _, p := range problems {
		out = append(out, problemView(p))
	}
	return out
}

func problemView(p config.Problem) view.Problem {
	return view.Problem{Severity: view.Severity(p.Severity), Code: p.Code, Params: list(p.Params), Message: p.Message, Hint: p.Hint, File: p.File, Line: p.Line, Column: p.Column}
}

func policyProblems(problems []policy.Problem, file string) []view.Problem {
	out := make([]view.Problem, 0, len(problems))
	for _, p := range problems {
		out = append(out, view.Problem{Severity: view.Severity(p.Severity), Code: p.Code, Params: list(p.Params), Message: p.Message, Hint: p.Hint, File: file, Line: p.Line, Column: p.Column})
	}
	return out
}

func wordsView(w policy.Words) view.Words {
	return view.Words{Code: w.Code, Params: list(w.Params), Text: w.Text}
}

// list keeps a list from becoming null in JSON.
func list(items []string) []string {
	if items == nil {
		return []string{}
	}
	return items
}

func rulesView(rules policy.Rules, file string, names []string, known bool) view.Rules {
	out := view.Rules{
		State: string(rules.State()), Held: rules.IsHeld(), Locked: rules.Locked(),
		Words: rules.List().Text, List: wordsView(rules.List()), Row: wordsView(rules.Row()), Panel: wordsView(rules.Panel(names, known)),
		Patterns: list(rules.Patterns()), Resources: rules.Resources(), Prompts: rules.Prompts(),
		Problems: policyProblems(rules.Problems(), file),
	}
	if rules.IsHeld() {
		says := rules.File()
		out.File = &view.FileRules{State: string(says.State()), Words: says.List().Text}
		out.Hold = holdView(rules)
	}
	return out
}

// holdView shows what is held against the file, and what the file says in its
// place.
func holdView(rules policy.Rules) *view.Hold {
	lost := policy.Restriction{State: policy.StateOpen, Lost: rules.Lost()}
	out := &view.Hold{Since: rules.HeldSince(), Was: rules.Lost()[0].List().Text, Keys: []string{}, Texts: []string{}, Present: []string{},
		Waits: rules.OnlyWaits(), Ways: []string{"open", "lock"}}
	if out.Waits {
		return out
	}
	lost.Lost = slices.DeleteFunc(lost.Lost, func(t policy.Restriction) bool { return t.Waits })
	out.Was, out.Texts = lost.Lost[0].List().Text, list(lost.Texts())
	there := rules.Standing(lost)
	for _, one := range there {
		out.Present = append(out.Present, one.Text)
	}
	for _, key := range lost.Keys() {
		if !slices.ContainsFunc(there, func(one policy.Standing) bool { return one.Stands(key) }) {
			out.Keys = append(out.Keys, key)
		}
	}
	if len(there) == 0 && rules.State() != policy.StateInvalid {
		out.Ways = append(out.Ways, "restore")
	}
	return out
}

// seen tells whether the server's tools are known.
func seen(status mcp.Status) bool {
	return status.State == mcp.StateConnected || len(status.Tools) > 0
}

func toolNames(tools []mcp.Tool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

func liveView(rules policy.Rules, names []string, known bool) view.Live {
	if !known {
		return view.Live{Unmatched: []string{}, New: []string{}}
	}
	count := rules.Live(names)
	return view.Live{Known: true, Allowed: count.Allowed, Total: count.Total, Unmatched: list(count.Unmatched), New: []string{}}
}

func serverView(h *host.Host, snap *config.Snapshot, server *config.Server, status mcp.Status) view.Server {
	names, known := toolNames(status.Tools), seen(status)
	state, reason := serverStatus(h, snap, server, status)
	shown := view.Server{
		Name: server.Name, Transport: server.Conn.Transport, Target: server.Conn.Target(),
		Enabled: server.Enabled, Status: state, Reason: reason, Line: server.Line,
		Tools:      rulesView(server.Rules, snap.Path, names, known),
		Live:       pinView(liveView(server.Rules, names, known), server.Rules, h.Marks(server.Name), names),
		Connection: connectionView(server, status),
		Problems:   problemViews(server.Problems),
	}
	if server.Untrusted && server.Enabled && snap.Restrictions.ApprovalMode != config.ApprovalOff {
		shown.Problems = append(shown.Problems, view.Problem{Severity: view.SeverityWarning, Code: "server.untrusted", Params: []string{},
			Message: "the server is not trusted: a person is asked about each of its tools, and a call is refused where nobody can be asked",
			Hint:    "write `trust: full` for it if you trust it", File: snap.Path, Line: server.Line})
	}
	return shown
}

// configuredStatus says what the file makes of a server, without a look at its
// connection.
func configuredStatus(snap *config.Snapshot, server *config.Server) (view.ServerStatus, string) {
	ok, problem := snap.MayRun(server.Name)
	switch {
	case ok && server.Hold != nil:
		held := server.HeldProblem(snap.Path)
		return view.StatusHeld, held.Message + "; " + held.Hint
	case ok:
		return view.StatusReady, ""
	case problem.Code == config.CodeDisabled, problem.Code == config.CodeBlocked:
		return view.StatusDisabled, problem.Message
	case problem.IsHeld(), problem.Code == config.CodeWaits:
		return view.StatusHeld, problem.Message + "; " + problem.Hint
	case problem.Code == config.CodeLocked:
		return view.StatusLocked, server.Rules.Panel(nil, false).Text
	}
	return view.StatusInvalid, problem.Message
}

// serverStatus says the state of a server: first what the file makes of it,
// then what its connection does.
func serverStatus(h *host.Host, snap *config.Snapshot, server *config.Server, status mcp.Status) (view.ServerStatus, string) {
	if ok, _ := snap.MayRun(server.Name); !ok || !h.Started() && status.State == "" {
		return configuredStatus(snap, server)
	}
	return connectedStatus(status), connectedReason(server.Name, status)
}

func detailView(h *host.Host, snap *config.Snapshot, server *config.Server, status mcp.Status) view.ServerDetail {
	detail := view.ServerDetail{
		Server: serverView(h, snap, server, status), Revision: snap.Revision,
		Version: status.Version, Protocol: status.Protocol,
		Tree:  base64.StdEncoding.EncodeToString(snap.Policy.Encode(server.Name)),
		Tools: toolViews(snap, server, status, h.Marks(server.Name)), Log: list(h.Log(server.Name)),
	}
	return detail
}

// toolViews are the tools that were seen, in the server's order, then the names
// that stand in the file and were not.
func toolViews(snap *config.Snapshot, server *config.Server, status mcp.Status, marks map[string]pin.Brief) []view.Tool {
	public := registry.PublicNames(snap.Names(), server.Name, toolNames(status.Tools))
	seen := map[string]bool{}
	out := []view.Tool{}
	add := func(tool mcp.Tool, wasSeen bool) {
		verdict, mark := server.Rules.Tool(tool.Name), marks[tool.Name]
		out = append(out, view.Tool{
			Server: server.Name, Name: tool.Name, Public: public[tool.Name], Title: tool.Title, Description: tool.Description,
			Allowed: verdict.Allowed, Reason: wordsView(verdict.Reason), Line: verdict.Line, Seen: wasSeen,
			HeldBy: server.Rules.HeldBy(tool.Name), ReadOnly: hint(tool.ReadOnly), Destructive: hint(tool.Destructive),
			New: mark.New && wasSeen, Changed: mark.Changed && wasSeen, Quarantine: mark.Refused,
		})
	}
	for _, tool := range status.Tools {
		seen[tool.Name] = true
		add(tool, true)
	}
	for _, name := range server.Rules.Names() {
		if !seen[name] {
			seen[name] = true
			add(mcp.Tool{Name: name}, false)
		}
	}
	return out
}

func hint(word *bool) view.Hint {
	switch {
	case word == nil:
		return view.HintUnknown
	case *word:
		return view.HintYes
	}
	return view.HintNo
}

// ToolsList gives the rules of every server and the tools they name.
func (d *Desk) ToolsList() (view.ToolsList, error) {
	h := d.current()
	snap := h.Snapshot()
	// Rules are shown also where the grants cannot be read; `hermes mcp grants` says why.
	granted, _ := d.Grants()
	out := view.ToolsList{Config: configView(snap), Servers: []view.ToolsRow{}, Connectors: d.connectors(snap, granted.Grants)}
	for i := range snap.Servers {
		server := &snap.Servers[i]
		status := h.Status(server.Name)
		names, marks := toolNames(status.Tools), h.Marks(server.Name)
		out.Servers = append(out.Servers, view.ToolsRow{Server: server.Name,
			Rules: rulesView(server.Rules, snap.Path, names, seen(status)),
			Live:  pinView(liveView(server.Rules, names, seen(status)), server.Rules, marks, names),
			Tools: toolViews(snap, server, status, marks), Grants: grantsOf(granted.Grants, server.Name)})
	}
	return out, nil
}
