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

// taints remember of which servers this process brought results into conversations,
// beside what is stored of them: a result counts before its row is written. The zero
// value knows none.
type taints struct {
	mu       sync.Mutex
	sessions map[string]map[string]bool
}

// add notes a result of a server, if what came back may be the server's words.
func (t *taints) add(session, server string, status message.Status) {
	if !answered(status) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sessions == nil {
		t.sessions = map[string]map[string]bool{}
	}
	if t.sessions[session] == nil {
		t.sessions[session] = map[string]bool{}
	}
	t.sessions[session][server] = true
}

// of are the servers that answered in a session, as this process saw it.
func (t *taints) of(session string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.sessions[session]))
}

// answered tells that a result of this status may hold a server's words.
func answered(status message.Status) bool {
	return status == message.StatusOK || status == message.StatusError || status == message.StatusUnknown
}

// unreadHistory stands for servers of which it is not known whether they answered.
const unreadHistory = "(a history that cannot be read)"

// tainted names an untrusted server whose result a conversation holds, empty for
// none. The store is asked each time: another process may have gone on with the
// conversation meanwhile. A server that is not configured any more cannot be vouched
// for.
func (h *Host) tainted(ctx context.Context, sessions *store.Store, session string) string {
	names, err := sessions.Answering(context.WithoutCancel(ctx), session)
	if err != nil {
		return unreadHistory
	}
	names = append(names, h.taints.of(session)...)
	slices.Sort(names)
	snap := h.file.Current()
	for _, name := range slices.Compact(names) {
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
