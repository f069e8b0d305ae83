package host

import (
	"context"
	"maps"
	"slices"
	"sync"

	"hermes/backend/agent"
	"hermes/backend/message"
	"hermes/backend/registry"
	"hermes/backend/store"
)

// taints remember of which servers each conversation holds results. The zero
// value knows none.
type taints struct {
	mu       sync.Mutex
	sessions map[string]*results
}

// results are the servers that answered in one conversation; read tells that what
// was stored before this program began is among them.
type results struct {
	servers map[string]bool
	read    bool
}

// of gives the results of a session; the lock is held.
func (t *taints) of(session string) *results {
	if t.sessions == nil {
		t.sessions = map[string]*results{}
	}
	if t.sessions[session] == nil {
		t.sessions[session] = &results{servers: map[string]bool{}}
	}
	return t.sessions[session]
}

// add notes a result of a server, if what came back may be the server's words.
func (t *taints) add(session, server string, status message.Status) {
	if !answered(status) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(session).servers[server] = true
}

// answered tells that a result of this status may hold a server's words.
func answered(status message.Status) bool {
	return status == message.StatusOK || status == message.StatusError || status == message.StatusUnknown
}

// unreadHistory stands for servers of which it is not known whether they answered.
const unreadHistory = "(a history that cannot be read)"

// tainted names an untrusted server whose result a conversation holds, empty for
// none. One that is not configured any more cannot be vouched for.
func (h *Host) tainted(ctx context.Context, sessions *store.Store, session string) string {
	h.taints.mu.Lock()
	defer h.taints.mu.Unlock()
	known := h.taints.of(session)
	if !known.read {
		rows, err := sessions.Rows(context.WithoutCancel(ctx), session)
		if err != nil {
			return unreadHistory
		}
		known.read = true
		maps.Copy(known.servers, answering(rows))
	}
	snap := h.file.Current()
	for _, name := range slices.Sorted(maps.Keys(known.servers)) {
		server, ok := snap.Server(name)
		if !ok && name == registry.Connector && snap.Settings.Connectors.Trusted {
			continue
		}
		if !ok || server.Untrusted {
			return name
		}
	}
	return ""
}

// answering are the servers whose results stored rows hold.
func answering(rows []store.Row) map[string]bool {
	servers, out := map[string]string{}, map[string]bool{}
	for _, row := range rows {
		for _, call := range row.ToolCalls {
			servers[call.ID] = call.Target.Server
		}
		if server := servers[row.ToolCallID]; row.Role == message.RoleTool && server != "" && answered(row.Status) {
			out[server] = true
		}
	}
	return out
}

// aware notes before each pass what the model has read by then: its calls follow
// from that, not from what their siblings bring meanwhile.
type aware struct {
	agent.Model
	gate *gate
}

// Stream is one pass.
func (r aware) Stream(ctx context.Context, request agent.Request, onText func(string)) (agent.Turn, error) {
	taint := r.gate.host.tainted(ctx, r.gate.store, r.gate.session)
	r.gate.mu.Lock()
	r.gate.taint = &taint
	r.gate.mu.Unlock()
	return r.Model.Stream(ctx, request, onText)
}

// tainted names the untrusted server whose result the model had read when it made
// the calls that are judged now.
func (g *gate) tainted(ctx context.Context) string {
	g.mu.Lock()
	taint := g.taint
	g.mu.Unlock()
	if taint != nil {
		return *taint
	}
	return g.host.tainted(ctx, g.store, g.session)
}
