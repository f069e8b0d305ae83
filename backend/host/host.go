package host

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/approval"
	"hermes/backend/builtin"
	"hermes/backend/config"
	"hermes/backend/hook"
	"hermes/backend/mcp"
	"hermes/backend/native"
	"hermes/backend/pin"
	"hermes/backend/provider"
	"hermes/backend/registry"
	"hermes/backend/store"
	"hermes/backend/watch"
)

// Options say for which home a host is built, and how it reaches out.
type Options struct {
	Home    config.Home
	Version string
	// Guard is the command line of the process that kills what we leave behind.
	Guard []string
	// Confine is the command line of the process that becomes a server with
	// `folders`, begun with ConfineCommand; its arguments follow.
	Confine []string
	Getenv  func(string) string
	Logger  *slog.Logger
	// Notice is told each thing that a change of the file from outside opened;
	// nil for nobody.
	Notice func(config.Problem)
}

// RunGuard is the body of that process.
func RunGuard(in io.Reader) int { return mcp.RunGuard(in) }

// ConfineCommand is the hidden first argument with which the program runs
// RunConfined, before it does anything else.
const ConfineCommand = "__confine"

// RunConfined limits this process to the files that its first argument names and
// makes it the program of the others. The result is an exit code, where that did
// not work.
func RunConfined(args []string) int { return mcp.RunConfined(args) }

// Host owns one home's file, servers, tools and turns. New starts nothing: a
// command that only lists costs one read of the file.
type Host struct {
	options  Options
	file     *config.File
	registry *registry.Registry
	// listed is the pending state that the catalogue of now leaves out, nil for none.
	listed  atomic.Pointer[config.Snapshot]
	signals *fanout
	inbox   *approval.Inbox
	pins    *pin.Store
	// sightings say which lists were compared with the pins.
	sightings sightings
	callers   callers
	samples   samples
	flights   flights
	offers    offers
	// connectors are the gateway of hosted tools.
	connectors connectors
	work       work
	// observers run the hooks that only watch.
	observers *hook.Observers
	redaction redaction
	// taught is what model servers taught.
	taught *provider.Memory
	taints taints
	// seal names the connections that grants are bound to.
	seal seal

	// ctx ends everything the host started.
	ctx    context.Context
	cancel context.CancelFunc
	turns  sync.WaitGroup

	// moved wakes the goroutine that follows the servers: a burst of changes is
	// one new catalogue.
	moved    chan struct{}
	followed sync.WaitGroup
	// changed wakes the goroutine that tells other processes of the servers.
	changed chan struct{}

	// publishing serialises what follows a change: servers in step, one new
	// catalogue, one signal.
	publishing sync.Mutex
	// ending lets one at a time end grants.
	ending sync.Mutex

	mu      sync.Mutex
	manager *mcp.Manager
	watcher *watch.Watcher
	store   *store.Store
	running map[string]context.CancelFunc
	looked  map[string]look
	notices []config.Problem
	deaf    string // why not every change of the file is heard, empty for heard
	request string // the reload that another process asked for last
	started bool
	closed  bool
	// appeared tells that other processes are told of this one.
	appeared bool
}

// New reads the file of a home and builds a host around it.
func New(o Options) *Host {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Host{
		options:   o,
		registry:  &registry.Registry{},
		taught:    provider.NewMemory(),
		signals:   newFanout(),
		observers: hook.NewObservers(o.Logger),
		ctx:       ctx, cancel: cancel,
		moved:   make(chan struct{}, 1),
		changed: make(chan struct{}, 1),
		running: map[string]context.CancelFunc{},
		looked:  map[string]look{},
	}
	h.file = config.Open(o.Home, config.Options{Getenv: o.Getenv, Logger: o.Logger, Busy: h.atWork, Announce: h.announced})
	h.knowTurns()
	h.pins, h.sightings.last = newPins(o.Home, h.file), map[string]sighting{}
	h.inbox = approval.NewInbox(func() { h.signals.send(Signal{Topic: TopicQuestions}) })
	snap := h.file.Load()
	if h.StartedBy() == "" {
		// In a program of a server nothing of it need be in force: an agent may be at
		// work elsewhere, and no person made this start.
		h.tell(snap.Opened)
	}
	if snap.NewHolds() {
		_ = h.record(snap)
	}
	h.swap(snap)
	return h
}

// Home is where this host lives.
func (h *Host) Home() config.Home { return h.options.Home }

// Snapshot is the configuration in force.
func (h *Host) Snapshot() *config.Snapshot { return h.file.Current() }

// Started tells whether a person has let the servers start.
func (h *Host) Started() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.started
}

// Start lets the configured servers start, all in parallel, and returns at
// once. It also records the restrictions in force in the ledger.
func (h *Host) Start() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return errClosed
	}
	first := !h.started
	h.started = true
	h.mu.Unlock()
	if first {
		h.publish(TopicOverview)
	}
	return nil
}

var errClosed = errors.New("the program is closing")

// servers gives the manager, built on first use so that commands without
// servers pay nothing.
func (h *Host) servers() (*mcp.Manager, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	if h.manager == nil {
		h.manager = mcp.New(mcp.Options{
			Logger:        h.options.Logger,
			ClientVersion: h.options.Version,
			LogDir:        h.logDir(),
			Guard:         h.options.Guard,
			Confine:       h.options.Confine,
			Private:       h.below("confined"),
			Builtin:       builtinServer,
			OnChange:      func(string) { h.wake() },
			Known:         h.knows,
			Modern:        h.modern,
			OnModern:      h.onModern,
			Admit:         h.admit,
			Sample:        h.sample,
			Elicit:        h.elicit,
		})
		h.followed.Go(h.follow)
		h.appear()
	}
	return h.manager, nil
}

// logDir is where servers' logs go: below our own folder where an edit, a chat, a
// gateway or a person's click on start has made it, else nowhere. Looking at a
// home writes nothing; the logs of this run are kept in memory all the same.
func (h *Host) logDir() string { return h.below("logs") }

// below names a folder in our own, empty where there is none.
func (h *Host) below(name string) string {
	if !native.HasFolder(h.options.Home.Native()) {
		return ""
	}
	return filepath.Join(h.options.Home.Native(), name)
}

// Sessions gives the store; its file is made by the first write.
func (h *Host) Sessions() (*store.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	if h.store == nil {
		h.store = store.New(h.stateFile())
	}
	return h.store, nil
}

// Close stops in order: no new turns, running turns, the hooks that watch them, the
// watcher, the servers, the store.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	watcher, manager, sessions := h.watcher, h.manager, h.store
	h.mu.Unlock()
	h.cancel()
	h.endWork()
	h.inbox.Close()
	h.turns.Wait()
	h.endObservers()
	h.connectors.close()
	var errs []error
	if watcher != nil {
		errs = append(errs, watcher.Close())
	}
	if manager != nil {
		errs = append(errs, manager.Close())
	}
	h.followed.Wait()
	h.publishing.Lock()
	h.work.teller.close()
	h.publishing.Unlock()
	if sessions != nil {
		errs = append(errs, sessions.Close())
	}
	h.signals.close()
	return errors.Join(errs...)
}

func builtinServer(name string, conn config.Connection) (*sdk.Server, error) {
	return builtin.Server(name, conn.Root, builtin.Options{})
}
