package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/config"
)

// Options configure a Manager.
type Options struct {
	// Logger takes what is worth a line of our own log; nil is silent. It gets
	// neither values of variables nor output of servers.
	Logger *slog.Logger
	// ClientVersion is told to servers.
	ClientVersion string
	// LogDir takes one file a server with its standard error, made when there
	// is something to write; empty writes none.
	LogDir string
	// Guard is the command line of a process that runs RunGuard on its standard
	// input. Without it, grandchildren may outlive a killed program.
	Guard []string
	// Confine is the command line of a process that runs RunConfined with the
	// arguments that follow. Without it, a server with `folders` does not start.
	Confine []string
	// Private is a folder in which a server with `folders` keeps what it fetches,
	// in one of its own; empty: that is lost whenever it stops.
	Private string
	// Builtin makes a built-in server by its name for an expanded connection.
	Builtin func(name string, conn config.Connection) (*sdk.Server, error)
	// Known tells whether a server's tools are remembered, so that one with
	// `lazy: true` may wait for its first call; nil is for none.
	Known func(server string) bool
	// Modern tells what is remembered of a server's protocol: known is false for
	// one that was never met. OnModern is told what a session found. Both may be
	// nil, and are given the server's name.
	Modern   func(server string) (modern, known bool)
	OnModern func(server string, modern bool)
	// Admit is asked before every call of a tool, with the list of the session
	// that would take it; its error refuses the call, nothing is sent then. nil
	// admits all. It must not call the Manager.
	Admit func(server, tool string, offered []Tool) error
	// Sample and Elicit answer requests of servers: the params and the result of
	// sampling/createMessage and elicitation/create as JSON. They ask the policy
	// themselves; nil, and any error, refuses.
	Sample func(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error)
	Elicit func(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error)
	// OnChange is called after every change of a server's Status, possibly from
	// several goroutines at once. It must return soon and may call the Manager,
	// but not Close.
	OnChange func(server string)
}

// Manager keeps a session with every server the snapshot lets run. Its methods
// may be called from any goroutine. It does not ask the policy about single
// tools; whoever calls does.
type Manager struct {
	logger   *slog.Logger
	timing   timing
	logDir   string
	dialer   *dialer
	launcher *launcher
	onChange func(string)
	seal     seal
	known    func(server string) bool
	memory   memory
	usage    usage

	// life bounds everything; work counts the goroutines.
	life   context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	wants    map[string]want
	servers  map[string]*server
	shown    map[string]Status
	logs     map[string]*logBook
	movement chan struct{}
}

// New makes a Manager that runs nothing until Sync is called.
func New(o Options) *Manager { return newManager(o, defaultTiming()) }

func newManager(o Options, t timing) *Manager {
	logger := o.Logger
	if logger == nil {
		logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	launcher := newLauncher(logger, o.Guard, t)
	life, cancel := context.WithCancel(context.Background())
	m := &Manager{
		logger: logger, timing: t, logDir: o.LogDir, launcher: launcher, onChange: o.OnChange, seal: newSeal(), known: o.Known, memory: memory{o.Modern, o.OnModern},
		dialer: &dialer{
			logger: logger, timing: t, launcher: launcher, environ: os.Environ, confineArgs: o.Confine, private: o.Private,
			builtin: o.Builtin, admit: o.Admit, version: o.ClientVersion, maxMessage: maxMessage,
			sample: o.Sample, elicit: o.Elicit,
		},
		life: life, cancel: cancel,
		wants: map[string]want{}, servers: map[string]*server{}, shown: map[string]Status{},
		logs: map[string]*logBook{}, movement: make(chan struct{}),
	}
	m.dialer.rights = m.rights
	return m
}

// apply brings the servers in step with what is wanted, and returns at once:
// connecting and stopping go on in the background.
func (m *Manager) apply(wants map[string]want) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	steps := plan(m.wants, wants)
	for _, step := range steps {
		m.perform(step, wants[step.name])
	}
	m.wants = wants
	m.mu.Unlock()
	for _, step := range steps {
		if step.do != deedKeep {
			m.tell(step.name)
		}
	}
}

// perform does one step of a plan. The lock is held.
func (m *Manager) perform(step step, w want) {
	running := m.servers[step.name]
	switch step.do {
	case deedKeep:
		if running.keep(w) {
			// It tells of its change, which needs the lock.
			m.work.Go(running.need)
		}
		return
	case deedStart:
		m.begin(w, nil, w.lazy)
		return
	case deedRestart:
		m.replace(running, w, w.lazy)
		return
	case deedStop:
		running.retire()
		running.end()
	case deedShow, deedForget:
	}
	delete(m.servers, step.name)
	if w.name == "" {
		delete(m.shown, step.name)
		m.forgetLog(step)
		return
	}
	m.show(w)
}

// begin starts a server's supervision, which ends old when its own session is
// there. asleep leaves the program unstarted until it is needed.
func (m *Manager) begin(w want, old *server, asleep bool) {
	delete(m.shown, w.name)
	c := &connector{dialer: m.dialer, log: m.logOf(w.name), memory: m.memory}
	s := newServer(w, c, m.timing, asleep, m.tell)
	ctx, cancel := context.WithCancel(m.life)
	s.cancel = cancel
	s.end = sync.OnceFunc(func() { m.work.Go(func() { m.finish(s) }) })
	m.servers[w.name] = s
	m.work.Go(func() { s.run(ctx, old, asleep) })
}

// replace begins anew beside a session whose running calls may end: waiting and
// new calls go to the new one.
func (m *Manager) replace(running *server, w want, asleep bool) {
	running.retire()
	m.begin(w, running, asleep)
	if running.idle() {
		running.end()
	}
}

// finish lets a server's running calls end and stops it.
func (m *Manager) finish(s *server) {
	if leave, err := s.calls.enter(m.life, false); err == nil {
		defer leave()
	}
	s.cancel()
	<-s.done
	m.mu.Lock()
	current := m.logs[s.name]
	m.mu.Unlock()
	if current != s.log.book {
		s.log.book.close()
	}
}

// show keeps what is said of a server that does not run.
func (m *Manager) show(w want) {
	before, known := m.shown[w.name]
	status := Status{State: w.state, Reason: w.reason, Since: time.Now()}
	if known && before.State == status.State {
		status.Since = before.Since
	}
	m.shown[w.name] = status
}

// logOf returns a pen for a server's log, which lives as long as the Manager.
// The lock is held.
func (m *Manager) logOf(name string) *serverLog {
	book := m.logs[name]
	if book == nil {
		book = newLogBook(name, m.logDir, func(err error) {
			m.logger.Warn("a server's log cannot be written", "server", name, "error", err)
		})
		m.logs[name] = book
	}
	return book.pen()
}

// forgetLog drops the log of a server that is gone from the file. Where a program
// of it still ends, whoever waits for that closes it. The lock is held.
func (m *Manager) forgetLog(step step) {
	book := m.logs[step.name]
	delete(m.logs, step.name)
	if book != nil && step.do == deedForget {
		book.close()
	}
}

// tell announces a change.
func (m *Manager) tell(name string) {
	m.mu.Lock()
	close(m.movement)
	m.movement = make(chan struct{})
	m.mu.Unlock()
	if m.onChange != nil {
		m.onChange(name)
	}
}

// Status returns what is known of a server now. A server that is not configured
// has the zero State.
func (m *Manager) Status(server string) Status {
	m.mu.Lock()
	running, shown := m.servers[server], m.shown[server]
	m.mu.Unlock()
	if running == nil {
		return shown
	}
	status, _ := running.look()
	return status
}

// Statuses returns the status of every configured server.
func (m *Manager) Statuses() map[string]Status {
	m.mu.Lock()
	servers, all := maps.Clone(m.servers), maps.Clone(m.shown)
	m.mu.Unlock()
	for name, s := range servers {
		all[name], _ = s.look()
	}
	return all
}

// Wait waits until each of the servers is connected or failed, or ctx ends, and
// returns those that are not connected, in the order given. nil means all.
// Servers that do not run by the rules are not missing, nor are those that start
// at their first call.
func (m *Manager) Wait(ctx context.Context, servers []string) []string {
	for {
		m.mu.Lock()
		movement := m.movement
		names := servers
		if names == nil {
			names = slices.Sorted(maps.Keys(m.wants))
		}
		m.mu.Unlock()
		var missing []string
		pending := false
		for _, name := range names {
			switch m.Status(name).State {
			case StateStarting:
				pending = true
				missing = append(missing, name)
			case StateFailed, StateParked, StateNeedsAuth, "":
				missing = append(missing, name)
			case StateConnected, StateReady, StateDisabled, StateLocked, StateInvalid:
			}
		}
		if !pending {
			return missing
		}
		select {
		case <-movement:
		case <-ctx.Done():
			return missing
		}
	}
}

// Retry tries a server without a session at once, as a person asked for it, and
// lets calls through again that were refused for their failures.
func (m *Manager) Retry(server string) {
	m.mu.Lock()
	running := m.servers[server]
	m.mu.Unlock()
	if running != nil {
		running.retry()
	}
}

// Restart begins a fresh session for a server that may run, also for a healthy
// one: running calls end on the old session, new ones wait for the new one.
func (m *Manager) Restart(server string) {
	m.mu.Lock()
	running := m.servers[server]
	if running == nil || m.closed {
		m.mu.Unlock()
		return
	}
	m.replace(running, running.wanted(), false)
	m.mu.Unlock()
	m.tell(server)
}

// Log returns the last lines of a server's standard error, with the noise on
// its standard output and our own notes. Values of variables are masked.
func (m *Manager) Log(server string) []string {
	m.mu.Lock()
	log := m.logs[server]
	m.mu.Unlock()
	if log == nil {
		return nil
	}
	return log.snapshot()
}

// Close stops every server in steps, all at once, and waits until nothing is
// left. Calls that are running end with an error.
func (m *Manager) Close() error {
	m.mu.Lock()
	first := !m.closed
	m.closed = true
	m.mu.Unlock()
	m.cancel()
	m.work.Wait()
	if !first {
		return nil
	}
	m.launcher.close()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, log := range m.logs {
		log.close()
	}
	return nil
}

// find returns the running server, or why there is none to call.
func (m *Manager) find(name string) (*server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, &callError{server: name, reason: "the program is ending", kind: ErrNotSent}
	}
	if s := m.servers[name]; s != nil {
		return s, nil
	}
	shown, known := m.shown[name]
	if !known {
		return nil, &callError{server: name, reason: "no server of this name is configured", kind: ErrNotSent}
	}
	return nil, &callError{server: name, reason: fmt.Sprintf("it does not run (%s): %s", shown.State, shown.Reason), kind: ErrNotSent}
}
