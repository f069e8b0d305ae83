package host

import (
	"context"
	"errors"
	"slices"
	"time"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/native"
	"hermes/backend/policy"
	"hermes/backend/registry"
)

// Reload reads the file and the ledger again and publishes what changed; a file
// that cannot be read changes nothing but the problems that are shown. A ledger
// that was deleted meanwhile is written again.
func (h *Host) Reload() { h.reload(h.file.Reload) }

// reload publishes what a reading of the file gives.
func (h *Host) reload(read func() (*config.Snapshot, bool)) {
	old := h.file.Current()
	now, changed := read()
	if !changed {
		if h.Started() {
			_ = h.record(now)
		}
		// It may be the file of definitions: another process accepted some.
		h.wakeIfPinned()
		h.foreseen()
		return
	}
	h.sayState(old, now)
	h.tell(config.Relaxations(old, now))
	for _, p := range config.NewlyWaiting(old, now) {
		h.say(p)
	}
	if old.Broken && len(old.Servers) == 0 {
		// Nothing was read before, so the ledger says what was in force.
		h.tell(now.Opened)
	}
	h.publish(TopicConfig)
}

// record remembers what is in force; a ledger that cannot be written stops
// nothing. Whoever made an edit says so to the person.
func (h *Host) record(snap *config.Snapshot) error {
	err := h.file.Record(snap)
	if err != nil {
		h.options.Logger.Warn("the ledger was not written", "error", err)
	}
	return err
}

// maxNotices is how many relaxations are kept for a page that opens later.
const maxNotices = 50

// tell says what a change from outside opened: to the log, to the face, and to
// whoever asks for the notices.
func (h *Host) tell(opened []config.Problem) {
	for _, p := range opened {
		h.say(p)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notices = append(h.notices, opened...)
	h.notices = h.notices[max(0, len(h.notices)-maxNotices):]
}

// Notices are that changes of the file are not heard, where that is so, and the
// latest relaxations from outside that are still true, oldest first.
func (h *Host) Notices() []config.Problem {
	snap := h.file.Current()
	h.mu.Lock()
	defer h.mu.Unlock()
	out := config.StillOpen(h.notices, snap)
	if h.deaf != "" {
		out = slices.Insert(out, 0, h.deafness())
	}
	return out
}

// Remember makes our own folder, so that the restrictions in force are recorded
// from here on. A face that lets an agent or a client call tools asks for it.
func (h *Host) Remember() { _ = h.remember() }

func (h *Host) remember() error {
	if !h.options.Home.Exists() {
		return nil
	}
	if err := native.Make(h.options.Home.Native()); err != nil {
		h.options.Logger.Warn("the folder of the ledger cannot be made", "error", err)
		return err
	}
	if err := h.pins.Save(); err != nil {
		h.options.Logger.Warn("the tool definitions were not written", "error", err)
	}
	return h.record(h.file.Current())
}

// Apply makes one edit of the file and publishes it.
func (h *Host) Apply(ctx context.Context, edit config.Edit) (config.Result, error) {
	began := time.Now()
	result, err := h.file.Apply(ctx, edit)
	if err != nil {
		return config.Result{}, err
	}
	if edit.Intent.Action == policy.ActionLock {
		// A person's word is remembered also where the file said so already.
		result.Unrecorded = h.remember()
	}
	result.Unrecorded = errors.Join(result.Unrecorded, h.record(result.Snapshot))
	if edit.Intent.Action == policy.ActionOpen {
		if err := h.file.ConfirmOpen(ctx, edit.Server); err != nil {
			h.options.Logger.Warn("the ledger was not written", "error", err)
			result.Unrecorded = errors.Join(result.Unrecorded, err)
		}
	}
	h.lookedAt(edit.Server, edit.Intent.Action)
	h.acts(action{at: began})
	h.publish(TopicConfig)
	return result, nil
}

// publish brings servers and tools in step with the snapshot in force and
// tells everybody once.
func (h *Host) publish(topic Topic) {
	defer h.endGrants()
	h.publishing.Lock()
	defer h.publishing.Unlock()
	snap := h.file.Current()
	if h.Started() || snap.NewHolds() {
		_ = h.record(snap)
	}
	h.flights.ground(snap)
	if h.Started() {
		if manager, err := h.servers(); err == nil {
			manager.Sync(snap)
		}
	}
	h.swap(snap)
	h.tellWaiting(snap)
	h.withdraw(snap)
	h.mu.Lock()
	// What was closed again is no news when a person opens it later.
	h.notices = config.StillOpen(h.notices, snap)
	h.mu.Unlock()
	poke(h.changed)
	h.signals.send(Signal{Topic: topic, Revision: snap.Revision})
}

// wake asks for a new catalogue; it never waits, since the manager calls it in
// the middle of its own work.
func (h *Host) wake() {
	poke(h.moved)
	poke(h.changed)
}

// follow turns changes of servers, their tools or their states, into a new
// catalogue and one signal.
func (h *Host) follow() {
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.moved:
		}
		snap := h.refresh()
		h.endGrants()
		h.signals.send(Signal{Topic: TopicServers, Revision: snap.Revision})
	}
}

// refresh puts a catalogue of the state of now in force.
func (h *Host) refresh() *config.Snapshot {
	h.publishing.Lock()
	defer h.publishing.Unlock()
	snap := h.file.Current()
	h.swap(snap)
	return snap
}

// swap builds the catalogue of what may be called now; the registry swaps one
// pointer.
func (h *Host) swap(snap *config.Snapshot) {
	pending := h.file.Pending()
	sources := make([]registry.Source, 0, len(snap.Servers))
	for i := range snap.Servers {
		server := &snap.Servers[i]
		source := registry.Source{Server: server.Name, Rules: server.Rules}
		ok, _ := snap.MayRun(server.Name)
		h.offer(server, &source, ok)
		withoutDenied(&source, pending)
		sources = append(sources, source)
	}
	h.registry.Swap(registry.Build(snap.Names(), sources))
	h.listed.Store(pending)
}

func registryTools(tools []mcp.Tool) []registry.Tool {
	out := make([]registry.Tool, len(tools))
	for i := range tools {
		out[i] = registryTool(&tools[i])
	}
	return out
}

func registryTool(t *mcp.Tool) registry.Tool {
	return registry.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
		OutputSchema: t.OutputSchema, Annotations: t.Annotations, ReadOnly: t.ReadOnly, Destructive: t.Destructive}
}

// look is what was last seen of a server, connected or in an explicit look; it
// stands for the tools of one that does not run, as long as its entry connects
// to the same thing.
type look struct {
	target string
	status mcp.Status
}

// Status is what is known of a server's connection and tools. Without a
// connection the tools are those of the last look, in this run or an earlier one.
func (h *Host) Status(server string) mcp.Status { return h.status(server, true) }

// Brief is Status for a listing: tools from an earlier run have a name and
// hints, and no texts.
func (h *Host) Brief(server string) mcp.Status { return h.status(server, false) }

func (h *Host) status(server string, full bool) mcp.Status {
	status, entry, ok := h.latest(server)
	if !ok {
		return status
	}
	return h.remembered(entry, status, full)
}

// latest is what this run knows of a server.
func (h *Host) latest(server string) (mcp.Status, *config.Server, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	status := mcp.Status{}
	if h.manager != nil {
		status = h.manager.Status(server)
	}
	entry, ok := h.file.Current().Server(server)
	if ok && status.State == mcp.StateConnected {
		// The catalogue is made anew at every change of a server, and asks here:
		// so the tools of one that is locked later stay known, and can be
		// released one by one.
		h.looked[server] = look{target: entry.Conn.Target(), status: status}
	}
	if seen := h.looked[server]; ok && len(status.Tools) == 0 && seen.target == entry.Conn.Target() {
		status.Tools, status.Version, status.Protocol = seen.status.Tools, seen.status.Version, seen.status.Protocol
	}
	return status, entry, ok
}

// Log is the bounded log of a server.
func (h *Host) Log(server string) []string {
	h.mu.Lock()
	manager := h.manager
	h.mu.Unlock()
	if manager == nil {
		return []string{}
	}
	return manager.Log(server)
}

// Look connects to one server for a look at its tools and stops it again, also
// when it is locked.
func (h *Host) Look(ctx context.Context, server string) (mcp.Status, error) {
	manager, err := h.servers()
	if err != nil {
		return mcp.Status{}, err
	}
	snap := h.file.Current()
	status, err := manager.Look(ctx, snap, server)
	if err != nil {
		return mcp.Status{}, err
	}
	if entry, ok := snap.Server(server); ok {
		h.mu.Lock()
		h.looked[server] = look{target: entry.Conn.Target(), status: status}
		h.mu.Unlock()
		h.sight(entry, status)
	}
	return status, nil
}

// Wait waits for all servers that may run until they are connected or failed,
// at most the start limit of the file, and names the ones that are missing. The
// tools of the others are in the catalogue then.
func (h *Host) Wait(ctx context.Context) []string {
	snap := h.file.Current()
	names := []string{}
	for _, name := range snap.Names() {
		if ok, _ := snap.MayRun(name); ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	manager, err := h.servers()
	if err != nil {
		return names
	}
	ctx, cancel := context.WithTimeout(ctx, snap.Settings.StartWait)
	defer cancel()
	missing := manager.Wait(ctx, names)
	h.refresh()
	return missing
}

// Catalog is what may be called now.
func (h *Host) Catalog() *registry.Catalog { return h.registry.Current() }
