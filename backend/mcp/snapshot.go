package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"hermes/backend/config"
)

// Sync brings the servers in step with a snapshot and returns at once. A server
// whose connection did not change, nor the values of its variables, keeps its
// session, so a change of the rules restarts nothing; what snap.MayRun refuses
// never starts, and a running one finishes its calls and stops.
func (m *Manager) Sync(snap *config.Snapshot) {
	wants := make(map[string]want, len(snap.Servers))
	for i := range snap.Servers {
		wants[snap.Servers[i].Name] = m.wanted(snap, &snap.Servers[i])
	}
	m.apply(wants)
}

// wanted is what a snapshot asks for one server.
func (m *Manager) wanted(snap *config.Snapshot, server *config.Server) want {
	w := want{
		name: server.Name, conn: server.Conn, parallel: server.Parallel, trusted: !server.Untrusted,
		lazy:   server.Lazy && m.known != nil && m.known(server.Name),
		expand: expander(snap), edition: m.seal.edition(server.Entry, snap.EnvRevision()),
	}
	w.place = func(key string) string { return fmt.Sprintf(" (%s:%d)", snap.Path, server.KeyLine(key)) }
	if expanded, err := w.expand(server.Conn); err == nil {
		w.values = m.seal.values(expanded)
	}
	ok, problem := snap.MayRun(server.Name)
	if ok {
		w.run = true
		w.samples, w.elicits = server.Rules.SamplingWritten(), server.Rules.Elicitation().Allowed
		return w
	}
	w.reason = words(problem)
	switch problem.Code {
	case config.CodeLocked:
		w.state = StateLocked
	case config.CodeDisabled, config.CodeBlocked:
		w.state = StateDisabled
	default:
		w.state = StateInvalid
	}
	return w
}

// words says a problem with its place and the next step.
func words(p config.Problem) string {
	text := p.Message
	if p.Line > 0 {
		text += fmt.Sprintf(" (%s:%d)", p.File, p.Line)
	}
	if p.Hint != "" {
		text += "; " + p.Hint
	}
	return text
}

// expander fills in variables from the snapshot; its error names the next step.
func expander(snap *config.Snapshot) func(config.Connection) (config.Connection, error) {
	return func(c config.Connection) (config.Connection, error) {
		out, err := snap.Expand(c)
		var refused *config.Refused
		if errors.As(err, &refused) && refused.Hint != "" {
			return out, fmt.Errorf("%w; %s", err, refused.Hint)
		}
		return out, err
	}
}

// Look answers what a server offers, as a person asked for it: also for a
// locked, invalid or disabled one, which is started for this look only and
// stopped again. A restriction above the server (config.CodeBlocked) still
// holds. A running server is not started twice; one that failed is tried, and
// if that works its supervision goes on at once.
func (m *Manager) Look(ctx context.Context, snap *config.Snapshot, server string) (Status, error) {
	entry, ok := snap.Server(server)
	if !ok {
		return Status{}, fmt.Errorf("%w: %q", config.ErrUnknownServer, server)
	}
	if reason := heldBack(snap, entry); reason != "" {
		return Status{}, fmt.Errorf("looking at %q: %s", server, reason)
	}
	if m.Status(server).State == StateReady {
		m.Retry(server)
	}
	m.Wait(ctx, []string{server})
	status := m.Status(server)
	if status.State == StateConnected {
		return status, nil
	}
	if err := ctx.Err(); err != nil {
		return status, fmt.Errorf("looking at %q: %w", server, err)
	}
	status, err := m.visit(ctx, m.wanted(snap, entry))
	if err != nil {
		return Status{}, fmt.Errorf("looking at %q: %w", server, err)
	}
	m.Retry(server)
	return status, nil
}

// heldBack says what keeps a server from being looked at, "" for nothing: a
// restriction above the servers (DESIGN invariant 12), which MayRun names only
// for a server that nothing else keeps from running, or an entry that looks like
// an attack, which not even a look may start.
func heldBack(snap *config.Snapshot, server *config.Server) string {
	if ok, problem := snap.MayRun(server.Name); !ok && problem.Code == config.CodeBlocked {
		return words(problem)
	}
	for _, problem := range server.Problems {
		if problem.Code == config.CodeSuspicious {
			return words(problem)
		}
	}
	r := snap.Restrictions
	switch {
	case r.SafeMode:
		return "HERMES_SAFE_MODE is set: no MCP server runs; unset the variable"
	case r.ClientOff:
		return "`mcp.client: false`: no MCP server runs; write `mcp: {client: true}` or remove the key"
	case r.StdioOff && server.Conn.Transport == config.TransportStdio:
		return "`mcp.stdio_servers: false`: servers that are programs do not run; write `mcp: {stdio_servers: true}` or remove the key"
	case r.Limited && !slices.Contains(r.Servers, server.Name):
		return "`platform_toolsets.cli` names the servers that may run, and this one is not among them; add its name there"
	case slices.Contains(r.Disabled, server.Name), slices.Contains(r.Disabled, "mcp-"+server.Name):
		return "`agent.disabled_toolsets` names the server; remove the name there"
	}
	return ""
}

var errClosed = errors.New("the program is ending")

// visit runs one session of its own and returns what it found.
func (m *Manager) visit(ctx context.Context, w want) (Status, error) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return Status{}, errClosed
	}
	m.work.Add(1)
	log := m.logOf(w.name)
	m.mu.Unlock()
	defer m.work.Done()
	life, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.life, cancel)()
	c := &connector{dialer: m.dialer, log: log, memory: m.memory}
	// Looking at a server is no reason for it to ask anything.
	w.samples, w.elicits = false, false
	session, tools, err := c.connect(life, w)
	if err != nil {
		return Status{}, err
	}
	defer session.close()
	status := session.describe(tools)
	status.Latency = m.latency(life, session)
	if status.PID != 0 {
		status.Memory, _, _ = m.usage.measure(w.name, status.PID, time.Now(), processTable)
	}
	status.PID = 0
	status.Noise = log.noiseCount()
	return status, nil
}

// describe is the status of a live session.
func (s *session) describe(tools []Tool) Status {
	result := s.client.InitializeResult()
	status := Status{
		State: StateConnected, Since: time.Now(), PID: s.link.pid, Tools: tools, Protocol: result.ProtocolVersion,
	}
	if result.ServerInfo != nil {
		status.Name, status.Version = result.ServerInfo.Name, result.ServerInfo.Version
	}
	if capabilities := result.Capabilities; capabilities != nil {
		status.Resources, status.Prompts = capabilities.Resources != nil, capabilities.Prompts != nil
	}
	return status
}

// latency is how long the server takes to answer the plainest question, zero
// where it does not answer: one that knows no ping has answered, too.
func (m *Manager) latency(ctx context.Context, s *session) time.Duration {
	ctx, stop := context.WithTimeout(ctx, m.timing.ping)
	defer stop()
	began := time.Now()
	var refused *jsonrpc.Error
	if err := s.client.Ping(ctx, nil); err != nil && !errors.As(err, &refused) {
		return 0
	}
	return time.Since(began)
}
